/* Named numbers of a scene, and expressions of them, "=2 * length + 0.03", wherever a number may stand. */
#ifndef RN_IO_EXPRESSION_H
#define RN_IO_EXPRESSION_H

#include "io/scene/document.h"

#include <runnel/io.h>

/* Whether a value is text that begins with "=". NULL is allowed, and is not. */
bool rn_expression_is(const json_t *value);

/* Evaluates an expression (rn_expression_is) with the parameters of its document: numbers, names, + - * / ( ). On
   failure returns RN_INVALID, RN_LIMIT (too long) or RN_MEMORY; rn_last_error() names the place, and *number is then
   meaningless. */
rn_result rn_expression_read(const json_t *value, const rn_json_path *place, double *number);

/* Checks how many names "parameters" has, their length and their letters; the caller checks that their values are
   numbers. On failure returns RN_LIMIT or RN_INVALID, with a message that names the place. */
rn_result rn_parameters_check(const json_t *parameters, const rn_json_path *place);

/* Returns the parameter most similar to a misspelt name, or NULL if none is similar. Valid as long as the document. */
const char *rn_parameters_nearest(const rn_document *document, const char *name);
/* Writes all parameters to `names`, "length, width", cut off if longer than `size` - 1; "" if there are none. */
void rn_parameters_list(const rn_document *document, char *names, size_t size);

/* Copies names and values of all parameters and returns their number; 0 if there are none, too many, or if one is not a
   plain number or has too long a name. */
int rn_parameters_copy(const rn_document *document, rn_parameter parameters[RN_MOST_PARAMETERS]);

#endif
