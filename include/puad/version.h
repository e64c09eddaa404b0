/* The version of the library, as a number to compare and as text. */
#ifndef PUAD_VERSION_H
#define PUAD_VERSION_H

#include <puad/status.h>

#define PUAD_VERSION_MAJOR 0
#define PUAD_VERSION_MINOR 1
#define PUAD_VERSION_PATCH 0
#define PUAD_VERSION_TEXT "0.1.0"
#define PUAD_VERSION_NUMBER (PUAD_VERSION_MAJOR * 1000000 + PUAD_VERSION_MINOR * 1000 + PUAD_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, which may be newer than this header. */
PUAD_API const char *puad_version(void);
PUAD_API int puad_version_number(void); /* as PUAD_VERSION_NUMBER: 0.1.0 is 1000 */

#ifdef __cplusplus
}
#endif
#endif
