/* Decides the cell format of each column of a CSV file (column_format.h) before its rows are read. */
#ifndef TABLE_CSV_CSV_COLUMN_FORMATS_H
#define TABLE_CSV_CSV_COLUMN_FORMATS_H

#include "table/cells/column_format.h"
#include "table/csv/csv.h"
#include "table/csv/csv_roles.h"

typedef struct form_set {
    form_choice *list; /* one per column of the file; owned */
    size_t count;
    bool known; /* false if a pipe is read only once: call csv_forms_peek */
} form_set;

/* Uses all rows if the first ones are ambiguous or `whole` is set; only the first ones of a pipe. */
puad_status csv_forms_settle(form_set *out, const char *path, const csv_settings *settings,
                             const data_options *options, bool whole);

/* Uses the first rows of a reader before its first csv_next. Call csv_plan again afterwards. */
puad_status csv_forms_peek(form_set *out, csv_reader *reader, const data_options *options);

void form_set_free(form_set *owner); /* {0} is fine */
#define AUTO_FORMS __attribute__((cleanup(form_set_free)))

#endif
