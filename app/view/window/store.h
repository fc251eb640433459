/* Settings of the window that are kept from one time to the next: a file of names and numbers in
 * $XDG_CONFIG_HOME/runnel.
 */
#ifndef VIEW_STORE_H
#define VIEW_STORE_H

#include "view/window/viewer.h"

viewer_settings store_default(void);
/* The defaults, and what the file has. A file that cannot be read or understood counts for nothing. */
viewer_settings store_read(void);
/* Written under a temporary name and renamed. */
void store_write(const viewer_settings *settings);

#endif
