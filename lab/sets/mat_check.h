/* Checks that a MATLAB file can be passed to libmatio, which does not validate its input. */
#ifndef LAB_SETS_MAT_CHECK_H
#define LAB_SETS_MAT_CHECK_H

#include "base/status.h"

/* The file must be of version 5 to 7 and contain only complete, plain numeric arrays with consistent sizes
 * and valid checksums. */
puad_status mat_check(const char *path);

#endif
