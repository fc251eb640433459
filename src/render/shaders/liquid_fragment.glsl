in vec3 at;
in vec3 facing;
in vec4 within;
in vec4 bend;
in vec4 flowing;
in vec3 ringed;
in float deep;     /* m, from the surface straight down to the ground */
in float mirrored; /* 0 to 1: how free of solid the mirrored direction is */
uniform mat4 to_clip;
uniform sampler2D ground_seen; /* the picture so far; alpha: distance from the eye (m) */
uniform sampler2D ground_bare; /* like ground_seen, without bodies */
uniform sampler2D layers;      /* row 0: light that a layer reflects; row 1: light that it lets through; x: root of its opacity */
uniform float full_depth;      /* m */
uniform float refraction;
uniform float straight; /* reflected share of light at normal incidence */
uniform float metal;
uniform float murky; /* 1: it scatters light */
uniform float thin; /* m, thinner films mirror less */
uniform float wetness; /* 1: the ground below is wet; 0: it looks dry */
uniform float beads; /* 1: steep edges have normals of their own, because contact angles shape them; 0: they have not */
uniform vec3 ground;
uniform float focusing; /* 1: the surface focuses the light of the lamp on the ground; 0: it does not */
uniform float tinting;  /* 1: falling liquid tints the light of the lamp; 0: it does not */
uniform float soaks;    /* 1: the ground below is drawn dry; 0: it is drawn as wet as it is */
uniform float bare;     /* 1: what is seen through the liquid is not tinted yet; 0: it is */
uniform sampler2D ripples; /* render/ripples.h */
uniform float cell;        /* m */
uniform float time;        /* s */
uniform float ring_moved;  /* radians, of rings of waves */
out vec4 colour;

#ifdef OUTDOORS
/* The web of foam (0 to 1, highest along its threads) of render/ripples.h, which drifts with the flow as ripples do. A
   copy of it covers `size` (m). */
float web(float size) {
    drift d = drift_at(at.xy, flowing.xy, size, time);
    return mix(texture(ripples, d.one).z, texture(ripples, d.other + 0.37).z, d.share);
}

/* Speed of the liquid relative to that of waves as long as a cell, at most 1. */
float haste() {
    return clamp(length(flowing.xy) / sqrt(9.81 * cell), 0.0, 1.0);
}

/* The share of white: a lace, which is denser where there is more foam. Bubbles of a finer web break up its threads. */
float foam() {
    float dense = clamp(flowing.z, 0.0, 1.0), bubbles = web(3.7 * cell);
    float threads = web(14.0 * cell) + 0.5 * (bubbles - 0.6);
    return 0.9 * smoothstep(1.0 - 0.8 * dense, 1.4 - 0.6 * dense, threads) * (0.4 + 0.6 * smoothstep(0.35, 0.7, bubbles));
}
#endif

#ifdef CLOSED
/* The share of white of a 3D liquid with air in it, which rises: a lace near its top, denser where there is more air. */
float froth() {
    float dense = flowing.z * (1.0 - smoothstep(0.5, 4.0, ringed.x / cell));
    vec2 p = (at.xy + (at.z - 0.25 * time) * vec2(0.6, -0.8)) / (9.0 * cell); /* bubbles rise by 0.25 m/s */
    float threads = 0.6 * texture(ripples, p).z + 0.4 * texture(ripples, 3.1 * p + 0.37).z;
    return 0.9 * smoothstep(1.0 - 0.9 * dense, 1.4 - 0.9 * dense, threads);
}
#endif

#ifdef FALLS
/* How much this is a falling sheet: 0 at its lip and elsewhere, 1 from a cell below the lip on. */
float falls() {
    return smoothstep(0.3, 1.2, flowing.w / sqrt(2.0 * cell / 9.81));
}

/* Strands of a falling sheet or jet with the level normal `out_of`, which move as they fall: what left the lip at the
   same time stays together. fallen: time since then (s). x, y: tilt along the sheet and downwards, z: thickness; all
   from -1 to 1. */
vec3 strands(vec2 out_of, float fallen) {
#ifdef OUTDOORS
    float size = 9.0 * cell;
#else
    float size = max(9.0 * cell, 0.03); /* surface tension makes no thinner strands */
#endif
    float released = (time - fallen) / (9.0 * sqrt(size / (9.0 * 9.81)));
    vec2 side = abs(out_of) / max(abs(out_of.x) + abs(out_of.y), 1e-4);
    vec4 one = texture(ripples, vec2(at.y / size, released)), other = texture(ripples, vec2(at.x / size + 0.37, released));
    return 2.0 * mix(other, one, smoothstep(0.3, 0.7, side.x)).xyw - 1.0;
}
#endif

/* The light that comes out of a jet, a drop or a steep side with this normal, from all around it: of the lamp, mostly on
   the far side from it, and of the sky. lit, open: share of the lamp and of the sky that is seen. */
vec3 gathered_light(vec3 n, float lit, float open) {
    return lit * key_light * (0.16 + 0.12 * clamp(-dot(n.xy, key.xy), -1.0, 1.0)) + 0.55 * open * sky_on(vec3(-n.xy, 0.0));
}

#ifndef FALLS
/* How thick a layer is across by how deep it is. That is the cosine of the slope where surface and ground are steep in
   the same direction, as in a film down a wall, but such a film gathers into strands: its root. 1 over level ground, below
   a level surface, and where there are no columns. n: normal of the triangle. */
float thinness(vec3 n) {
    vec3 ground_x = dFdx(at) - vec3(0.0, 0.0, dFdx(deep)), ground_y = dFdy(at) - vec3(0.0, 0.0, dFdy(deep));
    vec3 below = cross(ground_x, ground_y);
    float up = n.z * below.z, steep = max(dot(n.xy, below.xy) * sign(up), 0.0) / max(abs(up), 1e-4 * length(below) + 1e-30);
    return within.z < 0.0 ? 1.0 : inversesqrt(sqrt(1.0 + steep));
}
#endif

/* The normal n, tilted by the meniscus; share: of the full tilt. */
vec3 bent_normal(vec3 n, vec3 v, float share) {
    float size = length(bend.xy);
    vec2 d = bend.xy / max(size, 1e-6);
    rn_normal flat_one = rn_normal_of(n.x, n.y, n.z), view = rn_normal_of(v.x, v.y, v.z), t;
#ifdef UNCAPPED
    t = rn_meniscus_tilt(flat_one, d.x, d.y, bend.z * share);
#else
    t = rn_meniscus_shade(flat_one, d.x, d.y, bend.z, share, view);
#endif
    return size < 1e-3 || bend.w <= 0.0 ? n : vec3(t.x, t.y, t.z);
}

/* One texel without interpolation, which would mix a body with what is behind it. */
vec4 texel_at(sampler2D picture, vec2 place) {
    return texelFetch(picture, ivec2(place * vec2(textureSize(picture, 0))), 0);
}

/* How much of the way from own to own + aside (0 to 1 across the picture) one can go until something is nearer to the eye
   than the liquid, which is at the distance `far` (m): 0 to 1. */
float free_way(vec2 own, vec2 aside, float far) {
    if (texel_at(ground_seen, own + aside).a >= far) return 1.0;
    float low = 0.0, high = 1.0;
    for (int i = 0; i < 6; i++) {
        float middle = 0.5 * (low + high);
        if (texel_at(ground_seen, own + middle * aside).a < far) high = middle;
        else low = middle;
    }
    return low;
}

/* The picture where the ray that is refracted at the surface meets the ground, `depth` (m) below; alpha: its distance
   from the eye (m). n: normal; v: unit vector towards the eye. If something in front hides that place, the
   picture beside its outline. p: the point that is seen (m). */
vec4 ground_through(vec3 n, vec3 v, float depth, out vec3 p) {
    vec4 here = to_clip * vec4(at, 1.0);
    vec2 own = here.xy / here.w * 0.5 + 0.5;
    vec3 ray = refract(-v, n, 1.0 / refraction);
    vec4 there = to_clip * vec4(at + ray * (depth / max(-ray.z, 0.35)), 1.0);
    vec2 aside = there.xy / there.w * 0.5 + 0.5 - own;
    aside /= 1.0 + 9.0 * length(aside); /* limited: a place far aside is often hidden, or outside the picture */
    /* Mirrored at the edges of the picture: its outermost pixels, repeated, would be stripes. */
    vec2 bent = clamp(1.0 - abs(1.0 - abs(own + aside)), 0.001, 0.999);
    /* Things in front of the liquid must not be seen through it. What is seen at their outlines instead changes gradually. */
    float far = distance(at, eye);
    bent = mix(own, bent, free_way(own, bent - own, far));
    vec4 seen = texel_at(ground_seen, bent);
#ifndef BODIES
    vec4 smoothed = texture(ground_seen, bent); /* where it does not mix what is near with what is far */
    seen = mix(smoothed, seen, step(0.1 * depth + 0.001 * far, abs(smoothed.a - seen.a)));
#endif
    p = point_seen(2.0 * bent - 1.0, seen.a);
    /* The picture has distances of 11 bits only: on level ground, the depth is more precise. */
    vec3 along = view_from(normalize(eye - p));
    float off = (at.z - depth - p.z) / max(along.z, 0.1);
    if (abs(off) < 0.001 * far) p += off * along;
    return seen;
}

#ifdef MURKY
/* The light of the ground at p as if its lamp were hidden as it is at the surface, `here`, the more the liquid scatters
   (0 to 1): otherwise a shadow would have two edges, one on the surface and one on the ground. */
vec3 with_one_shadow(vec3 light, vec3 p, float here, float scattered) {
    float there = on_wet(lamp_seen(p, vec3(0.0, 0.0, 1.0)), wetness);
    /* Wet ground mirrors the sky in a shadow, too: as much light as if it were lit by `sheen`. */
    vec3 v = view_from(normalize(eye - p));
    vec3 sheen = 0.85 * wetness * reflected(0.04, v.z) * glow(reflect(-v, vec3(0.0, 0.0, 1.0)), 0.85) / max(0.5 * ground, 0.02);
    vec3 lamp = key_light * key.z, rest = 0.8 * sky_above + sheen;
    return light * (lamp * mix(there, here, scattered) + rest) / (lamp * there + rest);
}
#else
/* How bright the ground at p is with the light that the surface focuses there: 1 for a level surface, or in the shade.
   The map has none where light is bent away from the rim of the liquid. Films are too thin to bend it far; the map, which
   is coarser than that, would have a dark line along their rims. */
float focused_at(vec3 p) {
    vec3 s = (to_shadow * vec4(p, 1.0)).xyz;
    vec2 r = 1.3 / vec2(textureSize(lamp_map, 0)); /* two places: triangles of the surface must not show */
    float light = 2.0 * (texture(lamp_map, s.xy + r).a + texture(lamp_map, s.xy - r).a);
    float lit = near(s - vec3(0.0, 0.0, 0.003));
    float focus = mix(1.0, min(light, 3.0), smoothstep(0.1, 0.5, light));
    return mix(1.0, focus, 0.74 * focusing * lit * smoothstep(0.3, 1.2, deep / cell)); /* 0.74: the lamp's share of the light */
}

/* How much brighter level ground at p is with shadows that ripples and the size of the lamp have blurred on their way
   through this depth (m) of liquid. Each look into the map goes as far towards the lamp as aside: slopes, and what is
   near the ground, do not shade themselves. open: the share of the sky that is seen. */
vec3 blurred_shadow(vec3 p, float depth, float open) {
    float grain = grain_here();
    float own = on_wet(lamp_seen(p, vec3(0.0, 0.0, 1.0)), wetness), seen = 0.0;
    vec3 aside = normalize(vec3(-key.y, key.x, 1e-4)), ahead_of = cross(key, aside);
    vec2 towards = vec2(cos(6.2831853 * grain), sin(6.2831853 * grain));
    for (int i = 0; i < 12; i++) { /* on a spiral, an equal share of the disc each */
        float r = 0.3 * depth * sqrt((float(i) + 0.5) / 12.0);
        vec3 place = p + r * (towards.x * aside + towards.y * ahead_of + 1.5 * key);
        towards = golden_turn * towards;
        seen += near((to_shadow * vec4(place, 1.0)).xyz - vec3(0.0, 0.0, 0.0008));
    }
    float soft = on_wet(mix(1.0, shade_floor + (1.0 - shade_floor) * seen / 12.0, occlusion), wetness);
    vec3 lamp = key_light * key.z, rest = 0.8 * open * sky_above;
    return (lamp * soft + rest) / (lamp * own + rest);
}
#endif

#if defined(BODIES) || defined(CLOSED)
/* Share of the layer that lies above the point p that is seen through it, which may be on a body instead of the ground. Its
   distance `seen` has 11 bits only: without the tolerance, films on the ground would have bands. */
float above_seen(vec3 p, float seen, vec3 v, float depth) {
#ifdef CLOSED
    float above = distance(at, p); /* its side is upright */
#else
    float above = at.z - p.z;
#endif
    return clamp(1.25 * (above + 0.002 * seen * v.z) / max(depth, 1e-6), 0.0, 1.0);
}

#endif

#if defined(BODIES) || defined(OUTDOORS)
/* x: distance of point p, `clip` in clip space, behind what the picture shows there (m); y: 0 at the edge of the picture,
   1 inside. Behind a body that is thinner than `thick` (m), what the picture shows without bodies. */
vec2 behind_seen(vec3 p, vec4 clip, float thick, out vec3 light) {
    vec2 place = clip.xy / clip.w * 0.5 + 0.5;
    vec2 margin = smoothstep(vec2(0.0), vec2(0.04), min(place, 1.0 - place));
    place = clamp(place, 0.001, 0.999);
    float far = distance(p, eye);
    vec4 seen = texel_at(ground_seen, place);
#ifdef BODIES
    if (far - seen.a > thick) seen = texel_at(ground_bare, place);
#endif
    light = seen.rgb;
    return vec2(far - seen.a, margin.x * margin.y);
}

/* The mirror image of what stands on the liquid or around it; alpha: how certain it is. Follows the mirrored ray through the
   picture, in growing steps that reach a fifth of its height and start differently in every pixel so that no
   steps show. A step that ends farther behind what is seen than it is long has passed behind it: the ray goes on. */
vec4 standing(vec3 ray, float texel) {
    const float first_step = 0.007, growth = 1.25; /* of half the picture's height */
    vec4 from = to_clip * vec4(at, 1.0), slope = to_clip * vec4(ray, 0.0);
    vec2 aside = (slope.xy * from.w - from.xy * slope.w) / from.w;
    aside.x *= length(across) / length(upwards);
    float speed = length(aside); /* in the picture, at the start of the ray, times from.w */
    float grain = grain_here();
    float moved = first_step * (1.0 + (growth - 1.0) * grain), low = 0.0, high = 0.0, last = 0.0, was = -1.0;
    vec3 light;
    for (int i = 0; i < 18 && high == 0.0; i++) {
        float left = speed - moved * slope.w; /* 0: the ray's vanishing point */
        float along = moved * from.w / max(left, 0.02 * speed), step_taken = along - last;
        float behind = behind_seen(at + along * ray, from + along * slope, step_taken + texel, light).x;
        bool met = was <= 0.0 && behind > 0.0 && behind < step_taken + 2.0 * texel;
        low = last;
        if (met) high = along;
        was = behind < step_taken + 2.0 * texel ? behind : -1.0;
        last = along;
        moved *= growth;
    }
    if (high == 0.0) return vec4(0.0);
    float step_taken = high - low;
    for (int i = 0; i < 5; i++) {
        float middle = 0.5 * (low + high);
        if (behind_seen(at + middle * ray, from + middle * slope, step_taken + texel, light).x > 0.0) high = middle;
        else low = middle;
    }
    vec2 end = behind_seen(at + high * ray, from + high * slope, step_taken + texel, light);
    float met = 1.0 - smoothstep(2.0, 6.0, end.x / (0.05 * step_taken + texel));
    /* Ripples blur the image, the more the farther the thing is: the mean of places around the end, and less certain
       where some of them are beside the thing. */
    vec3 middle = at + high * ray, sum = light;
    float radius = 0.1 * high, count = 1.0;
    vec2 turned = vec2(cos(1.5707963 * grain), sin(1.5707963 * grain));
    for (int i = 0; i < 4; i++) {
        vec3 place = middle + radius * (turned.x * right + vec3(0.0, 0.0, turned.y));
        turned = vec2(-turned.y, turned.x);
        float on = step(-3.0 * radius - texel, behind_seen(place, to_clip * vec4(place, 1.0), step_taken + texel, light).x);
        sum += on * light;
        count += on;
    }
    return vec4(sum / count, met * end.y * smoothstep(0.4, 1.0, 0.2 * count));
}
#endif

void main() {
    vec3 v = view_from(normalize(eye - at)), n = normalize(facing);
    /* Sheets have two sides. Normals are made for nearly level liquid; on steep liquid they may face away although the
       triangle does not. */
    vec3 flat_normal = normalize(cross(dFdx(at), dFdy(at)));
    flat_normal *= sign(dot(flat_normal, v));
    if (!gl_FrontFacing) n = -n;
    /* Only nearly level liquid gets the tilt of a meniscus; steep liquid has it in its shape. */
    float lies = mix(smoothstep(0.25, 0.6, abs(flat_normal.z)), 1.0, beads);
    float sheet = 0.0, jet = 0.0, air = 0.0; /* how much this is a falling sheet; 1: a jet or a drop; air in it */
#ifdef FALLS
    sheet = falls();
    jet = step(flowing.w, -0.5);
    air = jet * clamp(-1.0 - flowing.w, 0.0, 1.0);
    lies *= 1.0 - jet;
#endif
    /* A film on steep ground is as steep as its normals say, and smooth. The upright edge of a pool is not. */
    float film = (1.0 - sheet) * (1.0 - jet) * smoothstep(0.6, 0.85, dot(flat_normal, n));
    n = normalize(mix(flat_normal, n, max(max(max(lies, film), sheet) * smoothstep(0.0, 0.2, dot(n, v)), jet)));
    n = bent_normal(n, v, bend.w * lies);
#ifdef FALLS
    float outline = dot(n, v); /* 0 at the outline of a jet */
    vec3 strand = strands(n.xy, mix(flowing.w, within.y / 9.81, jet));
    float rough = max(sheet, air);
#ifdef OUTDOORS
    rough = max(rough, 0.7 * jet);
#endif
    n = normalize(n + 0.35 * rough * strand.x * vec3(-n.y, n.x, 0.0));
#endif
#if !defined(FALLS) && !defined(CLOSED)
    n = normalize(n - vec3(lies * sin(ringed.z - ring_moved) * ringed.xy, 0.0));
#endif
#ifdef OUTDOORS
    vec2 slopes = ripple_slopes(ripples, at.xy, flowing.xy, 14.0 * cell, time);
    n = normalize(n - (0.04 + 0.14 * haste()) * lies * vec3(slopes, 0.0));
#endif
    float cosine = dot(n, v);
#ifndef UNCAPPED
    n = normalize(n + max(0.02 - cosine, 0.0) * v);
    cosine = max(cosine, 0.02);
#endif
#ifdef GLASS
    /* Below the point: liquid may touch a ceiling. A film on a glass wall cannot be told from it, and its mesh is torn. */
    bool in_glass = wall_at(at - vec3(0.0, 0.0, 0.4 * cell)) > 0.5, film_on_glass = false;
#ifndef FALLS
    film_on_glass = abs(flat_normal.z) < 0.85 && within.x * full_depth < 0.4 * cell && at.z > solid_top + cell;
#endif
#ifndef CLOSED
    if (in_glass || film_on_glass) discard;
#endif
    const float open = 1.0;
#else
    float open = mix(1.0, 0.12 + 0.88 * within.w, occlusion);
#endif
    float thinned = 1.0;
#ifndef FALLS
    thinned = thinness(flat_normal);
#endif
    float opaque = max(within.x, 0.0) * thinned;
#if defined(BODIES) && defined(CLOSED)
    /* Bodies take up some of the thickness of liquid behind the flat side of a tank, but refraction shows them elsewhere. */
    opaque = mix(opaque, 1.0, smoothstep(0.98, 0.995, max(abs(flat_normal.x), abs(flat_normal.y))) *
                                  smoothstep(8.0, 10.0, opaque * full_depth / cell));
#endif
    float depth = opaque * full_depth;
    vec3 ground_point;
    vec4 below = ground_through(n, v, depth, ground_point);
    float far = distance(at, eye);
    below.rgb = without_air(below.rgb, -v, far);
    below.rgb *= mix(vec3(1.0), 0.46 + 0.46 * ground, soaks * smoothstep(0.0, 0.2 * cell, depth));
#ifdef FALLS
    /* Strands are the thicker, and the sheet between them the thinner, the longer it has fallen. */
    float uneven = sheet * smoothstep(0.0, 6.0, flowing.w / sqrt(2.0 * cell / 9.81));
    float gathers = mix(2.6 * strand.z - 0.35, 1.8 * strand.z, murky) * uneven + 0.5 * sheet * strand.z;
    /* Of a coloured one, less: thin places would glow like bars. */
    vec3 evenly = texture(layers, vec2(layer_at(opaque), 0.75)).rgb;
    opaque *= max(1.0 + mix(0.3, 1.0, min(min(evenly.r, evenly.g), evenly.b)) * gathers, 0.0);
    opaque *= mix(1.0, max(cosine, 0.55), jet); /* the chord through a round jet; its outline refracts, and is no paler */
    /* A rivulet on a wall is no lens: light goes through it to the wall and back. */
    vec4 behind = texelFetch(ground_seen, ivec2(gl_FragCoord.xy), 0);
    float rivulet = jet * (1.0 - smoothstep(0.5, 2.0, (behind.a - far) / cell));
    opaque *= 1.0 + 2.0 * rivulet;
#endif
#if defined(BODIES) || defined(CLOSED)
    float share = above_seen(ground_point, below.a, v, depth);
    opaque *= share;
#endif

    /* The path through a layer is longer if it is steep or seen at an angle. */
    vec3 inwards = refract(-v, n, 1.0 / refraction);
    float slant = mix(max(mix(mix(-dot(inwards, n), -inwards.z, thinned), -0.45 * dot(inwards, n), sheet), 0.2), 1.0, jet);
    float along = layer_at(opaque * (0.5 + 0.5 / slant));
    vec4 self = texture(layers, vec2(along, 0.25));
    vec3 through = texture(layers, vec2(along, 0.75)).rgb;
    float towards = dot(n, key), lit = max(towards, 0.0);
#ifdef FALLS
    lit = mix(lit, 0.5 + 0.35 * towards, jet * murky); /* a jet of milk is thin: it is lit through from behind */
#endif
    vec3 lamp_light = key_light * lit, sky_light = sky_on(n) * open;
    float lamp_here = lamp_seen(at, n);
#ifdef FALLS
    vec3 light = lamp_light * lamp_here + sky_light;
#else
    vec3 tinted = mix(vec3(1.0), tint_at(at), tinting);
    vec3 light = lamp_light * lamp_here * tinted + sky_light;
    below.rgb *= 1.0 - 0.74 * bare * lamp_here * (1.0 - tinted);
#endif
#ifdef MURKY
    float passes = (through.r + through.g + through.b) / 3.0;
    below.rgb = with_one_shadow(below.rgb, ground_point, lamp_here, smoothstep(0.0, 0.5, 1.0 - passes));
#else
    below.rgb *= focused_at(ground_point);
#ifndef FALLS
    below.rgb *= blurred_shadow(ground_point, max(at.z - ground_point.z, 0.0), open);
#endif
#endif
    /* Without shadows, because those on the ground below lie elsewhere than here. */
    vec3 level_light = beads * key_light * max(key.z - max(dot(n, key), 0.0), 0.0); /* steep edges lie on level ground */
    vec3 unshaded = max(lamp_light + level_light + sky_light, vec3(0.05));
    /* A jet, the strands of a sheet and the steep side of a 3D liquid are lenses: they show lamp and sky from all around.
       What is right behind them shows only if they are clear: a step there would be one in their colour. */
    float coloured = 1.0 - min(min(through.r, through.g), through.b);
    float lens = max(jet, 0.8 * sheet);
#ifdef CLOSED
    vec3 gathered = gathered_light(n, 0.5 + 0.5 * lamp_here, open);
    lens = 1.0 - smoothstep(0.2, 0.95, abs(n.z));
    lens *= smoothstep(0.6, 1.0, share); /* what is near its side is seen in it */
    /* Light from above has passed the liquid there once; the table has light that has passed twice. */
    vec3 dimmed = sqrt(max(texture(layers, vec2(layer_at(max(ringed.x, 0.0) / full_depth), 0.75)).rgb, 0.0));
#ifdef GLASS
    dimmed = mix(vec3(1.0), dimmed, 0.25); /* it comes from all sides, too */
#endif
    light *= dimmed;
    gathered *= dimmed;
#else
    vec3 gathered = gathered_light(n, lamp_here, open);
#endif
#ifdef FALLS
    lens *= 1.0 - rivulet;
#endif
    below.rgb = mix(below.rgb, gathered, lens * smoothstep(0.2, 0.65, coloured));
    vec3 bounce = clamp(below.rgb / unshaded, 0.0, 0.9);
    vec3 body = (self.rgb * light + through * below.rgb) / (1.0 - self.rgb * bounce);
    /* The surface reflects some of the leaving light back into the liquid (Saunderson). */
    float kept = 1.25 * self.a;
    body *= (1.0 - kept) / (1.0 - kept * clamp(body / unshaded, 0.0, 0.95));

    vec3 mirror = reflect(-v, n);
    mirror.z = max(mirror.z, -0.6);
    float lamps = 1.0;
#if (defined(FALLS) || defined(CLOSED)) && !defined(OUTDOORS)
    /* What falls is upright and would mirror what lies below the lamps: they count as tall as the fall. */
    float upright = max(jet, sheet);
#ifdef CLOSED
    upright = 1.0 - smoothstep(0.2, 0.6, abs(n.z));
#endif
    lamps = mix(1.0, 0.6, upright);
    mirror.z = mix(mirror.z, max(abs(mirror.z), 0.6 * length(mirror.xy)), upright);
#endif
    float f = reflected(straight, cosine);
    /* Blurred, because a meniscus curves more within a cell than the mesh can show, and by as much as the mirrored direction
       changes within a pixel: a lamp that is smaller than that would be noise. */
    float spread = min(2.0 * (length(dFdx(n)) + length(dFdy(n))), 0.5);
    vec3 image = lamps * surroundings(normalize(mirror), 0.25 * bend.w + spread);
    if (metal > 0.5) image += 0.34 + 0.2 * mirror.z; /* a brighter room, because metal shows only its reflections */
    float unhidden = mix(mirrored, 0.75, jet); /* a jet mirrors all heights around it in each ring: no step between two */
    image = mix(ground * light * 0.5, image, unhidden); /* solid in the way is mirrored instead, lit as here */
#if defined(BODIES) || defined(OUTDOORS)
    vec4 stands = standing(normalize(mirror), length(fwidth(at)));
    image = mix(image, stands.rgb, stands.a * lies);
#endif
    /* The thinnest films mirror nothing. Neither do layers of a murky liquid that are too thin to hide the ground: they
       would look like glass. */
    f *= mix(1.0, smoothstep(0.1, 0.5, cosine), jet); /* the outline of a jet is thinner than a pixel: it would sparkle */
    f *= smoothstep(0.0, max(thin, 1e-9), opaque * full_depth) * mix(1.0, smoothstep(0.1, 0.85, 1.0 - (through.r + through.g + through.b) / 3.0), murky);
#if defined(GLASS) && !defined(CLOSED)
    f *= smoothstep(-0.4, 0.1, mirror.z); /* a meniscus at glass is clear, and mirrors no floor */
#endif
    vec3 sum = mix(body, image, f);
#if defined(OUTDOORS) || defined(FALLS) || defined(CLOSED)
    /* Foam of a coloured liquid has some of its colour. */
    vec3 hue = sqrt(texture(layers, vec2(0.998, 0.25)).rgb + 1e-4);
#ifdef CLOSED
    hue = mix(hue, vec3(1.0), 0.7);
#endif
    vec3 tint = mix(vec3(1.0), hue / max(max(hue.r, hue.g), hue.b), 0.8 * murky);
    float white = 0.0;
#ifdef CLOSED
    white = froth();
#elif defined(OUTDOORS) && !defined(FALLS)
    white = foam() * smoothstep(0.3, 0.7, abs(flat_normal.z)); /* on upright triangles it would be streaks */
#endif
#ifdef FALLS
#ifdef OUTDOORS
    /* Fast sheets turn white in strands; so do jets, except of a strong colour: blood stays red. */
    float pale = jet * smoothstep(0.45, 0.7, min(min(tint.r, tint.g), tint.b));
    white = 0.75 * flowing.z * max(uneven, 0.8 * pale) * smoothstep(-0.3, 0.6, strand.z);
#endif
    white = max(white, air * (0.5 + 0.45 * smoothstep(-0.5, 0.4, strand.z)));
#endif
    vec3 scattered = mix(light, 0.5 * key_light + sky_light, 0.6 * air); /* light comes through white jets */
#ifdef CLOSED
    scattered += 0.4 * key_light; /* light comes through spray */
#endif
    sum = mix(sum, 0.7 * tint * scattered, white);
#endif
#ifdef FALLS
    /* The outline of a jet with air in it is spray, which hides little of what is behind it. */
    vec3 past = without_air(behind.rgb, -v, far);
    sum = mix(past, sum, mix(1.0, smoothstep(0.0, 0.45 - 0.35 * strand.z, outline), air));
    /* The foot of a sheet goes over into what it falls on, the sooner the thinner the strand is. */
    sum = mix(sum, past, sheet * (1.0 - jet) * smoothstep(0.35 + 0.25 * strand.z, 1.0, ringed.x));
    sum = mix(sum, past, jet * ringed.x); /* a pour comes out of nothing */
#endif
    if (cosine < 0.0) sum = vec3(0.0);
    sum = through_air(sum, -v, far);
    colour = vec4(clamp(sum, 0.0, 4.0), far);
}
