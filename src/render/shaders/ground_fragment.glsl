in vec3 at;
in vec3 facing; /* normal */
in vec3 shaded;
in vec3 tinted;
#ifdef MATERIAL
in vec4 coat; /* share of each coat of material.glsl */
#endif
uniform vec3 ground;
uniform float gloss;
uniform float wetness; /* 1: wet ground looks wet; 0: it looks dry */
uniform sampler2D ripples; /* render/ripples.h */
uniform float cell;        /* m */
#ifdef BODY
uniform sampler2D levels;  /* height of the liquid (m above `low`) times coverage, coverage */
uniform vec4 level_patch;  /* corner of `levels` (m), then 1/size (1/m) */
uniform float low;         /* m */
uniform float touched;     /* 1: there are levels */
#endif
#ifdef DRAPED
uniform sampler2D drape;   /* a picture of the ground from above */
uniform vec4 drape_patch;  /* its corner in the north-west (m), then 1/size (1/m), south counting as positive */
#endif
#ifdef GLASS
uniform sampler2D layers; /* as for the liquid */
uniform float full_depth; /* m */
#endif
out vec4 colour;

#ifdef GLASS
/* The share of the lamp's light that reaches the floor of the glass through the liquid in it. What lies below liquid is
   tinted when that is drawn. */
vec3 lamp_through_liquid() {
    float path = path_through(at, key, 3.0 * full_depth, grain_here());
    vec3 through = texture(layers, vec2(layer_at(path / full_depth), 0.75)).rgb;
    vec3 above = at + vec3(0.0, 0.0, 0.5 * cell);
    bool below = liquid_at(above) > 0.5 && wall_at(above) < 0.5;
    return below ? vec3(1.0) : pow(max(through - 0.003, vec3(0.0)), vec3(0.4)); 
}
#endif

#if defined(SOIL) && !defined(BODY)
/* Random detail, 0 to 1, that repeats after `cells` cells. It fades where it repeats within a few pixels. Ground seen at
   a slant is blurred by less than the longer side of a pixel, so that it is not smeared. */
float spots(vec2 place, float cells) {
    float x = length(dFdx(at)), y = length(dFdy(at)), slant = 0.5 * abs(log2(max(x, 1e-9) / max(y, 1e-9)));
    float seen = texture(ripples, place / (cells * cell), -min(0.7 * slant, 1.3)).a;
    return mix(0.5, seen, clamp(cells * cell / (40.0 * sqrt(x * y)) - 0.5, 0.0, 1.0));
}

/* Tilts the normal n as lumps of this height (m) do. */
vec3 lumpy(vec3 n, float height) {
    vec3 x = dFdx(at), y = dFdy(at), along_x = cross(y, n), along_y = cross(n, x);
    float area = dot(x, along_x);
    vec3 slope = (dFdx(height) * along_x + dFdy(height) * along_y) / (abs(area) < 1e-20 ? 1e-20 : area);
    return normalize(n - slope / (1.0 + 0.8 * length(slope)));
}

/* Natural ground: spots and lumps; if it is green, lush and dry patches, and bare rock in layers where it is steep. */
vec3 soil(vec3 base, float wet, inout vec3 n) {
    vec2 place = n.z > 0.4 ? at.xy : vec2(at.x + at.y, 1.5 * at.z), turned = mat2(0.8, 0.6, -0.6, 0.8) * place;
    vec4 s = vec4(spots(place, 40.0), spots(turned, 11.0), spots(mat2(0.3, 0.95, -0.95, 0.3) * place, 4.3), spots(turned, 1.2)) - 0.5;
    float fine = 0.5 + dot(s, vec4(0.3, 0.35, 0.4, 0.4));
    float steep = 1.0 - smoothstep(0.62, 0.84, n.z + 0.4 * (fine - 0.5));
    /* No lumps where `place` changes: there would be a crease. */
    float high = cell * (1.0 - 0.8 * wet) * smoothstep(0.0, 0.15, abs(n.z - 0.4));
    n = lumpy(n, high * dot(s, vec4(0.0, 0.6, 0.35, 0.1)));
    vec3 patches = vec3(1.0), bare = 0.8 * base;
#ifdef GREEN
    float wide = 0.4 * spots(turned, 830.0) + 0.36 * spots(place, 190.0) + 0.24 * spots(turned, 67.0);
    float green = smoothstep(0.03, 0.08, 1.0 - ground.r / max(ground.g, 1e-3));
    float dry = smoothstep(0.38, 0.62, wide + 0.5 * (fine - 0.5));
    patches = mix(patches, mix(vec3(0.62, 0.76, 0.60), vec3(1.26, 1.12, 0.98), dry), green);
    float layered = spots(vec2(0.1 * place.x, at.z), 13.0) + spots(place, 17.0);
    vec3 rock = dot(base, vec3(0.3, 0.6, 0.1)) * vec3(1.5, 1.34, 1.18) * (0.3 + 0.7 * layered);
    bare = mix(bare, rock, green);
#endif
    return mix(base * patches * (0.35 + 1.3 * fine), bare, steep);
}
#endif

#ifdef BODY
/* How high this point is above the liquid around it (cells); 1000: there is none. */
float above_liquid() {
    vec2 found = texture(levels, (at.xy - level_patch.xy) * level_patch.zw).rg;
    return touched * found.y > 0.3 ? (at.z - low - found.x / found.y) / cell : 1000.0;
}
#endif

#if defined(BODY) && defined(OUTDOORS)
/* Random detail on a surface with the normal n that lies any way: the mean of what it is along the three axes. */
vec4 all_around(vec3 p, vec3 n) {
    return n.x * n.x * texture(ripples, p.yz) + n.y * n.y * texture(ripples, p.zx) + n.z * n.z * texture(ripples, p.xy);
}
#endif

void main() {
    vec3 n = normalize(facing), whole = n, to_eye = eye - at; /* whole: the normal without fine detail */
    float closer = inversesqrt(dot(to_eye, to_eye));
    vec3 v = view_from(to_eye * closer);
    float open = mix(1.0, 0.16 + shaded.x * (0.24 + 0.6 * shaded.x), occlusion), wet = wetness * shaded.y;
#ifdef BODY
    /* A line that liquid has wetted, up to a ragged height, and less light just above the liquid. */
    float above = above_liquid(), ragged = 0.35 + 0.6 * texture(ripples, (at.xy + at.zz) / (9.0 * cell)).a;
    wet = 0.8 * (1.0 - smoothstep(0.6 * ragged, ragged, above));
    open *= mix(mix(1.0, 0.55, occlusion), 1.0, smoothstep(-0.5, 2.0, above));
#endif
#if defined(BODY) && defined(OUTDOORS)
    /* Green parts are leaves: matt, spotted, tilted all ways, and ragged along their outline. */
    float leafy = smoothstep(0.2, 0.35, 1.0 - max(tinted.r, tinted.b) / max(tinted.g, 1e-3));
    vec4 leaves = 0.45 * all_around(at / (7.0 * cell), n) + 0.55 * all_around(at.yxz / (2.3 * cell), n.yxz);
    if (dot(n, v) < leafy * (3.6 * leaves.a - 1.45)) discard;
    n = normalize(n + leafy * vec3(3.6 * leaves.xy - 1.8, 2.0 * leaves.z - 1.0));
#endif
#ifdef MATERIAL
    put_coat(coat);
    vec3 base = tinted * patterned(at, n);
#ifdef OUTDOORS
    /* Weather leaves stains, and bares layers where ground is steep. */
    float stains = texture(random_detail, 0.9 * (at.xy + at.zx) / pattern).a + texture(random_detail, 0.31 * at.yx / pattern).a;
    float layered = texture(random_detail, vec2(0.4 * (at.x + at.y), 5.0 * at.z) / pattern).a;
    base *= mix(vec3(0.68, 0.6, 0.52), vec3(1.16, 1.14, 1.1), clamp(mix(0.5 * stains, layered, 0.6 * (1.0 - n.z)) * 2.4 - 0.7, 0.0, 1.0));
#endif
#else
    vec3 base = ground * tinted * (1.0 + (shaded.z - 0.5) * vec3(0.14, 0.18, 0.24));
#endif
#if defined(SOIL) && !defined(BODY)
#ifdef MATERIAL
    vec3 rough = n, natural = soil(base, wet, rough);
    base = mix(base, natural, coat.x); /* coats have none */
    n = normalize(mix(n, rough, coat.x));
#else
    base = soil(base, wet, n);
#endif
#endif
#if defined(BODY) && defined(OUTDOORS)
    base *= mix(1.0, 0.12 + 2.3 * smoothstep(0.3, 0.75, leaves.a), leafy);
#endif
#ifdef DRAPED
    vec4 seen = texture(drape, (at.xy - drape_patch.xy) * drape_patch.zw);
    base = mix(base, seen.rgb, seen.a * smoothstep(0.1, 0.3, n.z)); /* on walls it would be streaks */
#endif
    /* Light stays longer in a wet surface before it leaves, so wet ground is darker and its colour stronger. */
    base *= mix(vec3(1.0), 0.46 + 0.46 * base, wet);
#ifdef MATERIAL
    float spreads = polish.w; /* light in what it enters */
#else
    float spreads = 0.0;
#endif
    /* Where the surface as a whole faces away from the lamp, fine detail stays dark, too. */
    float towards = clamp((dot(n, key) + spreads) / (1.0 + spreads), 0.0, max(3.0 * dot(whole, key) + 3.0 * spreads, 0.0));
    /* A hollow sees less of the sky, but its own walls reflect some of that light, tinted by their colour. */
    vec3 hollow = open * (1.0 + 0.75 * base * (1.0 - open));
    vec3 lamp = key_light * (towards * on_wet(lamp_seen(at, whole), wet));
#ifdef GLASS
    vec3 passes = mix(vec3(1.0), lamp_through_liquid(), occlusion);
    lamp *= passes;
    hollow *= mix(vec3(1.0), passes, 0.4);
#endif
    vec3 sum = base * (lamp + sky_on(n) * hollow);
#ifdef MATERIAL
    sum = mirroring(sum, base, n, v, open, wet);
#else
    float shine = max(gloss, 0.85 * wet);
    float f = reflected(0.04, dot(n, v)) * shine * open;
#if defined(BODY) && defined(OUTDOORS)
    f *= 1.0 - leafy;
#endif
#ifdef BODY
    sum += f * (surroundings(reflect(-v, n), 0.25) - sum);
#else
    sum += f * (glow(reflect(-v, n), shine) - sum);
#endif
#endif
    sum = through_air(sum, -to_eye * closer, 1.0 / closer);
    colour = vec4(min(sum, vec3(4.0)), 1.0 / closer);
}
