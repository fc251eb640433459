/* Reads the coats of a scene (coats.h). Failures leave the reason and the place in rn_last_error(). */
#include "io/scene/coats.h"

/* Reads one coat and its region. */
static rn_result read_coat(rn_shape_context *shapes, const json_t *object, const rn_json_path *place, rn_coats *coats) {
    rn_coat_values values = {0};
    const rn_json_path in_at = {place->document, place, "in", 0};
    const int number = coats->count;
    if (number == RN_MOST_COATS)
        return rn_document_fail(place, RN_LIMIT, "is one coat too many; at most %d are allowed", RN_MOST_COATS);
    rn_result result = rn_document_object(object, place);
    if (result == RN_OK) result = rn_table_read(&rn_coat_table, object, place, &values);
    if (result == RN_OK && values.in) result = rn_shape_read(shapes, values.in, &in_at, &coats->regions[number]);
    if (result != RN_OK) return result;
    coats->coats[number] = (rn_coat){.material = (rn_solid_material)values.material,
                                     .colour = {values.colour[0], values.colour[1], values.colour[2]}};
    coats->count++;
    coats->paints[number] = (rn_paint){.in = coats->regions[number], .coat = 1 + number};
    return RN_OK;
}

rn_result rn_coats_read(rn_shape_context *shapes, const json_t *list, const rn_json_path *place, rn_coats *coats) {
    const rn_json_path list_at = {place->document, place, "coats", 0};
    rn_result result = RN_OK;
    for (size_t i = 0; i < json_array_size(list) && result == RN_OK; i++) {
        const rn_json_path at = {place->document, &list_at, NULL, i};
        result = read_coat(shapes, json_array_get(list, i), &at, coats);
    }
    return result;
}

void rn_coats_free(rn_coats *coats) {
    for (int i = 0; i < RN_MOST_COATS; i++) rn_sdf_destroy(coats->regions[i]);
    *coats = (rn_coats){0};
}
