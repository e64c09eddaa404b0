/* Inside the door: what each kind of input of formats.def provides. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include "data/input.h"

/* A source of encoded rows is one of these; `state` belongs to the format. */
struct row_source {
    puad_status (*next)(row_block *out, void *state, size_t rows_most);
    puad_status (*tell)(notes *out, const void *state);
    void (*end)(void *state);
    const char *id_name;
    void *state;
};

typedef struct format {
    const char *name, *what;
    bool (*matches)(const char *path, const unsigned char *head, size_t size); /* the first bytes, unpacked */
    puad_status (*load)(dataset *out, const char *path, const data_options *options);
    puad_status (*rows)(row_source *out, const char *path, const transform *how, const data_options *options);
    puad_status (*profile)(profile *out, const char *path, const data_options *options);
} format;

/* The kind of an input; what comes through a pipe (standard input) is text, and is not opened here. */
puad_status format_of(const format **out, const char *path, kept_files *kept);

#define FORMAT(name, what)                                                                                   \
    bool format_##name##_matches(const char *path, const unsigned char *head, size_t size);                  \
    puad_status format_##name##_load(dataset *out, const char *path, const data_options *options);           \
    puad_status format_##name##_rows(row_source *out, const char *path, const transform *how,                \
                                     const data_options *options);                                           \
    puad_status format_##name##_profile(profile *out, const char *path, const data_options *options);
#include "data/formats.def"
#undef FORMAT

#endif
