// Rapier as the engine of rigid bodies: it gets the forces of the liquid and gives back poses (web/core/rigid.c).
import RAPIER from "./vendor/rapier.js";

const BOX = 0, SPHERE = 1, CAPSULE = 2, CYLINDER = 3; // rn_shape_kind; hulls and meshes follow
const vector = ([x, y, z]) => ({ x, y, z });
const rotation = ([x, y, z, w]) => (x || y || z || w ? { x, y, z, w } : { x: 0, y: 0, z: 0, w: 1 });
const across = Math.SQRT1_2; // Rapier's capsules lie along y, runnel's along z

/** The product of two rotations, b first. */
const times = (a, b) => ({
  x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
  z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z });

/** The collider of a part of a shape. */
function colliderOf(part, positions, indices) {
  const [kind, a, b, c] = part, turn = rotation(part.slice(7, 11)), upright = times(turn, { x: across, y: 0, z: 0, w: across });
  if (kind === BOX) return RAPIER.ColliderDesc.cuboid(a / 2, b / 2, c / 2).setRotation(turn);
  if (kind === SPHERE) return RAPIER.ColliderDesc.ball(a);
  if (kind === CAPSULE) return RAPIER.ColliderDesc.capsule(c / 2, a).setRotation(upright);
  if (kind === CYLINDER) return RAPIER.ColliderDesc.cylinder(c / 2, a).setRotation(upright);
  const [first, count] = part.slice(11), points = new Float32Array(9 * count);
  for (let i = 0; i < 3 * count; i++) points.set(positions.subarray(3 * indices[3 * first + i], 3 * indices[3 * first + i] + 3), 3 * i);
  return RAPIER.ColliderDesc.convexHull(points) ?? RAPIER.ColliderDesc.ball(1e-3);
}

const engine = (memory) => {
  const engines = new Map();
  return {
    create(id, at) {
      const n = memory.doubles(at, 16), world = new RAPIER.World(vector(n)), [x, y, z, sx, sy, lid] = n.slice(6, 12);
      world.lengthUnit = 0.1 * Math.max(sx, sy);
      const wall = (cx, cy, hx, hy) => world.createCollider(RAPIER.ColliderDesc.cuboid(hx, hy, sx + sy).setTranslation(cx, cy, z));
      const [west, east, south, north] = n.slice(12, 16);
      const thick = 0.5 * Math.max(sx, sy);
      if (!west) wall(x - thick, y + sy / 2, thick, sy + thick);
      if (!east) wall(x + sx + thick, y + sy / 2, thick, sy + thick);
      if (!south) wall(x + sx / 2, y - thick, sx + thick, thick);
      if (!north) wall(x + sx / 2, y + sy + thick, sx + thick, thick);
      engines.set(id, { world, bodies: new Map(), substep: n[3], friction: n[4], bounce: n[5], ground: null, lid });
    },
    destroy(id) {
      engines.get(id).world.free();
      engines.delete(id);
    },
    ground(id, positions, vertices, indices, triangles) {
      const e = engines.get(id);
      if (e.ground) e.world.removeCollider(e.ground, true);
      const mesh = RAPIER.ColliderDesc.trimesh(memory.floats(positions, 3 * vertices).slice(), memory.words(indices, 3 * triangles).slice());
      e.ground = e.world.createCollider(mesh.setFriction(e.friction).setRestitution(e.bounce));
    },
    add(id, body, def, parts, count, positions, indices) {
      const e = engines.get(id), n = memory.doubles(def, 18), [driven, friction, bounce, density] = n;
      const desc = driven ? RAPIER.RigidBodyDesc.kinematicPositionBased() : RAPIER.RigidBodyDesc.dynamic();
      desc.setTranslation(...n.slice(5, 8)).setRotation(rotation(n.slice(8, 12))).setLinvel(...n.slice(12, 15)).setAngvel(vector(n.slice(15, 18)));
      const made = e.world.createRigidBody(desc.setCcdEnabled(true).setCanSleep(false));
      const all = memory.doubles(parts, 13 * count), most = memory.words(indices, 0).byteOffset;
      const floats = new Float32Array(memory.buffer, positions), words = new Uint32Array(memory.buffer, most);
      for (let i = 0; i < count; i++) {
        const part = [...all.slice(13 * i, 13 * i + 13)];
        const collider = colliderOf(part, floats, words).setTranslation(...part.slice(4, 7));
        e.world.createCollider(collider.setDensity(density).setFriction(friction).setRestitution(bounce), made);
      }
      e.bodies.set(body, made);
    },
    remove(id, body) {
      const e = engines.get(id);
      e.world.removeRigidBody(e.bodies.get(body));
      e.bodies.delete(body);
    },
    put(id, body, at) {
      const n = memory.doubles(at, 13), made = engines.get(id).bodies.get(body);
      if (made.isKinematic()) {
        made.setNextKinematicTranslation(vector(n));
        made.setNextKinematicRotation(rotation(n.slice(3, 7)));
        return;
      }
      made.setTranslation(vector(n), true);
      made.setRotation(rotation(n.slice(3, 7)), true);
      made.setLinvel(vector(n.slice(7, 10)), true);
      made.setAngvel(vector(n.slice(10, 13)), true);
    },
    force(id, body, at) {
      const n = memory.doubles(at, 6), made = engines.get(id).bodies.get(body);
      made.resetForces(true);
      made.resetTorques(true);
      made.addForce(vector(n), true);
      made.addTorque(vector(n.slice(3)), true);
    },
    gravity(id, x, y, z) { engines.get(id).world.gravity = { x, y, z }; },
    step(id, seconds) {
      const { world, substep } = engines.get(id), count = Math.max(1, Math.ceil(seconds / substep));
      world.timestep = seconds / count;
      for (let i = 0; i < count; i++) world.step();
    },
    pose(id, body, at) {
      const made = engines.get(id).bodies.get(body), p = made.translation(), r = made.rotation(), v = made.linvel(), s = made.angvel();
      memory.doubles(at, 13).set([p.x, p.y, p.z, r.x, r.y, r.z, r.w, v.x, v.y, v.z, s.x, s.y, s.z]);
    },
  };
};

/** Starts Rapier and gives it to runnel. */
export async function startRapier(runnel) {
  await RAPIER.init();
  runnel.setEngine(engine);
}
