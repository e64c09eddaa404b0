/* Predicts what training would do with each column: learns the encoding, then describes it. */
#include "base/file.h"
#include "input/input.h"
#include "table/encoding/table_columns.h"

#include <stdio.h>
#include <stdlib.h>

enum { CELLS_MOST = 20000000 }; /* larger inputs are only streamed, without this preview */

static void describe_category(char *out, size_t room, const transform_column *column)
{
    if (column->categories.count == 0) {
        snprintf(out, room, "an identifier, at most its count is used");
        return;
    }
    snprintf(out, room, "a category of %zu strings%s%s", column->categories.count,
             column->rest ? " and one for all others" : "", column->indicator ? ", missing ones marked" : "");
}

static void describe_date(char *out, size_t room, const transform *how, size_t first)
{
    size_t used = 0;
    for (size_t i = first; i < how->column_count && (i == first || transform_goes_on(how, i)); i++)
        if (how->columns[i].type == COLUMN_NUMBER && used < room)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
                                     date_part_words(how->columns[i].part));
    if (!used) snprintf(out, room, "left out: %s", how->columns[first].reason);
}

static void describe(char *out, size_t room, const transform *how, size_t index)
{
    const transform_column *column = &how->columns[index];
    if (column->part != PART_VALUE)
        describe_date(out, room, how, index);
    else if (column->type == COLUMN_DROPPED)
        snprintf(out, room, "left out: %s", column->reason);
    else if (column->type == COLUMN_CATEGORY)
        describe_category(out, room, column);
    else
        snprintf(out, room, "a number%s", column->indicator ? ", missing ones marked" : "");
}

static puad_status set_fates(profile *out, const transform *how)
{
    size_t found = 0; /* columns are in file order: search after the previous match */
    for (size_t i = 0, source = SIZE_MAX; i < how->column_count; i++) {
        char text[400] = "";
        source += !transform_goes_on(how, i);
        if (transform_goes_on(how, i)) continue;
        describe(text, sizeof text, how, i);
        for (size_t n = 0; n < out->column_count; n++) {
            size_t k = (found + n) % out->column_count;
            bool same = how->named ? strcmp(out->columns[k].name, how->columns[i].source) == 0 : k == source;
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
    data_options how = *options;
    for (size_t k = 0; k < out->column_count; k++)
        if (strcmp(out->columns[k].role, "feature") != 0)
            out->columns[k].fate = strcmp(out->columns[k].role, "ignored") == 0 ? "left out: ignored"
                                   : strcmp(out->columns[k].role, "id") == 0    ? "identifies the rows"
                                                                                : "the label";
    if (out->image || out->rows == 0 || !out->column_count || out->rows > CELLS_MOST / out->column_count ||
        read_once(options->kept, path))
        return PUAD_OK;
    if (how.label_column) { /* labels that belong to no class are reported elsewhere */
        TRY(memory_new(&ignored, how.ignore_count + 1, sizeof *ignored, "columns"));
        for (size_t i = 0; i < how.ignore_count; i++) ignored[i] = how.ignore[i];
        ignored[how.ignore_count++] = how.label_column;
        how.ignore = ignored;
        how.label_column = NULL;
    }
    how.anomalies = how.normals = how.y = NULL;
    puad_status status = data_open(&rows, path, &how);
    /* failures about rows are not reported here */
    if (status == PUAD_MEMORY || status == PUAD_IO) return status;
    if (status != PUAD_OK) {
        out->refusal = arena_text(&out->memory, puad_last_error());
        return out->refusal ? PUAD_OK : status_fail(PUAD_MEMORY, "no memory for a message");
    }
    for (size_t i = 0; i < rows.notes.count; i++) TRY(notes_add(&out->notes, "%s", rows.notes.texts[i]));
    return rows.transform ? set_fates(out, rows.transform) : PUAD_OK;
}
