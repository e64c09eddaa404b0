/* Reads some rows of a CSV file as strings. */
#include "input/original_cells.h"

#include "input/format.h"
#include "table/csv/csv.h"
#include "table/csv/csv_roles.h"

#include <string.h>

static puad_status plan_raw(raw_cells *out, csv_reader *reader, const data_options *data, size_t chosen)
{
    size_t count;
    const char *const *names = csv_columns(reader, &count);
    AUTO_FREE column_role *roles = NULL;
    AUTO_FREE cell_kind *kinds = NULL;
    TRY(csv_roles(&roles, reader, data, true));
    TRY(memory_new(&kinds, count, sizeof *kinds, "columns"));
    TRY(arena_new(&out->memory, &out->names, count, sizeof *out->names));
    for (size_t i = 0; i < count; i++) {
        kinds[i] = roles[i] == ROLE_FEATURE || roles[i] == ROLE_IGNORED ? CELL_TEXT : CELL_SKIP;
        if (kinds[i] != CELL_TEXT) continue;
        out->names[out->columns] = arena_text(&out->memory, names[i]);
        if (!out->names[out->columns++]) FAIL(PUAD_MEMORY, "no memory for column names");
    }
    TRY(arena_new(&out->memory, &out->cells, chosen * out->columns, sizeof *out->cells));
    return csv_plan(reader, kinds);
}

static puad_status keep_cells(raw_cells *out, const csv_block *block, size_t row, size_t place)
{
    for (size_t c = 0; c < out->columns; c++) {
        text_view view = block->texts[row * out->columns + c];
        const char *text = NULL;
        TRY(arena_view(&out->memory, &text, view));
        out->cells[place * out->columns + c] = (text_view){text, view.length};
    }
    return PUAD_OK;
}

static puad_status read_raw(raw_cells *out, csv_reader *reader, const data_options *data,
                            const size_t *chosen, size_t count)
{
    TRY(plan_raw(out, reader, data, count));
    for (size_t blocks = 1; blocks;) {
        csv_block *list;
        TRY(csv_next(&list, &blocks, reader, NULL, NULL));
        for (size_t b = 0; b < blocks; b++)
            for (size_t k = 0; k < count; k++)
                if (chosen[k] >= list[b].first_row && chosen[k] < list[b].first_row + list[b].rows)
                    TRY(keep_cells(out, &list[b], chosen[k] - list[b].first_row, k));
    }
    return PUAD_OK;
}

puad_status raw_cells_find(raw_cells *out, const char *path, const data_options *data, const size_t *chosen,
                           size_t count)
{
    const format *kind = NULL;
    if (read_once(data->kept, path)) return PUAD_OK;
    TRY(format_of(&kind, path, data->kept));
    if (strcmp(kind->name, "csv") != 0) return PUAD_OK;
    AUTO_FREE const char **names = NULL;
    size_t known = csv_known_count(data);
    TRY(memory_new(&names, known + 1, sizeof *names, "columns"));
    csv_known(names, data);
    csv_settings settings = {.kept = data->kept,
                             .delimiter = data->delimiter,
                             .header = data->header,
                             .known = names,
                             .known_count = known};
    csv_reader *reader = NULL;
    TRY(csv_open(&reader, path, &settings, data->workers));
    puad_status status = read_raw(out, reader, data, chosen, count);
    csv_close(reader);
    return status;
}

void raw_cells_free(raw_cells *owner)
{
    arena_free(&owner->memory);
    *owner = (raw_cells){0};
}
