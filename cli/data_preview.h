/* Previews of an input for `puad data`. */
#ifndef CLI_DATA_PREVIEW_H
#define CLI_DATA_PREVIEW_H

#include "cli/common/command.h"

#include <puad/profile.h>

/* Example images by class or label, or a histogram of each column of a table. Labels that the options do
 * not explain are left out. */
puad_status preview_input(const char *picture, const char *input, const puad_profile *found,
                          const puad_options *options);

#endif
