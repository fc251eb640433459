/* Named numbers of a scene, and expressions of them, "=2 * length + 0.03", wherever a number may stand. */
#ifndef RN_IO_EXPRESSION_H
#define RN_IO_EXPRESSION_H

#include "io/scene/document.h"

#include <runnel/io.h>

/* Whether a value is text that begins with "=". */
bool rn_expression_is(const json_t *value);

/* The value of an expression, with the parameters of its document. The message of a failure names the place. */
rn_result rn_expression_read(const json_t *value, const rn_json_path *place, double *number);

/* Checks the names of "parameters"; the caller checks the numbers. */
rn_result rn_parameters_check(const json_t *parameters, const rn_json_path *place);

/* The parameter most similar to a misspelt name, or NULL. */
const char *rn_parameters_nearest(const rn_document *document, const char *name);
/* Lists all parameters: "length, width". */
void rn_parameters_list(const rn_document *document, char *names, size_t size);

/* Copies all parameters and returns their number; 0 if there are none, or if one is not valid. */
int rn_parameters_copy(const rn_document *document, rn_parameter parameters[RN_MOST_PARAMETERS]);

#endif
