/* What glass contains: only for pictures in which solid is glass. */
#ifdef GLASS
uniform float solid_top;                  /* m: solid above this height is glass */
uniform highp sampler3D contents;         /* render/contents.h: how far below the surface of a liquid; 0.5 at it */
uniform vec3 contents_low, contents_size; /* m */
uniform highp sampler3D walls;            /* share of solid, in boxes of half a cell */
uniform vec3 walls_low, walls_size;       /* m */

/* How far below the surface of a liquid point p is: 0.5 at the surface, 0 where there is none. */
float liquid_at(vec3 p) {
    vec3 place = (p - contents_low) / contents_size;
    return all(lessThan(abs(place.xy - 0.5), vec2(0.5))) ? textureLod(contents, place, 0.0).r : 0.0;
}

/* The share of glass around p. The mesh of the liquid ends between the cells, not at the glass. */
float wall_at(vec3 p) {
    vec3 place = (p - walls_low) / walls_size;
    return all(lessThan(abs(place - 0.5), vec3(0.5))) ? textureLod(walls, place, 0.0).r : 0.0;
}

/* How far a ray from p along the unit vector d runs through liquid (m), up to `most`, if the floor of the glass mirrors it;
   grain: from 0 to 1, hides the steps. Without the mirror, liquid would fade towards its foot, where the floor is near. */
float path_through(vec3 p, vec3 d, float most, float grain) {
    const int steps = 20;
    float sum = 0.0;
    for (int i = 0; i < steps; i++) {
        vec3 q = p + d * (most * (float(i) + grain) / float(steps));
        q.z = solid_top + abs(q.z - solid_top);
        sum += smoothstep(0.35, 0.65, liquid_at(q)) * (1.0 - smoothstep(0.3, 0.7, wall_at(q)));
    }
    return sum * most / float(steps);
}
#endif
