/* Preloaded into the program to make a call of the C library fail. FAULT_READDIR=N: the Nth name of a
 * folder cannot be read. FAULT_FCLOSE: closing an output (a ".part" file) fails with EDQUOT. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int fclose(FILE *stream)
{
    int (*next)(FILE *);
    void *found = dlsym(RTLD_NEXT, "fclose");
    char link[64], path[4096] = "";
    memcpy(&next, &found, sizeof next);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(stream));
    ssize_t length = getenv("FAULT_FCLOSE") ? readlink(link, path, sizeof path - 1) : 0;
    int result = next(stream);
    if (length < 5 || strcmp(path + length - 5, ".part") != 0) return result;
    errno = EDQUOT;
    return EOF;
}
