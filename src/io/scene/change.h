/* Changes to a document from the command line: runnel run SCENE --set KEY=VALUE. */
#ifndef RN_IO_CHANGE_H
#define RN_IO_CHANGE_H

#include "io/scene/document.h"

/* Applies set[index], "liquid.viscosity=4e-5", or "length=0.08" for a parameter of that name; what is not JSON after
   the "=" is text. Records set[0] to set[index] for messages: they must outlive the document. Keys are not checked,
   except that "parameters.NAME" must exist. On failure returns RN_INVALID or RN_MEMORY, with a reason in
   rn_last_error(); objects made on the way to a wrong key may then remain. */
rn_result rn_document_change(rn_document *document, const char *const *set, int index);

#endif
