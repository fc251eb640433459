/* A map of the light on the floor. Red: share of the lamp that is visible; green: share of the sky. */
in vec2 square;
uniform vec4 patch_of; /* corner of the map (m), then 1/size (1/m) */
uniform float height;  /* m, of the floor */
uniform sampler2D openness;
out vec4 colour;

void main() {
    vec2 map = 0.5 * square + 0.5;
    vec3 s = (to_shadow * vec4(patch_of.xy + map / patch_of.zw, height, 1.0)).xyz;
    float sum = 0.0;
    vec2 towards = vec2(1.0, 0.0);
    for (int i = 0; i < 40; i++) { /* a spiral of samples; each stands for the same area of the disc */
        float far = 17.0 * sqrt((float(i) + 0.5) / 40.0);
        sum += texture(shadow_map, s + vec3(shadow_texel * far * towards, -0.002));
        towards = golden_turn * towards;
    }
    colour = vec4(sum / 40.0, texture(openness, map).r, 0.0, 1.0);
}
