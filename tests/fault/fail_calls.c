/* Preloaded into the program: lets a call of the C library fail. FAULT_READDIR=N: the Nth name of a folder
 * cannot be read. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct dirent *readdir(DIR *folder)
{
    static unsigned long calls;
    struct dirent *(*next)(DIR *);
    void *found = dlsym(RTLD_NEXT, "readdir");
    const char *number = getenv("FAULT_READDIR");
    memcpy(&next, &found, sizeof next);
    if (number && ++calls == strtoul(number, NULL, 10)) {
        errno = EIO;
        return NULL;
    }
    return next(folder);
}
