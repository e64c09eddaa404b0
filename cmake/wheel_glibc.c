/* Functions that glibc exports under their names from 2.33 on only, for the libraries of the Python wheel, which run with glibc 2.28.
 *
 * The 64-bit structures of the system call and of glibc are the same. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int stat(const char *restrict path, struct stat *restrict out)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, 0);
}

int lstat(const char *restrict path, struct stat *restrict out)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int fstat(int file, struct stat *out)
{
    return (int)syscall(SYS_newfstatat, file, "", out, AT_EMPTY_PATH);
}
