/* What the inspections of meshes, volumes and terrains share: inspect_warn() collects warnings, inspect_has_ending()
   checks file extensions, inspect_choose_cells() sets the grid. */
#include "inspect/inspect.h"

#include "common/options.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { DEFAULT_CELLS = 200 };

void inspect_warn(inspection *i, const char *format, ...) {
    if (i->warning_count == INSPECT_WARNINGS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(i->warnings[i->warning_count++], INSPECT_TEXT, format, arguments);
    va_end(arguments);
}

bool inspect_has_ending(const char *path, const char *ending) {
    const char *dot = strrchr(rn_path_name(path), '.');
    if (!dot || strlen(dot + 1) != strlen(ending)) return false;
    for (size_t k = 0; ending[k]; k++)
        if (tolower((unsigned char)dot[1 + k]) != ending[k]) return false;
    return true;
}

/* Returns a length, above 0, rounded up to three significant digits, which are easier to read in a scene. */
static double round_up(double length) {
    const double digit = pow(10, floor(log10(length)) - 2);
    return ceil(length / digit - 1e-9) * digit;
}

bool inspect_check_cell(const inspection *i) {
    const double longer = fmax(i->size.x, i->size.y);
    if (i->cell >= 1e-6 && i->cell <= 1e5) return true;
    complain("%s: is %.3g m long, and its cells would be %.3g m; cells are from 1e-6 to 1e5 m%s", i->options->path,
             longer, i->cell, i->is_mesh ? ": give another --unit" : "");
    return false;
}

bool inspect_choose_cells(inspection *i, double margin) {
    const inspect_options *o = i->options;
    const double longer = fmax(i->size.x, i->size.y), more = margin * longer;
    if (!(longer > 0)) {
        complain("%s: it has no width: seen from above it is a point", o->path);
        return false;
    }
    if (!isfinite(longer + more)) {
        complain("%s: is too large: its size is not a finite number of metres", o->path);
        return false;
    }
    i->cell = o->cell > 0 ? o->cell : round_up((longer + more) / (o->cells ? o->cells : DEFAULT_CELLS));
    if (!inspect_check_cell(i)) return false;
    const double counts[] = {(i->size.x + more) / i->cell, (i->size.y + more) / i->cell};
    if (fmax(counts[0], counts[1]) > INSPECT_CELLS) {
        complain("%s: is %.4g m long, more than %d cells of %.4g m; give a larger --cell", o->path, longer,
                 INSPECT_CELLS, i->cell);
        return false;
    }
    for (int axis = 0; axis < 2; axis++) /* a cell given in 12 digits may be a little too long for a whole number */
        i->cells[axis] = (int)fmax(4, margin > 0 ? ceil(counts[axis]) : floor(counts[axis] + 1e-6));
    return true;
}
