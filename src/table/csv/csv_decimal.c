/* Decides the decimal mark from all cells of a file, since the first records may hold only whole numbers. */
#include "base/number.h"
#include "io/csv_cell.h"
#include "io/reopenable_files.h"
#include "table/csv/csv_reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct mark_count {
    const csv_reader *reader;
    /* cells that are numbers with only one of the two marks */
    size_t points[CSV_BLOCKS_MAX], commas[CSV_BLOCKS_MAX];
} mark_count;

/* Counts the cells of one block in a worker. */
static puad_status count_marks(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    mark_count *sum = context;
    sum->points[index] = sum->commas[index] = 0;
    for (const char *p = block->begin; p < block->end; p++) {
        raw_cell cell = cell_scan(&p, block->end, sum->reader->dialect.delimiter);
        double value;
        if (!memchr(cell.view.text, '.', cell.view.length) && !memchr(cell.view.text, ',', cell.view.length))
            continue;
        sum->points[index] += number_parse(&value, cell.view.text, cell.view.length, '.');
        sum->commas[index] += number_parse(&value, cell.view.text, cell.view.length, ',');
    }
    return PUAD_OK;
}

static puad_status count_all(csv_decimal *out, csv_reader *reader)
{
    mark_count sum = {.reader = reader};
    size_t columns, points = 0, commas = 0, count;
    csv_columns(reader, &columns);
    AUTO_FREE cell_kind *kinds = NULL; /* no column is parsed: the counting reads the bytes */
    TRY(memory_new(&kinds, columns, sizeof *kinds, "columns"));
    for (size_t i = 0; i < columns; i++) kinds[i] = CELL_SKIP;
    TRY(csv_plan(reader, kinds));
    do {
        csv_block *blocks;
        TRY(csv_next(&blocks, &count, reader, count_marks, &sum));
        for (size_t i = 0; i < count; i++) {
            points += sum.points[i];
            commas += sum.commas[i];
        }
    } while (count);
    *out = (csv_decimal){commas > points ? ',' : '.', points + commas > 0};
    return PUAD_OK;
}

puad_status csv_decimal_settle(csv_decimal *out, const char *path, const csv_settings *settings,
                               team *workers)
{
    csv_reader *reader = NULL;
    *out = (csv_decimal){settings->decimal, settings->decimal != 0};
    if (settings->decimal || read_once(settings->kept, path)) return PUAD_OK;
    TRY(csv_open(&reader, path, settings, workers));
    puad_status status = PUAD_OK;
    if (reader->dialect.delimiter != ',') status = count_all(out, reader);
    csv_close(reader);
    return status;
}
