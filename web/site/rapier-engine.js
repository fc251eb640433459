// Rapier as the engine of rigid bodies: it gets the forces of the liquid and gives back poses (web/core/rigid.c).
import RAPIER from "./vendor/rapier.js";

const BALL = 0, HINGE = 1, SLIDER = 2; // rn_joint_kind; fixed ones follow
const BOX = 0, SPHERE = 1, CAPSULE = 2, CYLINDER = 3; // rn_shape_kind; hulls and meshes follow
const vector = ([x, y, z]) => ({ x, y, z });
const rotation = ([x = 0, y = 0, z = 0, w = 0]) => (x || y || z || w ? { x, y, z, w } : { x: 0, y: 0, z: 0, w: 1 });
const across = Math.SQRT1_2; // Rapier's capsules lie along y, runnel's along z

/** The product of two rotations, b first. */
const times = (a, b) => ({
  x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
  z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z });

const inverse = ({ x, y, z, w }) => ({ x: -x, y: -y, z: -z, w });
/** A vector after a rotation. */
const turned = (q, v) => {
  const { x, y, z } = times(times(q, { ...v, w: 0 }), inverse(q));
  return { x, y, z };
};
const minus = (a, b) => ({ x: a.x - b.x, y: a.y - b.y, z: a.z - b.z });
/** Whether two rotations are the same, to rounding. */
const alike = (a, b) => Math.abs(Math.abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) - 1) < 1e-6;

/** Turns the frame of a body in Rapier, which starts unturned, without moving the body. Its joints must follow. A joint has the
    same axis in the frames of both bodies: therefore all bodies have the same rotation in Rapier when a joint is made, and
    `own` is that of runnel's body in that frame. */
function reframe(b, frame) {
  const change = times(inverse(frame), b.made.rotation());
  for (const { collider, at, turn } of b.parts) {
    collider.setRotationWrtParent(times(change, times(b.own, turn)));
    collider.setTranslationWrtParent(turned(change, turned(b.own, at)));
  }
  b.own = times(change, b.own);
  b.made.setRotation(frame, true);
}

/** The collider of a part of a shape, and how it is turned beside the part. */
function colliderOf(part, positions, indices) {
  const [kind, a, b, c] = part, plain = { x: 0, y: 0, z: 0, w: 1 }, upright = { x: across, y: 0, z: 0, w: across };
  if (kind === BOX) return [RAPIER.ColliderDesc.cuboid(a / 2, b / 2, c / 2), plain];
  if (kind === SPHERE) return [RAPIER.ColliderDesc.ball(a), plain];
  if (kind === CAPSULE) return [RAPIER.ColliderDesc.capsule(c / 2, a), upright];
  if (kind === CYLINDER) return [RAPIER.ColliderDesc.cylinder(c / 2, a), upright];
  const [first, count] = part.slice(11), points = new Float32Array(9 * count);
  for (let i = 0; i < 3 * count; i++) points.set(positions.subarray(3 * indices[3 * first + i], 3 * indices[3 * first + i] + 3), 3 * i);
  return [RAPIER.ColliderDesc.convexHull(points) ?? RAPIER.ColliderDesc.ball(1e-3), null];
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
      const e = engines.get(id), n = memory.doubles(def, 18), [driven, friction, bounce, density] = n, own = rotation(n.slice(8, 12));
      const desc = driven ? RAPIER.RigidBodyDesc.kinematicPositionBased() : RAPIER.RigidBodyDesc.dynamic();
      desc.setTranslation(...n.slice(5, 8)).setLinvel(...n.slice(12, 15)).setAngvel(vector(n.slice(15, 18)));
      const made = e.world.createRigidBody(desc.setCcdEnabled(true)), b = { made, own, parts: [], joints: 0 };
      const all = memory.doubles(parts, 13 * count), most = memory.words(indices, 0).byteOffset;
      const floats = new Float32Array(memory.buffer, positions), words = new Uint32Array(memory.buffer, most);
      for (let i = 0; i < count; i++) {
        const part = [...all.slice(13 * i, 13 * i + 13)], at = vector(part.slice(4, 7));
        const [shape, upright] = colliderOf(part, floats, words), turn = upright ? times(rotation(part.slice(7, 11)), upright) : rotation([]);
        const { x, y, z } = turned(own, at);
        shape.setDensity(density).setFriction(friction).setRestitution(bounce).setTranslation(x, y, z).setRotation(times(own, turn));
        b.parts.push({ collider: e.world.createCollider(shape, made), at, turn });
      }
      e.bodies.set(body, b);
    },
    remove(id, body) {
      const e = engines.get(id);
      e.world.removeRigidBody(e.bodies.get(body).made);
      e.bodies.delete(body);
    },
    /** Joins a body to another or, below 0, to the ground; def: position, axis, limited, low, high. Returns 1; 0: not possible. */
    joint(id, kind, body, to, def) {
      const { world, bodies } = engines.get(id), n = [...memory.doubles(def, 9)], one = bodies.get(body), at = vector(n), axis = vector(n.slice(3, 6));
      const turn = () => one.made.rotation();
      const desc = () => RAPIER.RigidBodyDesc.fixed().setTranslation(at.x, at.y, at.z).setRotation(turn());
      const other = to < 0 ? { made: world.createRigidBody(desc()), parts: [], own: rotation([]), joints: 0 } : bodies.get(to);
      if (!alike(turn(), other.made.rotation())) {
        if (one.joints > 0 && other.joints > 0) return 0;
        if (other.joints > 0) reframe(one, other.made.rotation());
        else reframe(other, turn());
      }
      const back = inverse(turn()), held = kind === SLIDER || kind > SLIDER ? one.made.translation() : at; // these have no position
      const [a, b] = [other, one].map(({ made }) => turned(back, minus(held, made.translation())));
      const size = Math.hypot(axis.x, axis.y, axis.z), along = turned(back, { x: axis.x / size, y: axis.y / size, z: axis.z / size });
      const unturned = rotation([]);
      const data = kind === BALL ? RAPIER.JointData.spherical(a, b) : kind === HINGE ? RAPIER.JointData.revolute(a, b, along)
        : kind === SLIDER ? RAPIER.JointData.prismatic(a, b, along) : RAPIER.JointData.fixed(a, unturned, b, unturned);
      const joint = world.createImpulseJoint(data, other.made, one.made, true);
      joint.setContactsEnabled(false);
      if (n[6] && (kind === HINGE || kind === SLIDER)) joint.setLimits(n[7], n[8]);
      one.joints++;
      other.joints++;
      return 1;
    },
    sleep(id, body) { engines.get(id).bodies.get(body).made.sleep(); },
    wake(id, body) { engines.get(id).bodies.get(body).made.wakeUp(); },
    sleeps(id, body) { return engines.get(id).bodies.get(body).made.isSleeping(); },
    put(id, body, at) {
      const n = memory.doubles(at, 13), { made, own } = engines.get(id).bodies.get(body), turn = times(rotation(n.slice(3, 7)), inverse(own));
      if (made.isKinematic()) {
        made.setNextKinematicTranslation(vector(n));
        made.setNextKinematicRotation(turn);
        return;
      }
      made.setTranslation(vector(n), true);
      made.setRotation(turn, true);
      made.setLinvel(vector(n.slice(7, 10)), true);
      made.setAngvel(vector(n.slice(10, 13)), true);
    },
    force(id, body, at) { // it wakes the body: only rigid.c lets bodies sleep
      const n = memory.doubles(at, 6), { made } = engines.get(id).bodies.get(body);
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
      const { made, own } = engines.get(id).bodies.get(body), p = made.translation(), r = times(made.rotation(), own), v = made.linvel(), s = made.angvel();
      memory.doubles(at, 13).set([p.x, p.y, p.z, r.x, r.y, r.z, r.w, v.x, v.y, v.z, s.x, s.y, s.z]);
    },
  };
};

/** Starts Rapier and gives it to runnel. */
export async function startRapier(runnel) {
  await RAPIER.init();
  runnel.setEngine(engine);
}
