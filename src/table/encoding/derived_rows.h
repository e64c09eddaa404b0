/* Derived columns of the training rows. */
#ifndef TABLE_ENCODING_DERIVED_ROWS_H
#define TABLE_ENCODING_DERIVED_ROWS_H

#include "table/encoding/table_columns.h"

/* From the codes of a table's categories to those of the groups of a transform, for each of the groups. */
typedef struct group_maps {
    uint32_t *codes[DERIVED_MAX];
} group_maps;

puad_status group_map_new(group_maps *out, arena *memory, const table *from, const transform *how,
                          size_t groups);

/* The cells of row `row` of a block that derived columns need. */
void derived_row(derived_cells *out, const table *from, const transform *how, const group_maps *maps,
                 const table_block *block, size_t row);

/* Adds the derived columns that the table's options ask for to the columns of `out`. */
puad_status derived_learn(transform *out, const table *from, notes *told);

/* Derived columns that promise to help: kinds and columns. `capacity` of them at most. */
typedef struct derived_list {
    size_t count;
    derived_column list[DERIVED_MAX];
} derived_list;
puad_status derived_propose(derived_list *out, const table *from, const transform *how);

/* Whether the labels speak for a derived column with these values; true for too few labels. */
puad_status derived_supported(bool *out, const double *values, const bool *labeled, size_t count);

/* Those that option 'derive' lists. */
puad_status derived_parse(derived_list *out, const table *from, const transform *how);

#endif
