/* The roles that options assign to the columns of a CSV file. */
#ifndef TABLE_CSV_CSV_ROLES_H
#define TABLE_CSV_CSV_ROLES_H

#include "dataset/data_options.h"
#include "table/csv/csv.h"

typedef enum column_role { ROLE_FEATURE, ROLE_LABEL, ROLE_ID, ROLE_IGNORED } column_role;

/* The index of the column that an option names, or the number of columns. Blanks around a name count only
 * if they are quoted in the file. */
size_t csv_find_column(const csv_reader *reader, const char *name);

/* The role of each column; the caller frees it. PUAD_INVALID names a column that the file does not have.
 * With label_optional, missing label or ignored columns are not an error. */
puad_status csv_roles(column_role **out, const csv_reader *reader, const data_options *options,
                      bool label_optional);

/* Whether a list of names separated by commas, or a single name, contains a column. */
bool csv_list_names(const char *list, const char *name);

/* Lists the names of the columns for a message; truncated to `size` bytes. */
void csv_list_columns(char *out, size_t size, const csv_reader *reader);

/* PUAD_INVALID if the options name a category column that the file does not have. */
puad_status csv_check_categorical(const csv_reader *reader, const data_options *options);

/* Column names in the options; a first record that contains one is a header. `out` has capacity for
 * csv_known_count names. */
size_t csv_known_count(const data_options *options);
void csv_known(const char **out, const data_options *options);

#endif
