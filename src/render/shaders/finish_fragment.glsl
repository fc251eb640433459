/* Light to the numbers of a picture: samples averaged, brightness squeezed, sRGB. */
in vec2 square;
uniform sampler2D picture;
uniform float exposure;
uniform int scale; /* texels of a pixel, along a side */
out vec4 colour;

/* Like film: the darkest is darker still, which keeps colours deep, and what is brighter than the knee is squeezed into
   what is left. */
vec3 squeeze(vec3 c) {
    c *= c / (c + 0.012);
    const float knee = 0.68;
    vec3 over = max(c - knee, 0.0) / (1.0 - knee);
    return min(c, knee) + (1.0 - knee) * over / (1.0 + over);
}

vec3 encode(vec3 c) {
    vec3 low = 12.92 * c, high = 1.055 * pow(max(c, 0.0031308), vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, vec3(lessThanEqual(c, vec3(0.0031308))));
}

void main() {
    ivec2 first = ivec2(gl_FragCoord.xy) * scale;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < scale; y++)
        for (int x = 0; x < scale; x++) sum += squeeze(exposure * texelFetch(picture, first + ivec2(x, y), 0).rgb);
    sum /= float(scale * scale);
    /* Less than a step of the picture's 256, so that gradients have no bands. */
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    colour = vec4(encode(sum) + (grain - 0.5) / 255.0, 1.0);
}
