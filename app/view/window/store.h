/* The settings of the window that are kept between runs, in $XDG_CONFIG_HOME/runnel/view.conf: lines of a name and a
   number. The window reads them before it opens and writes them when it closes. */
#ifndef VIEW_STORE_H
#define VIEW_STORE_H

#include "view/window/state.h"

/* Returns the settings of a first run. */
viewer_settings store_default(void);
/* Returns the settings in the file; defaults for those that it lacks. Lines that are unknown or out of range are
   ignored, and so is a file that cannot be read. */
viewer_settings store_read(void);
/* Writes these settings to the settings file, completely or not at all. If that fails, the old file stays and nothing
   is reported. */
void store_write(const viewer_settings *settings);

#endif
