/* Solid ground: signed distance fields, and the columns that a grid of vertical rays finds in them. */
#ifndef RUNNEL_TERRAIN_H
#define RUNNEL_TERRAIN_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Signed distance fields ------------------------------------------------------------------

   A field is a distance in metres, negative inside the solid, positive outside. Shapes are centred on the origin, z
   up, with the same arguments as the shapes of bodies (bodies.h); move, rotate and scale them. A function that takes
   fields consumes them, also when it fails: you own only the last field of an expression, and rn_terrain_create
   consumes that. A constructor that fails returns NULL with an error text. NULL may be passed on as an argument;
   rn_terrain_create then reports the first failure. Sizes are from 1e-12 to 1e12 m, coordinates within 1e12 m. */
typedef struct rn_sdf rn_sdf;

/* The half-space on the far side of the plane through `point` (m) from this normal (any length but 0): below it if the
   normal points up. */
RN_API rn_sdf *rn_sdf_plane(rn_vec3 point, rn_vec3 normal);
RN_API rn_sdf *rn_sdf_box(rn_vec3 size); /* m, full sizes */
/* A box of these full sizes (m) with rounded edges: `rounding` is their radius (m), 0 to half of the smallest size. */
RN_API rn_sdf *rn_sdf_rounded_box(rn_vec3 size, double rounding);
/* A ball around the origin (m). */
RN_API rn_sdf *rn_sdf_sphere(double radius);
/* A cylinder along z, centred on the origin (m). */
RN_API rn_sdf *rn_sdf_cylinder(double radius, double length);
/* A capsule along z, centred on the origin (m). `length` is the distance between the centres of its round ends. */
RN_API rn_sdf *rn_sdf_capsule(double radius, double length);
/* All points closer than radius (m) to the segment a-b (m). */
RN_API rn_sdf *rn_sdf_capsule_between(rn_vec3 a, rn_vec3 b, double radius);
/* The convex hull of a ball around `a` and one around `b` (m): a limb, a horn, a drop. */
RN_API rn_sdf *rn_sdf_taper(rn_vec3 a, rn_vec3 b, double radius_a, double radius_b);
/* A cone along z, centred on the origin (m), with radii of its lower and upper face, one of which may be 0. */
RN_API rn_sdf *rn_sdf_cone(double radius_low, double radius_high, double height);
/* A ring around the z axis (m): a tube of tube_radius whose centre line has ring_radius. */
RN_API rn_sdf *rn_sdf_torus(double ring_radius, double tube_radius);
/* The half-space below z = 0 with a spherical bowl pressed into it. radius (m): the radius of the rim; depth (m): at
   most the radius. */
RN_API rn_sdf *rn_sdf_bowl(double radius, double depth);
/* The half-space below gently rolling ground: heights within +-amplitude (m), features of about `wavelength` (m),
   `octaves` of halving size (1..8). A seed gives the same ground on every machine. */
RN_API rn_sdf *rn_sdf_noise(double amplitude, double wavelength, int octaves, uint32_t seed);
/* Distances (m) sampled at nx*ny*nz points, 2 or more along each axis, x fastest, `spacing` (m) apart, the first at
   `origin` (m). Copied. */
RN_API rn_sdf *rn_sdf_grid(const float *distances, int nx, int ny, int nz, double spacing, rn_vec3 origin);
/* The half-space below heights[row*nx + column] (m), sampled at x = origin_x + column*spacing, y = origin_y +
   row*spacing (m), at least one. Heights are interpolated linearly, and constant beyond the border. Copied. */
RN_API rn_sdf *rn_sdf_heightmap(const float *heights, int nx, int ny, double spacing, double origin_x, double origin_y);

/* The solid of either field. `blend` > 0 rounds the seam over about that length (m). */
RN_API rn_sdf *rn_sdf_union(rn_sdf *a, rn_sdf *b, double blend);
/* The solid of `from` without that of `what`. `blend` > 0 rounds the seam over about that length (m). */
RN_API rn_sdf *rn_sdf_subtract(rn_sdf *from, rn_sdf *what, double blend);
/* The solid that both fields share. `blend` > 0 rounds the seam over about that length (m). */
RN_API rn_sdf *rn_sdf_intersect(rn_sdf *a, rn_sdf *b, double blend);

/* Moves a field (m). */
RN_API rn_sdf *rn_sdf_move(rn_sdf *shape, rn_vec3 by);
/* Rotates a field about the origin. */
RN_API rn_sdf *rn_sdf_turn(rn_sdf *shape, rn_quat turn);
/* Scales a field about the origin by a factor above 0. */
RN_API rn_sdf *rn_sdf_scale(rn_sdf *shape, double factor);

/* Scales by factors along x, y and z, 0.001 to 1000: a sphere becomes an ellipsoid. Fails for shapes of infinite
   size. */
RN_API rn_sdf *rn_sdf_stretch(rn_sdf *shape, rn_vec3 factors);
/* The part at x > 0 and its mirror image in the plane x = 0; the original part at x < 0 is dropped. */
RN_API rn_sdf *rn_sdf_mirror(rn_sdf *shape);
/* Adds bumps and dents of up to `amplitude` (m) all over the surface, of about `wavelength` (m), with `octaves` of
   halving size (1..8): bone, rock, bark. */
RN_API rn_sdf *rn_sdf_roughen(rn_sdf *shape, double amplitude, double wavelength, int octaves, uint32_t seed);

/* The distance (m) from a point (m) to the surface, negative inside; where fields are combined or changed, possibly
   less than the true distance, but never more. NAN for a point that is not finite. */
RN_API double rn_sdf_distance(const rn_sdf *shape, rn_vec3 at);
/* Frees a field that no other call has consumed. NULL is allowed. */
RN_API void rn_sdf_destroy(rn_sdf *shape);

/* ---- Triangle meshes ------------------------------------------------------------------------------------------

   Scans, CAD parts and models as they come: triangles in any order, wound either way, with holes, duplicates,
   intersections and invalid entries. Vertices at the same place are merged, triangles are flipped so that neighbours
   agree and the solid lies behind them, and unusable triangles are dropped. The report lists what was found and
   assumed. docs/meshes-in.md has the method. */

typedef enum rn_mesh_meaning {
    RN_MESH_AUTO,  /* ground if the mesh is open and faces up, otherwise solid */
    RN_MESH_SOLID, /* everything that the triangles enclose: holes are closed with triangles; triangles that do not join
                      at all are wrapped in a skin where their winding number is one half */
    RN_MESH_SHEET, /* a skin of a given thickness around the triangles: for cups, pots and pipes without an inner wall
                    */
    RN_MESH_GROUND, /* everything below an open surface */
} rn_mesh_meaning;

typedef struct rn_mesh_solid_def {
    const float *positions;  /* x y z of each vertex, in any unit; not kept */
    const uint32_t *indices; /* three per triangle; not kept */
    uint32_t vertex_count, triangle_count;
    double transform[3][4]; /* rows that take x y z 1 to metres, z up; all 0: the vertices are in metres */
    rn_mesh_meaning meaning;
    double thickness; /* m, of a sheet */
    double join;      /* m, vertices closer than this are merged; default 10^-7 of the longest side */
    double spacing; /* m, lattice of the skin around triangles that do not join; default 1/64 of the longest side, up to
                       1/40 for fewer than 256 triangles */
    int threads;    /* default 1; 0: one per core */
    rn_hooks hooks;
} rn_mesh_solid_def;

/* A definition with all defaults. */
RN_API rn_mesh_solid_def rn_mesh_solid_default(void);

/* What was wrong with a mesh and how it was used. Counts refer to the mesh as given. */
typedef struct rn_mesh_report {
    rn_mesh_meaning meaning;     /* how it was used; RN_MESH_AUTO only if that was not decided */
    rn_vec3 low, high;           /* m, corners of the box around the used triangles */
    int64_t vertices, triangles; /* as given */
    int64_t used;                /* triangles that were kept */
    int64_t joined;              /* vertices merged with another */
    int64_t bad_indices;         /* triangles with an index out of range */
    int64_t non_finite;          /* triangles with coordinates that are not finite, or beyond 10^12 m */
    int64_t degenerate;          /* triangles without area */
    int64_t doubles;             /* triangles that repeat another, in either orientation */
    int64_t flipped;             /* triangles flipped to agree with their neighbours */
    int64_t open_edges;          /* with one triangle only */
    int64_t holes;               /* loops of edges that are passed more often one way than the other */
    int64_t branching_edges;     /* with three or more triangles: not manifold */
    int64_t parts;               /* connected through shared vertices */
    int64_t inside_out;          /* parts that were flipped as a whole */
    int64_t buried; /* parts within the solid of others that are wound the same way, so they are no cavities */
    int64_t euler;  /* vertices - edges + triangles of the used mesh */
    double area;    /* m^2, of the used triangles */
    double volume;  /* m^3, enclosed once holes are closed; 0 for sheets and ground */
    double wrapped; /* m, lattice of the skin around triangles that do not join; 0: no skin */
} rn_mesh_report;

/* Writes line `index` of the report into `text`: one fault or assumption each. Returns false past the last. A valid
   mesh has no lines, unless it is used as ground. */
RN_API bool rn_mesh_report_line(const rn_mesh_report *report, int index, char *text, size_t size);

/* The solid that the triangles enclose, with exact distances. Returns NULL on failure, or if they enclose nothing.
   `report` may be NULL; on failure it is filled as far as known. */
RN_API rn_sdf *rn_sdf_mesh(const rn_mesh_solid_def *def, rn_mesh_report *report);
/* Moves the vertices of a mesh: `positions` has as many as rn_sdf_mesh was given, and its transform applies; not kept.
   Triangles and their meaning stay. Returns RN_INVALID, with nothing changed, if the field is not a mesh, the number of
   vertices differs, or a coordinate is not finite. Returns RN_MEMORY if memory runs out. Allocates little after the
   first call. For a solid of a world use rn_world_deform_solid. */
RN_API rn_result rn_sdf_mesh_deform(rn_sdf *mesh, const float *positions, size_t vertex_count);

/* ---- Columns ---------------------------------------------------------------------------------- */

/* Solid from `under` to `base`, open from `base` to `ceil` (m). `under` of a cell's lowest column is -INFINITY (of
   math.h) where the ground continues downwards, otherwise the underside of solid that hangs in the air. `ceil` of
   the highest column is the terrain's lid, or the solid that reaches up to it. A cell that is solid up to the lid is
   a wall: one column with base = ceil = lid. */
typedef struct rn_column {
    double under, base, ceil;
} rn_column;

typedef struct rn_terrain rn_terrain;

typedef struct rn_terrain_def {
    int cells_x, cells_y;      /* cells along x and y */
    double cell_size;          /* m, side of a square cell */
    double origin_x, origin_y; /* m, the corner with the least x and y; default 0 */
    double bottom, lid; /* m, where rays start and end; both 0: chosen from the solid. A bottom of -INFINITY: 0, or
                           below the solid's lowest surface if that is lower */
    rn_sdf *solid;      /* consumed; NULL if `columns` is given */

    /* Instead of a solid: columns from the host, cell by cell, x fastest, bottom to top. `lid` is required. */
    const rn_column *columns;
    const int32_t *columns_per_cell; /* cells_x*cells_y counts; 0 is a hole through which liquid leaves */

    int threads; /* that share the rays; default 1; 0: one per core */
    rn_hooks hooks;
} rn_terrain_def;

/* A definition with all defaults. */
RN_API rn_terrain_def rn_terrain_default(void);

/* Casts a ray up through the centre of every cell and stores the columns that it finds, or copies and checks those of
   the host. Returns RN_INVALID if a value is invalid, or the field has no solid anywhere. Returns RN_LIMIT if there are
   too many cells. On failure *terrain is NULL; def->solid is consumed even then. */
RN_API rn_result rn_terrain_create(const rn_terrain_def *def, rn_terrain **terrain);
/* NULL is allowed. */
RN_API void rn_terrain_destroy(rn_terrain *terrain);

typedef struct rn_terrain_info {
    int cells_x, cells_y;
    double cell_size;          /* m */
    double origin_x, origin_y; /* m */
    double lowest, highest;    /* m, least and greatest base */
    double lid;                /* m */
    int layers;                /* largest number of columns in one cell */
    int64_t columns;
    int64_t holes; /* cells without any column */
} rn_terrain_info;

/* Size, heights and column counts of a terrain. */
RN_API rn_terrain_info rn_terrain_describe(const rn_terrain *terrain);

/* The columns of a cell within the grid, bottom to top; NULL and a count of 0 for a hole. count may be NULL. Valid as
   long as the terrain. */
RN_API const rn_column *rn_terrain_cell(const rn_terrain *terrain, int x, int y, int *count);

/* Figures to judge whether the cells are small enough for a solid. */
typedef struct rn_survey {
    int64_t covered;   /* cells with solid above the lowest base, or hanging in the air */
    int64_t overhangs; /* cells with solid above open space */
    double solid;      /* m^3 of solid; of ground that continues downwards, the part above the lowest base */
    int64_t stretches; /* runs of such solid: there can be several above each other in a cell */
    int64_t thin;      /* runs shorter than 1.5 cells, or one cell thick over such a height */
    rn_vec3 thin_at;   /* m, middle of the thinnest of these; of several walls one cell thick, the highest */
    int64_t cavities;  /* places that liquid from above or from beyond the edges cannot reach */
    double sealed;     /* m^3, of all cavities */
    double largest;    /* m^3, of the largest cavity */
} rn_survey;

/* Measures the columns of a terrain. Returns RN_MEMORY if memory runs out; then all are 0. */
RN_API rn_result rn_terrain_survey(const rn_terrain *terrain, rn_survey *survey);

#ifdef __cplusplus
}
#endif

#endif
