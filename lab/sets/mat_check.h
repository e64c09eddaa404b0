/* Whether a MATLAB file can be handed to libmatio, which believes what it reads. */
#ifndef LAB_SETS_MAT_CHECK_H
#define LAB_SETS_MAT_CHECK_H

#include "base/status.h"

/* The file is of version 5 to 7 and holds nothing but whole, plain numeric arrays, whose sizes agree with
 * each other and whose checksums are right. */
puad_status mat_check(const char *path);

#endif
