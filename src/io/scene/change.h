/* Changes to a document from the command line: runnel run SCENE --set KEY=VALUE. */
#ifndef RN_IO_CHANGE_H
#define RN_IO_CHANGE_H

#include "io/scene/document.h"

/* Applies one change, "liquid.viscosity=4e-5", or "length=0.08" for a parameter of that name. The argument must
   outlive the document. */
rn_result rn_document_change(rn_document *document, const char *const *set, int index);

#endif
