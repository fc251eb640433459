in vec3 position;
in vec3 normal;
in vec4 inside;   /* opacity, speed, layer, openness to the sky */
in vec4 meniscus; /* direction to the boundary, psi, share */
in float depth; /* m */
in vec4 flow;   /* velocity along x and y (m/s), foam (0 to 1; of a 3D liquid: how white it is with air), time since it left the lip of a fall (s); a jet or a drop: -1, or down to -2 if it is full of air */
in vec3 ring;   /* of waves around the foot of a fall: slope along x and y, phase (radians); x of a sheet: 1 at its foot; of a jet: 1 at a top in the air; of a 3D liquid: the liquid above (m) */
uniform mat4 to_clip;
uniform vec3 eye;
uniform vec3 view_along;
uniform highp sampler3D solid; /* share of solid, in boxes that double in size from level to level */
uniform vec3 solid_low;        /* m */
uniform vec3 solid_size;       /* m */
uniform float solid_step;      /* m, size of the finest boxes */
uniform float occlusion;
uniform float cell; /* m */
out vec3 at;
out vec3 facing;
out vec4 within;
out vec4 bend;
out float mirrored;
out float deep;
out vec4 flowing;
out vec3 ringed;

/* Share (0 to 1) of light that arrives at this vertex through a widening cone along `ray`, which begins a little off
   the surface, towards `outwards`; both unit vectors. See render/occlusion.c. */
float open_towards(vec3 ray, vec3 outwards) {
    float left = 1.0, size = solid_step;
    for (int level = 1; level < 6; level++) {
        size *= 2.0;
        vec3 p = (position + 0.7 * size * outwards + 1.6 * size * ray - solid_low) / solid_size;
        bool inside = all(lessThan(abs(p - 0.5), vec3(0.5)));
        left *= 1.0 - (inside ? textureLod(solid, p, float(level)).r : 0.0);
    }
    return smoothstep(0.15, 0.8, left); /* sharpened: cones blur the edges of mirrored things */
}

void main() {
    at = position;
    facing = normal;
    within = inside;
    deep = depth;
    flowing = flow;
    ringed = ring;
    bend = meniscus;
    vec3 view = dot(view_along, view_along) > 0.0 ? -view_along : normalize(eye - position);
    vec3 outwards = dot(normal, view) < 0.0 ? -normal : normal; /* sheets have two sides */
#ifdef GLASS
    mirrored = 1.0; /* glass hides no lamps */
#else
    mirrored = mix(1.0, open_towards(reflect(-view, normal), outwards), occlusion);
#endif
    gl_Position = to_clip * vec4(position, 1.0);
    /* On steep ground a film is thinner than the differences between its mesh and that of the ground, which would show
       through in patches: it counts as a little nearer to the eye. */
    float steep = 1.0 - smoothstep(0.3, 0.75, abs(normal.z));
    vec4 nearer = to_clip * vec4(position + 0.8 * cell * steep * view, 1.0);
    gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}
