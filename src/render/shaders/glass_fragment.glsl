/* Surfaces of solid that is clear glass. Seen from inside the solid, with liquid behind them (INSIDE), they are the
   side of the liquid; otherwise they are films that mirror the lamps. */
in vec3 at;
in vec3 facing;
uniform float solid_top; /* m: solid above this height is glass */
uniform float cell;      /* m */
uniform highp sampler3D contents; /* render/contents.h */
uniform vec3 contents_low, contents_size; /* m */
#ifdef INSIDE
uniform sampler2D ground_seen; /* the picture so far; alpha: distance from the eye (m) */
uniform sampler2D layers;      /* as for the liquid */
uniform float full_depth;      /* m */
#endif
out vec4 colour;

/* How far below the surface of a liquid point p is: 0.5 at the surface, 0 where there is none. */
float liquid_at(vec3 p) {
    vec3 place = (p - contents_low) / contents_size;
    return all(lessThan(abs(place.xy - 0.5), vec2(0.5))) ? textureLod(contents, place, 0.0).r : 0.0;
}

/* The same in front of this surface: farther aside than up, because boxes are as wide as cells but change little from one
   to the next. n: its normal. */
float liquid_before(vec3 n) {
    return liquid_at(at + cell * vec3(0.7 * n.xy, 0.12 * n.z));
}

#ifdef INSIDE
const int steps = 24;

/* How far the line of sight runs through liquid (m), at most `most`, if the floor of the glass mirrors it: otherwise the
   liquid would fade towards its foot, where the floor is near. d: unit vector away from the eye. */
float path_through(vec3 d, float most) {
    float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))), sum = 0.0;
    for (int i = 0; i < steps; i++) {
        float way = most * (float(i) + grain) / float(steps);
        vec3 p = at + d * (way + 0.3 * cell);
        p.z = solid_top + abs(p.z - solid_top);
        sum += smoothstep(0.35, 0.65, liquid_at(p));
    }
    return sum * most / float(steps);
}

void main() {
    vec3 n = normalize(facing), to_eye = eye - at;
    float far = length(to_eye), wet = liquid_before(n);
    vec3 v = view_from(to_eye / far);
    vec4 seen = texelFetch(ground_seen, ivec2(gl_FragCoord.xy), 0);
    if (at.z < solid_top) discard;
#ifdef BEHIND
    /* The far wall of the liquid: only its depth is drawn. */
    if (wet < 0.05) discard;
    colour = seen;
#else
    if (wet < 0.5) discard;
    float path = path_through(-v, 2.0 * full_depth);
    float along = clamp(sqrt(path / full_depth), 0.0, 1.0) * 255.0 / 256.0 + 0.5 / 256.0;
    vec3 self = texture(layers, vec2(along, 0.25)).rgb, through = texture(layers, vec2(along, 0.75)).rgb;
    /* Light comes into it from all sides, as through its surface. */
    float towards = 0.35 + 0.65 * max(dot(-n, key), 0.0);
    vec3 light = key_light * towards * lamp_seen(at, -n) + sky_on(-n);
    vec3 sum = self * light + through * seen.rgb;
    colour = vec4(min(sum, vec3(4.0)), far);
#endif
}
#else
void main() {
    vec3 n = normalize(facing), to_eye = eye - at;
    float far = length(to_eye);
    vec3 v = view_from(to_eye / far);
    if (at.z < solid_top) discard;
    float wet = smoothstep(0.45, 0.55, liquid_before(n)); /* where the liquid has nearly the index of glass */
    if (!gl_FrontFacing) n = -n;
    float facing_eye = clamp(dot(n, v), 0.0, 1.0), aside = 1.0 - facing_eye;
    float f = reflected(0.04, facing_eye) * (1.0 - 0.9 * wet);
    float spread = min(2.0 * (length(dFdx(n)) + length(dFdy(n))), 0.5);
    vec3 image = surroundings(reflect(-v, n), 0.12 + spread);
    float dim = 0.05 + 0.30 * aside * aside;
    colour = vec4(f * image + 0.35 * dim * vec3(0.75, 0.95, 0.9) * sky_on(n) * (1.0 - wet), f + dim * (1.0 - wet));
}
#endif
