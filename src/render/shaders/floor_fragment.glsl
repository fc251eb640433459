/* The floor around the scene. */
in vec3 at;
in vec2 square;
uniform vec3 paper;     /* colour of the floor */
uniform vec3 paper_lit; /* colour that it fades to far away */
uniform vec4 patch_of; /* part of the floor that floor_light covers: corner (m), then 1/size (1/m) */
uniform sampler2D floor_light;
uniform sampler2D ripples; /* render/ripples.h */
uniform float cell;        /* m */
uniform float time;        /* s */
uniform vec2 flow;         /* m/s, of the sea */
uniform vec4 level_patch;  /* corner of the domain (m), then 1/size (1/m) */
out vec4 colour;

void main() {
    float far = dot(square, square);
    vec2 lit = texture(floor_light, clamp((at.xy - patch_of.xy) * patch_of.zw, 0.0, 1.0)).rg;
#ifdef SEA
    lit = vec2(1.0); /* the map is of the floor, below the sea */
#endif
    lit = mix(vec2(1.0), lit, occlusion);
#if defined(MATERIAL) && !defined(OUTDOORS)
    vec3 n = vec3(0.0, 0.0, 1.0), v = view_from(normalize(eye - at));
    put_coat(vec4(1.0, 0.0, 0.0, 0.0));
    vec3 base = patterned(at, n);
    vec3 sum = base * (key_light * (max(dot(n, key), 0.0) * lit.x) + sky_above * lit.y);
    sum = mirroring(sum, base, n, v, lit.y, 0.0);
#else
    vec3 sum = paper * (key_light * (key.z * lit.x) + sky_above * lit.y);
#endif
#ifdef OUTDOORS
#ifdef SEA
    vec3 v = view_from(normalize(eye - at));
    /* As in liquid_fragment.glsl. */
    float steep = 0.04 + 0.14 * clamp(length(flow) / sqrt(9.81 * cell), 0.0, 1.0);
    vec2 slopes = steep * ripple_slopes(ripples, at.xy, flow, 14.0 * cell, time);
    vec3 n = normalize(vec3(-slopes, 1.0)), mirrored = reflect(-v, n);
    mirrored.z = abs(mirrored.z);
    sum = mix(sum, surroundings(mirrored, 0.1), reflected(0.02, max(dot(n, v), 0.02)));
#endif
    vec3 away_from_eye = at - eye;
    float length_of = length(away_from_eye);
    colour = vec4(through_air(sum, away_from_eye / length_of, length_of / (1.0 - smoothstep(0.3, 1.0, far) * 0.999)), 1e4);
#else
    sum *= mix(1.0, 0.72, smoothstep(0.004, 0.1, far));
    colour = vec4(back_wall(mix(sum, paper_lit, smoothstep(0.05, 0.6, far)), -view_from(normalize(eye - at))), 1e4);
#endif
#ifdef SEA
    if (all(lessThan(abs((at.xy - level_patch.xy) * level_patch.zw - 0.5), vec2(0.5)))) discard;
#endif
}
