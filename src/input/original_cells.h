/* The original cells of some rows of a CSV file, for a person to read. */
#ifndef INPUT_ORIGINAL_CELLS_H
#define INPUT_ORIGINAL_CELLS_H

#include "base/memory.h"
#include "dataset/data_options.h"

typedef struct raw_cells {
    arena memory; /* owns the rest */
    const char **names;
    text_view *cells; /* rows x columns; NULL strings for a row that the file does not have */
    size_t columns;
} raw_cells;

/* The cells of the chosen rows, in their order, without label and id columns. No columns if the input is
 * not CSV or cannot be read again. */
puad_status raw_cells_find(raw_cells *out, const char *path, const data_options *data, const size_t *chosen,
                           size_t count);
void raw_cells_free(raw_cells *owner); /* {0} is fine */
#define AUTO_RAW_CELLS __attribute__((cleanup(raw_cells_free)))

#endif
