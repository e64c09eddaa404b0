#include "base/sized_struct.h"

#include <string.h>

enum { SIZE_MAX_SANE = 1 << 16 }; /* a larger size is memory that nobody has set */

static puad_status check_size(size_t *out, const void *of, const char *name)
{
    memcpy(out, of, sizeof *out);
    if (*out >= sizeof *out && *out <= SIZE_MAX_SANE) return PUAD_OK;
    FAIL(PUAD_INVALID, "struct_size of a %s is %zu; set it to sizeof(%s)", name, *out, name);
}

static void fill(void *out, size_t has, const void *from, size_t size)
{
    size_t common = has < size ? has : size;
    memset((char *)out + common, 0, has - common);
    memcpy(out, from, common);
    memcpy(out, &has, sizeof has);
}

puad_status struct_write(void *out, const void *from, size_t size, const char *name)
{
    size_t has;
    TRY(check_size(&has, out, name));
    fill(out, has, from, size);
    return PUAD_OK;
}

puad_status struct_write_at(void *out, size_t index, const void *from, size_t size, const char *name)
{
    size_t has;
    TRY(check_size(&has, out, name));
    fill((char *)out + index * has, has, from, size);
    return PUAD_OK;
}

puad_status struct_read(void *out, size_t size, const void *from, const char *name)
{
    size_t has;
    TRY(check_size(&has, from, name));
    fill(out, size, from, has < size ? has : size);
    return PUAD_OK;
}
