/* Turns light into pixels: averages the samples, compresses brightness, encodes as sRGB. */
in vec2 square;
uniform sampler2D picture;
uniform float exposure;
out vec4 colour;

/* A tone curve like that of film: darkens the darkest values, which keeps colours deep, and compresses values above the
   knee into the range up to 1. */
vec3 squeeze(vec3 c) {
    const float knee = 0.68;
    c *= c / (c + 0.012);
    vec3 over = max(c - knee, 0.0) / (1.0 - knee);
    return min(c, knee) + (1.0 - knee) * over / (1.0 + over);
}

/* Linear light as sRGB, within a tenth of one of the 256 levels: roots are faster than powers. */
vec3 encode(vec3 c) {
    vec3 root = sqrt(max(c, 0.0031308)), low = 12.92 * c;
    vec3 high = 0.8337605 * root + 0.2980992 * sqrt(root) - 0.0553171 * c - 0.0769012;
    return mix(high, low, vec3(lessThanEqual(c, vec3(0.0031308))));
}

/* The light of a texel of the picture, which must be inside, times the exposure, at most 1.8. */
vec3 light_at(ivec2 texel) {
    return min(exposure * texelFetch(picture, texel, 0).rgb, 1.8); /* brighter samples would dominate their pixel */
}

#if SAMPLES > 1
/* The average of the samples of this pixel. */
vec3 pixel() {
    ivec2 first = ivec2(gl_FragCoord.xy) * SAMPLES;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < SAMPLES; y++)
        for (int x = 0; x < SAMPLES; x++) sum += light_at(first + ivec2(x, y));
    return sum / float(SAMPLES * SAMPLES);
}
#else
/* How bright a colour looks, 0 for black. */
float grey(vec3 c) {
    return sqrt(dot(c, vec3(0.25, 0.5, 0.25)));
}

/* One sample per pixel leaves jagged edges. Where brightness changes, mixes it with its neighbours along the edge: those
   of the two nearest of eight directions. Single texels are faster than interpolated ones. */
vec3 pixel() {
    ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(picture, 0) - 1;
    ivec2 low = max(at - 1, 0), high = min(at + 1, last);
    vec3 sw = light_at(low), se = light_at(ivec2(high.x, low.y)), nw = light_at(ivec2(low.x, high.y)), ne = light_at(high);
    float rising = grey(ne) - grey(sw), falling = grey(se) - grey(nw);
    vec2 slope = vec2(rising + falling, rising - falling), size = abs(slope);
    vec3 slanted = slope.x * slope.y > 0.0 ? nw + se : ne + sw; /* along the edge, which is across the slope */
    bool upright = size.x > size.y;
    ivec2 one = upright ? ivec2(at.x, high.y) : ivec2(high.x, at.y), other = upright ? ivec2(at.x, low.y) : ivec2(low.x, at.y);
    vec3 straight = light_at(one) + light_at(other);
    vec3 beside = 0.5 * mix(straight, slanted, min(size.x, size.y) / max(max(size.x, size.y), 1e-4));
    return mix(light_at(at), beside, 0.75 * smoothstep(0.08, 0.4, length(slope)));
}
#endif

void main() {
    vec3 sum = squeeze(pixel());
    /* Noise of less than one of the 256 levels, so that gradients show no bands. */
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    colour = vec4(encode(sum) + (grain - 0.5) / 255.0, 1.0);
}
