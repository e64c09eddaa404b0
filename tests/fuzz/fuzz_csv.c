/* Any bytes as CSV: rejected, or learned from and then scored with the same values; and described. */
#include "fuzz_file.h"
#include "input/format.h"
#include "table/csv/csv_roles.h"
#include "table/csv/table_csv.h"

#include <math.h>
#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void score_again(const dataset *rows, const char *path, const data_options *options)
{
    row_source source = {0};
    row_block block;
    size_t count = 0;
    require(format_csv_rows(&source, path, rows->transform, options) == PUAD_OK);
    while (row_source_next(&block, &source, 7) == PUAD_OK && block.rows) {
        require(memcmp(block.values, rows->values + count * rows->columns,
                       block.rows * rows->columns * sizeof(float)) == 0);
        count += block.rows;
    }
    require(count == rows->rows);
    source.end(source.state);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1) return 0;
    static const char delimiters[] = {0, ',', ';', '\t'};
    unsigned mode = bytes[0]; /* the first byte chooses the options */
    const char *path = fuzz_file(bytes + 1, size - 1);
    if (!path) return 0;
    data_options options = {.delimiter = delimiters[mode & 3], .header = (header_choice)((mode >> 2) % 3)};
    if (mode & 16) options.label_column = "label";
    if (mode & 32) options.id_column = "id";
    dataset rows = {0};
    if (table_from_csv(&rows, path, &options) == PUAD_OK) {
        for (size_t i = 0; i < rows.rows * rows.columns; i++) require(isfinite(rows.values[i]));
        score_again(&rows, path, &options); /* in each of the three header modes */
    }
    dataset_free(&rows);
    profile found = {0};
    if (format_csv_profile(&found, path, &options) == PUAD_OK)
        require(found.missing <= found.rows * found.column_count);
    profile_free(&found);
    return 0;
}
