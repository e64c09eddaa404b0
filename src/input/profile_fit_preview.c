/* Predicts what training would do with each column: learns the encoding, then describes it. */
#include "base/file.h"
#include "input/input.h"
#include "table/encoding/table_columns.h"

#include <stdio.h>
#include <stdlib.h>

enum { CELLS_MAX = 20000000 }; /* larger inputs are only streamed, without this preview */

static void describe_category(char *out, size_t capacity, const transform_column *column)
{
    if (column->categories.count == 0) {
        snprintf(out, capacity, "an identifier, at most its count is used");
        return;
    }
    snprintf(out, capacity, "a category of %zu strings%s%s", column->categories.count,
             column->rest ? " and one for all others" : "", column->indicator ? ", missing ones marked" : "");
}

static void describe_date(char *out, size_t capacity, const transform *encoding, size_t first)
{
    size_t used = 0;
    for (size_t i = first; i < encoding->column_count && (i == first || transform_goes_on(encoding, i)); i++)
        if (encoding->columns[i].type == COLUMN_NUMBER && used < capacity)
            used += (size_t)snprintf(out + used, capacity - used, "%s%s", used ? ", " : "",
                                     date_part_words(encoding->columns[i].part));
    if (!used) snprintf(out, capacity, "left out: %s", encoding->columns[first].reason);
}

static void describe(char *out, size_t capacity, const transform *encoding, size_t index)
{
    const transform_column *column = &encoding->columns[index];
    if (column->part != PART_VALUE)
        describe_date(out, capacity, encoding, index);
    else if (column->type == COLUMN_DROPPED)
        snprintf(out, capacity, "left out: %s", column->reason);
    else if (column->type == COLUMN_CATEGORY)
        describe_category(out, capacity, column);
    else
        snprintf(out, capacity, "a number%s", column->indicator ? ", missing ones marked" : "");
}

static puad_status set_fates(profile *out, const transform *encoding)
{
    size_t found = 0; /* columns are in file order: search after the previous match */
    for (size_t i = 0, source = SIZE_MAX; i < encoding->column_count; i++) {
        char text[400] = "";
        source += !transform_goes_on(encoding, i);
        if (transform_goes_on(encoding, i)) continue;
        describe(text, sizeof text, encoding, i);
        for (size_t n = 0; n < out->column_count; n++) {
            size_t k = (found + n) % out->column_count;
            bool same = encoding->named ? strcmp(out->columns[k].name, encoding->columns[i].source) == 0
                                        : k == source;
            if (!same) continue;
            out->columns[k].fate = arena_text(&out->memory, text);
            if (!out->columns[k].fate) FAIL(PUAD_MEMORY, "no memory for columns");
            found = k + 1;
            break;
        }
    }
    return PUAD_OK;
}

puad_status profile_fates(profile *out, const char *path, const data_options *options)
{
    AUTO_DATASET dataset rows = {0};
    AUTO_FREE const char **ignored = NULL;
    data_options given = *options;
    for (size_t k = 0; k < out->column_count; k++)
        if (strcmp(out->columns[k].role, "feature") != 0)
            out->columns[k].fate = strcmp(out->columns[k].role, "ignored") == 0 ? "left out: ignored"
                                   : strcmp(out->columns[k].role, "id") == 0    ? "identifies the rows"
                                                                                : "the label";
    if (out->image || out->rows == 0 || !out->column_count || out->rows > CELLS_MAX / out->column_count ||
        read_once(options->kept, path))
        return PUAD_OK;
    if (given.label_column) { /* labels that belong to no class are reported elsewhere */
        TRY(memory_new(&ignored, given.ignore_count + 1, sizeof *ignored, "columns"));
        for (size_t i = 0; i < given.ignore_count; i++) ignored[i] = given.ignore[i];
        ignored[given.ignore_count++] = given.label_column;
        given.ignore = ignored;
        given.label_column = NULL;
    }
    given.anomalies = given.normals = given.y = NULL;
    puad_status status = data_open(&rows, path, &given);
    /* failures about rows are not reported here */
    if (status == PUAD_MEMORY || status == PUAD_IO) return status;
    if (status != PUAD_OK) {
        out->refusal = arena_text(&out->memory, puad_last_error());
        return out->refusal ? PUAD_OK : status_fail(PUAD_MEMORY, "no memory for a message");
    }
    for (size_t i = 0; i < rows.notes.count; i++) TRY(notes_add(&out->notes, "%s", rows.notes.texts[i]));
    return rows.transform ? set_fates(out, rows.transform) : PUAD_OK;
}
