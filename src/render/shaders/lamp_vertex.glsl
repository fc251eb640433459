/* The liquid as the lamp sees it: falling liquid where it is, lying liquid where its light meets the ground. */
in vec3 position;
in vec3 normal;
in vec4 inside; /* opacity, speed, layer, openness to the sky */
in float depth; /* m */
in vec4 flow;   /* see liquid_vertex.glsl */
uniform mat4 to_clip;
uniform vec3 key;
uniform float refraction;
uniform float half_side; /* texels, of the map */
out vec3 at;
out vec3 facing;
out float opaque;
out float fallen;
out vec2 level; /* texel that this light would meet below a level surface */

/* The point on the ground that light from the lamp meets if the surface has normal n. */
vec3 met(vec3 n) {
    vec3 ray = refract(-key, n, 1.0 / refraction);
    return position + ray * (depth / max(-ray.z, 0.35));
}

void main() {
    at = position;
    facing = normal;
    opaque = max(inside.x, 0.0);
    fallen = flow.w;
#ifdef FOCUS
    level = half_side * (to_clip * vec4(met(vec3(0.0, 0.0, 1.0)), 1.0)).xy;
    gl_Position = to_clip * vec4(met(normal.z < 0.0 ? -normal : normal), 1.0);
#else
    level = vec2(0.0);
    gl_Position = to_clip * vec4(position, 1.0);
#endif
}
