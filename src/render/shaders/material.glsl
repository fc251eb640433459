/* What solid is made of: a pattern in space, and how it reflects. Everything fine comes from the texture of random
   detail, whose smaller copies are smooth, so that nothing flickers where the pattern is finer than a pixel. */
#ifdef MATERIAL
uniform sampler2D random_detail; /* render/ripples.h */
uniform float pattern;    /* m, size of the pattern */
/* Up to four coats, the first for what has no other: */
uniform vec3 colours[4];
uniform vec3 pales[4], darks[4]; /* the lightest and the darkest colour of the pattern, as shares of the colour */
uniform vec4 figures[4];  /* rings in the pattern's size, how far they are bent, their share, width of staves (0: none) */
uniform vec4 grains[4];   /* how much longer than wide, how often in the pattern's size, share, steepness */
uniform vec4 polishes[4]; /* reflected share, blur of what is mirrored, share of metal, softness of the light */
vec3 pale, dark;          /* of the coat here */
vec4 figure, grain, polish;

/* Mixes the coats; s: the share of each. */
void put_coat(vec4 s) {
    pale = s.x * colours[0] * pales[0] + s.y * colours[1] * pales[1] + s.z * colours[2] * pales[2] + s.w * colours[3] * pales[3];
    dark = s.x * colours[0] * darks[0] + s.y * colours[1] * darks[1] + s.z * colours[2] * darks[2] + s.w * colours[3] * darks[3];
    figure = s.x * figures[0] + s.y * figures[1] + s.z * figures[2] + s.w * figures[3];
    grain = s.x * grains[0] + s.y * grains[1] + s.z * grains[2] + s.w * grains[3];
    polish = s.x * polishes[0] + s.y * polishes[1] + s.z * polishes[2] + s.w * polishes[3];
}

/* The texture of random detail in space at q, on a surface with these shares of the three axes. */
vec4 detail(vec3 q, vec3 shares) {
    return shares.x * texture(random_detail, q.yz) + shares.y * texture(random_detail, q.zx) + shares.z * texture(random_detail, q.xy);
}

/* A random number from 0 to 1 for a whole number. */
float chance(float number) {
    return fract(43758.547 * sin(12.9898 * number));
}

/* The colour of a point p (m) with the unit normal n, which becomes rough. */
vec3 patterned(vec3 p, inout vec3 n) {
    vec3 q = p / pattern, shares = n * n;
    shares *= shares;
    shares /= shares.x + shares.y + shares.z;
    float stave = figure.w > 0.0 ? q.y / figure.w : 0.5, edge = abs(fract(stave) - 0.5), fine = fwidth(stave);
    float number = floor(stave), seam = figure.w > 0.0 ? smoothstep(0.492 - fine, 0.5, edge) / (1.0 + 40.0 * fine) : 0.0;
    q += figure.w > 0.0 ? 3.0 * vec3(chance(number), chance(number + 7.0), 0.0) : vec3(0.0);
    vec3 wide = detail(0.21 * q, shares).xyw, along = q * vec3(1.0, grain.x, grain.x);
    /* Rings around an axis below, as in a trunk. */
    float turn = length(vec2(q.y - 1.7 * number * figure.w - 0.3, q.z + 0.45 + 0.05 * q.x) + figure.y * (wide.xz - 0.5)) * figure.x;
    float ring = smoothstep(0.0, 0.8, fract(turn)) * (1.0 - smoothstep(0.86, 1.0, fract(turn)));
    ring = mix(ring, 0.45, smoothstep(0.25, 0.7, fwidth(turn)));
    vec4 coarse = detail(grain.y * along, shares), small = detail(3.7 * grain.y * mat3(0.8, 0.6, 0.0, -0.48, 0.64, 0.6, 0.36, -0.48, 0.8) * along, shares);
    float spots = 0.5 + 1.4 * (0.4 * coarse.a + 0.6 * small.a - 0.5) + 0.9 * (wide.z - 0.5);
    float tone = clamp(mix(0.5, ring, figure.z) + grain.z * (spots - 0.5), 0.0, 1.0);
    tone += figure.w > 0.0 ? 0.35 * (chance(number + 3.0) - 0.5) * (1.0 - smoothstep(0.25, 0.7, fine)) : 0.0;
    vec2 slope = coarse.xy + small.xy - 1.0;
    vec3 rough = shares.x * vec3(0.0, slope) + shares.y * vec3(slope.y, 0.0, slope.x) + shares.z * vec3(slope, 0.0);
    n = normalize(n - grain.w * (rough - n * dot(rough, n)));
    return mix(dark, pale, clamp(tone, 0.0, 1.0)) * (1.0 - 0.6 * seam);
}

/* The light that leaves a surface: `matt` of it is scattered, and the room is mirrored where `open` of it is seen.
   wet: liquid on it mirrors sharply. base: its colour. */
vec3 mirroring(vec3 matt, vec3 base, vec3 n, vec3 v, float open, float wet) {
    float f = reflected(polish.x, max(dot(n, v), 0.0)), blur = mix(polish.y, 0.08, 0.7 * wet);
    f = mix(f * mix(0.25, 1.0, exp(-3.0 * polish.y)), f, wet); /* rough surfaces shade themselves at a slant */
    vec3 image = surroundings(reflect(-v, n), blur) * (0.15 + 0.85 * open);
    return mix(mix(matt, image, f), base * image, polish.z);
}
#endif
