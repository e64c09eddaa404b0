/* The version of the library, as a number to compare and as text. */
#ifndef PUAD_VERSION_H
#define PUAD_VERSION_H

#include <puad/status.h>

#define PUAD_VERSION_MAJOR 0
#define PUAD_VERSION_MINOR 1
#define PUAD_VERSION_PATCH 0
#define PUAD_VERSION_TEXT "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, which may be newer than this header. */
PUAD_API const char *puad_version(void);

#ifdef __cplusplus
}
#endif
#endif
