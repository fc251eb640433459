/* The floor around the scene. */
in vec3 at;
in vec2 square;
uniform vec3 paper;     /* colour of the floor */
uniform vec3 paper_lit; /* colour that it fades to far away */
uniform vec4 patch_of; /* part of the floor that floor_light covers: corner (m), then 1/size (1/m) */
uniform sampler2D floor_light;
out vec4 colour;

void main() {
    float far = dot(square, square);
    vec2 lit = mix(vec2(1.0), texture(floor_light, clamp((at.xy - patch_of.xy) * patch_of.zw, 0.0, 1.0)).rg, occlusion);
    vec3 sum = paper * (key_light * (key.z * lit.x) + sky_above * lit.y);
#ifdef OUTDOORS
    vec3 away_from_eye = at - eye;
    float length_of = length(away_from_eye);
    colour = vec4(through_air(sum, away_from_eye / length_of, length_of / (1.0 - smoothstep(0.3, 1.0, far) * 0.999)), 1e4);
#else
    sum *= mix(1.0, 0.72, smoothstep(0.004, 0.1, far));
    colour = vec4(mix(sum, paper_lit, smoothstep(0.05, 0.6, far)), 1e4);
#endif
}
