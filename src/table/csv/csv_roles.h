/* The roles that the options give to the columns of a CSV file. */
#ifndef TABLE_CSV_CSV_ROLES_H
#define TABLE_CSV_CSV_ROLES_H

#include "dataset/data_options.h"
#include "table/csv/csv.h"

typedef enum column_role { ROLE_FEATURE, ROLE_LABEL, ROLE_ID, ROLE_IGNORED } column_role;

/* The column that an option names, or the number of columns. Blanks around a name count only where the file
 * has them in quotes. */
size_t csv_find_column(const csv_reader *reader, const char *name);

/* The role of each column, which the caller frees. PUAD_INVALID names a column that the file does not have. A
 * label column or one to ignore that is absent is let pass when `label_optional`. */
puad_status csv_roles(column_role **out, const csv_reader *reader, const data_options *options,
                      bool label_optional);

/* Whether a list of names with commas between them, or a single name, names a column. */
bool csv_list_names(const char *list, const char *name);

/* The names of the columns for a message; those that `size` bytes do not hold are left out. */
void csv_list_columns(char *out, size_t size, const csv_reader *reader);

/* PUAD_INVALID where the options name a column of categories that the file does not have. */
puad_status csv_check_categorical(const csv_reader *reader, const data_options *options);

/* Column names that tell a header: those of the options.
 * `out` has room for all of them, see csv_known_count. */
size_t csv_known_count(const data_options *options);
void csv_known(const char **out, const data_options *options);

#endif
