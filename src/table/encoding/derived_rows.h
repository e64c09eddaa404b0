/* Derived columns of training rows. */
#ifndef TABLE_ENCODING_DERIVED_ROWS_H
#define TABLE_ENCODING_DERIVED_ROWS_H

#include "table/encoding/table_columns.h"

/* Maps the codes of a table's categories to group codes, one map per groups. */
typedef struct group_maps {
    uint32_t *codes[DERIVED_MAX];
} group_maps;

puad_status group_map_new(group_maps *out, arena *memory, const table *source, const transform *encoding,
                          size_t groups);

/* The cells of row `row` of a block that derived columns need. */
void derived_row(derived_cells *out, const table *source, const transform *encoding, const group_maps *maps,
                 const table_block *block, size_t row);

/* Learns the derived columns that the table's options ask for, and appends them to `out`. */
puad_status derived_learn(transform *out, const table *source, notes *messages);

/* Derived columns to learn: kinds and sources. `capacity` is the maximum count. */
typedef struct derived_list {
    size_t count;
    derived_column list[DERIVED_MAX];
} derived_list;
puad_status derived_propose(derived_list *out, const table *source, const transform *encoding);

/* Logarithm of the probability that labels at random would agree with the values at least as well, corrected for
 * the number of tests; 0 without labels. */
puad_status derived_evidence(double *out, const double *values, const bool *labeled, size_t count);

/* Those listed in option 'derive'. */
puad_status derived_parse(derived_list *out, const table *source, const transform *encoding);

#endif
