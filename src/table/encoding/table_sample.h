/* A uniform sample of the rows of a table, taken while they are read, in constant memory.
 *
 * Each row has a random key: a hash of the seed and its number. Of each label the rows with the smallest keys are
 * kept, at most `rows_max` of them, so the sample depends neither on threads nor on how the input is cut into blocks. */
#ifndef TABLE_ENCODING_TABLE_SAMPLE_H
#define TABLE_ENCODING_TABLE_SAMPLE_H

#include "table/encoding/table_columns.h"

/* Appends a block, or of a sample the rows `chosen` of it; the block is taken over if `chosen` is NULL. */
puad_status table_take(table *owner, table_block *block, const uint32_t *chosen, size_t count);

/* The rows of the next block that are kept, into `chosen` (capacity block->rows), and their number; all of them,
 * and false, until there are too many. */
bool table_choose(uint32_t *chosen, size_t *out_count, const table *owner, const table_block *block);

/* At most rows_max rows of each label remain. */
puad_status table_sample_end(table *owner);

/* Of each text of a category the number of rows that are kept. */
puad_status table_kept_counts(uint64_t **out, arena *memory, const table *owner, const table_column *column);

#endif
