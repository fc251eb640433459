/* Fills the table of layers of a liquid by depth (optics.h), after Kubelka and Munk. */
#include "render/optics.h"

#include <math.h>

/* Sets `self` and `through` (see rn_layer) of one colour for a layer of this depth (m). A layer of depth 0, or one that
   neither absorbs nor scatters, reflects nothing and lets everything through. Kubelka-Munk: a layer with absorption K
   and scattering S (1/m, of diffuse light) over reflectance g has R = (1 - g(a - c))/(a - g + c), a = 1 + K/S, b =
   sqrt(a² - 1), c = b·coth(bSd), which is 1/(Sd) for K = 0. Divided by a + c this is the form of rn_layer. */
static void solve_layer(double absorption, double scattering, double depth, float *self, float *through) {
    double s = fmax(scattering, 1e-6 * absorption), a = 1 + absorption / s, b = sqrt(a * a - 1);
    double reach = b * s * depth, scattered = s * depth;
    if (!(fmax(reach, scattered) > 1e-9)) { /* no liquid, or nothing that dims or scatters */
        *self = 0;
        *through = 1;
        return;
    }
    double c = reach > 1e-9 ? b / tanh(reach) : 1 / scattered;
    *self = (float)(1 / (a + c));
    *through = (float)((c - a) / (a + c));
}

void rn_optics_prepare(const rn_liquid *liquid, double full_depth, double deepest, rn_optics *optics) {
    double absorption[3], scattering[3], strongest = 0, total = 0, weakest = INFINITY;
    for (int i = 0; i < 3; i++) {
        /* Kubelka-Munk uses K = 2·sigma for diffuse light. With little scattering light stays a beam, whose path
           through the layer is half as long. */
        double both = liquid->absorption[i] + liquid->scattering[i];
        absorption[i] = liquid->absorption[i] * (1 + (both > 0 ? liquid->scattering[i] / both : 0));
        scattering[i] = 0.75 * liquid->scattering[i];
        strongest = fmax(strongest, absorption[i]);
        total = fmax(total, absorption[i] + scattering[i]);
        weakest = fmin(weakest, absorption[i] + scattering[i]);
    }
    const double readable = 0.4, enough = 1.5; /* (K + S)·d of the strongest and of the weakest colour */
    double boost = 1;
    if (!(full_depth > 0)) full_depth = deepest; /* as it is */
    else if (total > 0 && total * full_depth < readable) boost = readable / (total * full_depth);
    else if (weakest * full_depth > enough) boost = enough / (weakest * full_depth);
    double mean = (absorption[0] + absorption[1] + absorption[2]) / 3;
    for (int i = 0; i < 3; i++) {
        if (boost > 1) { /* the colour of metres of a clear liquid would look garish on millimetres */
            absorption[i] = 0.35 * absorption[i] + 0.65 * mean;
            scattering[i] += 0.02 * (strongest - absorption[i]);
        }
        absorption[i] *= boost;
        scattering[i] *= boost * fmin(sqrt(boost), 1); /* depths that one looks into must not be light as paint */
    }
    deepest = fmax(deepest, 1e-9);
    for (int step = 0; step < RN_OPTICS_STEPS; step++) {
        double root = (double)step / (RN_OPTICS_STEPS - 1), depth = deepest * root * root;
        optics->layers[step].inside = (float)(0.4 * depth / (depth + 0.05 * full_depth));
        for (int i = 0; i < 3; i++)
            solve_layer(absorption[i], scattering[i], depth, &optics->layers[step].self[i],
                        &optics->layers[step].through[i]);
    }
    optics->scale = (float)((RN_OPTICS_STEPS - 1) / sqrt(deepest));
    optics->metal = liquid->refraction <= 0;
    double n = liquid->refraction, mirror = (n - 1) / (n + 1);
    optics->mirror = optics->metal ? 0.78f : (float)(mirror * mirror);
}
