/* Internal: what each input format of formats.def provides. */
#ifndef INPUT_FORMAT_H
#define INPUT_FORMAT_H

#include "input/input.h"

/* A format's source of encoded rows starts with this struct; `state` belongs to the format. */
struct row_source {
    puad_status (*next)(row_block *out, void *state, size_t rows_most);
    puad_status (*tell)(notes *out, const void *state);
    void (*end)(void *state);
    const char *id_name;
    void *state;
    const bool *absent; /* per column of the encoding: true if the input lacks it; NULL: none is missing */
    const char *const *cell_names; /* or NULL */
    size_t cell_count;
    const char *const *added; /* columns that the training file lacks */
    size_t added_count;
    const unreadable_images *unreadable; /* so far, in the source's `state`; or NULL */
    kept_files *kept;                    /* owned, or NULL */
};

typedef struct format {
    const char *name, *what;
    bool (*matches)(const char *path, const unsigned char *head,
                    size_t size); /* the first bytes, decompressed */
    puad_status (*load)(dataset *out, const char *path, const data_options *options);
    puad_status (*rows)(row_source *out, const char *path, const transform *encoding,
                        const data_options *options);
    puad_status (*profile)(profile *out, const char *path, const data_options *options);
} format;

/* Detects the format of an input. A pipe (standard input) is treated as text and not opened. */
puad_status format_of(const format **out, const char *path, kept_files *kept);

#define FORMAT(name, what)                                                                                   \
    bool format_##name##_matches(const char *path, const unsigned char *head, size_t size);                  \
    puad_status format_##name##_load(dataset *out, const char *path, const data_options *options);           \
    puad_status format_##name##_rows(row_source *out, const char *path, const transform *encoding,           \
                                     const data_options *options);                                           \
    puad_status format_##name##_profile(profile *out, const char *path, const data_options *options);
#include "input/formats.def"
#undef FORMAT

/* Rows with a number outside its column's bounds, counted for a note. `column` is the first such column,
 * or NULL. */
typedef struct extreme_rows {
    size_t count, first_row;
    const transform_column *first;
} extreme_rows;
static inline void extreme_rows_add(extreme_rows *counted, const transform_column *column, size_t row)
{
    if (column && counted->count++ == 0) *counted = (extreme_rows){1, row, column};
}
puad_status extreme_rows_tell(notes *out, const extreme_rows *counted, const char *file);

#endif
