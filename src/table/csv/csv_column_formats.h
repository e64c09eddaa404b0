/* How each column of a CSV file is written, see column_format.h: decided before its rows are read. */
#ifndef TABLE_CSV_CSV_COLUMN_FORMATS_H
#define TABLE_CSV_CSV_COLUMN_FORMATS_H

#include "table/cells/column_format.h"
#include "table/csv/csv.h"
#include "table/csv/csv_roles.h"

typedef struct form_set {
    form_choice *list; /* one per column of the file; owned */
    size_t count;
    bool known; /* not where a pipe is read only once: csv_forms_peek follows */
} form_set;

/* By all rows where the first ones leave a doubt (with `whole` in any case), by the first ones of a pipe. */
puad_status csv_forms_settle(form_set *out, const char *path, const csv_settings *settings,
                             const data_options *options, bool whole);

/* By the first rows, of a reader that has given none yet. It must be planned anew. */
puad_status csv_forms_peek(form_set *out, csv_reader *reader, const data_options *options);

void form_set_free(form_set *owner); /* {0} is fine */
#define AUTO_FORMS __attribute__((cleanup(form_set_free)))

#endif
