/* Solid ground: signed distance fields, and the columns that a grid of vertical rays finds in them. */
#ifndef RUNNEL_TERRAIN_H
#define RUNNEL_TERRAIN_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Signed distance fields ------------------------------------------------------------------

   A field is negative inside the solid, positive outside, in metres. Shapes sit at the origin with z up, and have the
   arguments of the shapes of bodies (bodies.h); move, turn and scale them. A function that takes fields consumes them,
   also when it fails: only the last field of an expression is yours, and rn_terrain_create consumes that. A constructor
   that fails returns NULL, passing on a NULL argument is allowed, and rn_terrain_create then reports the first failure.
 */
typedef struct rn_sdf rn_sdf;

/* The half-space below the plane through `point` with the given normal (any length but 0). */
RN_API rn_sdf *rn_sdf_plane(rn_vec3 point, rn_vec3 normal);
RN_API rn_sdf *rn_sdf_box(rn_vec3 size); /* m, full sizes */
/* `rounding` is the radius of the rounded edges, inside those sizes. */
RN_API rn_sdf *rn_sdf_rounded_box(rn_vec3 size, double rounding);
RN_API rn_sdf *rn_sdf_sphere(double radius);
/* Along z, centred on the origin. The length of a capsule is that between the centres of its ends. */
RN_API rn_sdf *rn_sdf_cylinder(double radius, double length);
RN_API rn_sdf *rn_sdf_capsule(double radius, double length);
/* All points closer than radius to the segment a-b. */
RN_API rn_sdf *rn_sdf_capsule_between(rn_vec3 a, rn_vec3 b, double radius);
/* The hull of two balls, around a and around b: a limb, a horn, a drop. */
RN_API rn_sdf *rn_sdf_taper(rn_vec3 a, rn_vec3 b, double radius_a, double radius_b);
/* Upright, centred on the origin; radii at the lower and upper face. */
RN_API rn_sdf *rn_sdf_cone(double radius_low, double radius_high, double height);
/* Around the z axis. */
RN_API rn_sdf *rn_sdf_torus(double ring_radius, double tube_radius);
/* The half-space below z = 0 with a spherical bowl pressed into it: rim radius and depth, depth <= radius. */
RN_API rn_sdf *rn_sdf_bowl(double radius, double depth);
/* The half-space below a gently rolling ground: heights within +-amplitude, features of about
   `wavelength`, `octaves` of halving size (1..8). The same seed gives the same ground everywhere. */
RN_API rn_sdf *rn_sdf_noise(double amplitude, double wavelength, int octaves, uint32_t seed);
/* Distances sampled at nx*ny*nz points, x fastest, `spacing` apart, the first one at `origin`. Copied. */
RN_API rn_sdf *rn_sdf_grid(const float *distances, int nx, int ny, int nz, double spacing, rn_vec3 origin);
/* The half-space below heights[row*nx + column] (m), sampled at x = origin_x + column*spacing,
   y = origin_y + row*spacing, linear in between, level outside. Copied. */
RN_API rn_sdf *rn_sdf_heightmap(const float *heights, int nx, int ny, double spacing, double origin_x, double origin_y);

/* `blend` > 0 rounds the seam over about that length (m). */
RN_API rn_sdf *rn_sdf_union(rn_sdf *a, rn_sdf *b, double blend);
RN_API rn_sdf *rn_sdf_subtract(rn_sdf *from, rn_sdf *what, double blend);
RN_API rn_sdf *rn_sdf_intersect(rn_sdf *a, rn_sdf *b, double blend);

RN_API rn_sdf *rn_sdf_move(rn_sdf *shape, rn_vec3 by);
RN_API rn_sdf *rn_sdf_turn(rn_sdf *shape, rn_quat turn);
RN_API rn_sdf *rn_sdf_scale(rn_sdf *shape, double factor);

/* By factors along x, y and z, 0.001 to 1000: a sphere becomes an ellipsoid. Only shapes of finite size. */
RN_API rn_sdf *rn_sdf_stretch(rn_sdf *shape, rn_vec3 factors);
/* What lies at x > 0, and its image in the plane x = 0; what lay beyond that plane is dropped. */
RN_API rn_sdf *rn_sdf_mirror(rn_sdf *shape);
/* Bumps and dents up to `amplitude` (m) all over the surface, of about `wavelength` (m) and `octaves` of halving size
   (1..8): bone, rock, bark. */
RN_API rn_sdf *rn_sdf_roughen(rn_sdf *shape, double amplitude, double wavelength, int octaves, uint32_t seed);

RN_API double rn_sdf_distance(const rn_sdf *shape, rn_vec3 at);
/* Needed only for a field that no other call has consumed. NULL is allowed. */
RN_API void rn_sdf_destroy(rn_sdf *shape);

/* ---- Triangle meshes ------------------------------------------------------------------------------------------

   Scans, CAD parts and models as they come: triangles in any order, wound either way, with holes, doubles, crossings
   and rubbish among them. Vertices at the same place are joined, triangles turned so that neighbours agree and the
   solid lies behind them, and what cannot be a surface is left out; the report tells what was found and assumed.
   docs/meshes-in.md has the method. */

typedef enum rn_mesh_meaning {
    RN_MESH_AUTO,  /* ground if it is open and looks up, else solid */
    RN_MESH_SOLID, /* all that the triangles go around: holes are closed by triangles across them, and triangles that do
                      not join at all are wrapped in a skin where their winding number is one half */
    RN_MESH_SHEET, /* a skin of some thickness around the triangles: cups, pots and pipes without an inner wall */
    RN_MESH_GROUND, /* all below an open surface */
} rn_mesh_meaning;

typedef struct rn_mesh_solid_def {
    const float *positions;  /* x y z of each vertex, in whatever unit; not kept */
    const uint32_t *indices; /* three per triangle; not kept */
    uint32_t vertex_count, triangle_count;
    double transform[3][4]; /* rows that take x y z 1 to metres with z up; all 0: the vertices are in metres */
    rn_mesh_meaning meaning;
    double thickness; /* m, of a sheet */
    double join;      /* m, vertices closer than this are one; default 10^-7 of the longest side */
    double spacing;   /* m, of the skin around triangles that do not join; default 1/64 of the longest side */
    int threads;      /* default 1; 0: one per core */
    rn_hooks hooks;
} rn_mesh_solid_def;

RN_API rn_mesh_solid_def rn_mesh_solid_default(void);

/* What was wrong with a mesh, and what was made of it. Counts are of the mesh as it came. */
typedef struct rn_mesh_report {
    rn_mesh_meaning meaning;     /* what it was taken for; RN_MESH_AUTO only if it was not got to */
    rn_vec3 low, high;           /* m, corners of the box around the triangles that were used */
    int64_t vertices, triangles; /* as given */
    int64_t used;                /* triangles that are left */
    int64_t joined;              /* vertices that lay where another does */
    int64_t bad_indices;         /* triangles that name vertices which are not there */
    int64_t non_finite;          /* triangles with coordinates that are not finite, or beyond 10^12 m */
    int64_t degenerate;          /* triangles without an area */
    int64_t doubles;             /* triangles that repeat another, whichever way round */
    int64_t flipped;             /* triangles turned to agree with their neighbours */
    int64_t open_edges;          /* with one triangle only */
    int64_t holes;               /* loops of edges that are passed one way more often than the other */
    int64_t branching_edges;     /* with three triangles or more: not manifold */
    int64_t parts;               /* connected through shared vertices */
    int64_t inside_out;          /* parts that were turned as a whole */
    int64_t euler;               /* vertices - edges + triangles of what was used */
    double area;                 /* m^2, of what was used */
    double volume;               /* m^3, that it goes around once holes are closed; 0 for sheets and ground */
    double wrapped;              /* m, spacing of the skin put around triangles that do not join; 0: none */
} rn_mesh_report;

/* The report as sentences, one per fault or assumption: false past the last. A sound mesh has none. */
RN_API bool rn_mesh_report_line(const rn_mesh_report *report, int index, char *text, size_t size);

/* The solid that the triangles enclose, with exact distances; NULL if they enclose nothing, or on failure. `report` may
   be NULL; it is filled as far as it was got to, also on failure. */
RN_API rn_sdf *rn_sdf_mesh(const rn_mesh_solid_def *def, rn_mesh_report *report);
/* Other places for the vertices that the mesh was made of, with its transform, as many as there were; not kept. The
   triangles, and what they were taken for, stay. Refused, with nothing changed, if a coordinate is not finite. It
   allocates the first time only, or little. A mesh that is a solid of a world: rn_world_deform_solid. */
RN_API rn_result rn_sdf_mesh_deform(rn_sdf *mesh, const float *positions, size_t vertex_count);

/* ---- Columns ---------------------------------------------------------------------------------- */

/* Solid from `under` to `base`, open from `base` to `ceil` (m). `under` of a cell's lowest column is
   -INFINITY (of math.h) where the ground goes on down, else the underside of what hangs in the air; `ceil` of its
   highest is the terrain's lid or the solid that reaches it. A cell that is solid up to the lid is a
   wall: one column with base = ceil = lid. */
typedef struct rn_column {
    double under, base, ceil;
} rn_column;

typedef struct rn_terrain rn_terrain;

typedef struct rn_terrain_def {
    int cells_x, cells_y;      /* cells along x and y */
    double cell_size;          /* m, side of a square cell */
    double origin_x, origin_y; /* m, the corner with the least x and y; default 0 */
    double bottom, lid;        /* m, where rays start and end; both 0: chosen from the solid */
    rn_sdf *solid;             /* consumed; NULL if `columns` is given */

    /* Instead of a solid: columns found by the host, cell by cell, x fastest, bottom to top. `lid` must be given. */
    const rn_column *columns;
    const int32_t *columns_per_cell; /* cells_x*cells_y counts; 0 is a hole through which liquid leaves */

    int threads; /* that share the rays; default 1; 0: one per core */
    rn_hooks hooks;
} rn_terrain_def;

RN_API rn_terrain_def rn_terrain_default(void);

/* Casts a ray up through the middle of every cell. Fails where the field has no solid at all. */
RN_API rn_result rn_terrain_create(const rn_terrain_def *def, rn_terrain **terrain);
RN_API void rn_terrain_destroy(rn_terrain *terrain);

typedef struct rn_terrain_info {
    int cells_x, cells_y;
    double cell_size;          /* m */
    double origin_x, origin_y; /* m */
    double lowest, highest;    /* m, least and greatest base */
    double lid;                /* m */
    int layers;                /* most columns in one cell */
    int64_t columns;
    int64_t holes; /* cells without any column */
} rn_terrain_info;

RN_API rn_terrain_info rn_terrain_describe(const rn_terrain *terrain);

/* The columns of a cell, bottom to top; NULL and 0 for a hole. Valid as long as the terrain. */
RN_API const rn_column *rn_terrain_cell(const rn_terrain *terrain, int x, int y, int *count);

/* What columns are like, for whoever must judge whether the cells are small enough for a solid. */
typedef struct rn_survey {
    int64_t covered;   /* cells with solid that rises above the lowest base, or hangs */
    int64_t overhangs; /* cells with solid above open space */
    double solid;      /* m^3; of ground that goes on down, what is above the lowest base */
    int64_t stretches; /* of such solid, one above the other in a cell */
    int64_t thin;     /* of those: less than 1.5 cells from their lower to their upper end, or one cell thick where they
                         stand upright for as much */
    int64_t cavities; /* places that liquid from above, or past the edges of the domain, cannot get to */
    double sealed;    /* m^3, of all of them */
    double largest;   /* m^3, of the largest */
} rn_survey;

RN_API rn_result rn_terrain_survey(const rn_terrain *terrain, rn_survey *survey);

#ifdef __cplusplus
}
#endif

#endif
