/* CSV files into the rows of a dataset, and the roles that the options give to columns. */
#ifndef DATA_TABLE_CSV_H
#define DATA_TABLE_CSV_H

#include "data/csv.h"
#include "data/dataset.h"
#include "data/options.h"

typedef enum column_role { ROLE_FEATURE, ROLE_LABEL, ROLE_ID, ROLE_IGNORED } column_role;

/* The role of each column, which the caller frees. PUAD_INVALID names a column that the file does not have. A
 * label column or one to ignore that is absent is let pass when `label_optional`. */
puad_status csv_roles(column_role **out, const csv_reader *reader, const data_options *options,
                      bool label_optional);

/* The names of the columns for a message; those that `size` bytes do not hold are left out. */
void csv_list_columns(char *out, size_t size, const csv_reader *reader);

/* PUAD_INVALID where the options name a column of categories that the file does not have. */
puad_status csv_check_categorical(const csv_reader *reader, const data_options *options);

/* Column names that tell a header: those of the options. `out` has room for all of them, see csv_known_count.
 */
size_t csv_known_count(const data_options *options);
void csv_known(const char **out, const data_options *options);

/* The file at `path` and those of options->anomalies and options->normals as one dataset with its transform.
 */
puad_status table_from_csv(dataset *out, const char *path, const data_options *options);

#endif
