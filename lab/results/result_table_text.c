/* A table as text: blocks for the terminal, wide for papers and pages, long form for programs. */
#include "lab/ledger/csv_text.h"
#include "lab/results/result_table.h"

#include <math.h>
#include <string.h>

/* "0.981 ± 0.012"; without deviation if there is none; "" if there is no value */
static puad_status print_spread(const char **out, arena *memory, double mean, double deviation)
{
    if (isnan(mean)) return arena_print(memory, out, "%s", "");
    if (isnan(deviation)) return arena_print(memory, out, "%.3f", mean);
    return arena_print(memory, out, "%.3f \xC2\xB1 %.3f", mean, deviation);
}

/* "+0.012 ± 0.005", with the standard error if there is one; without sign if it rounds to zero */
static puad_status print_difference(const char **out, arena *memory, const table_value *value)
{
    double difference = value->difference;
    const char *sign = fabs(difference) < 0.0005 ? "" : difference < 0 ? "-" : "+";
    if (isnan(difference)) return arena_print(memory, out, "%s", "");
    if (isnan(value->error)) return arena_print(memory, out, "%s%.3f", sign, fabs(difference));
    return arena_print(memory, out, "%s%.3f \xC2\xB1 %.3f", sign, fabs(difference), value->error);
}

static puad_status print_runs(const char **out, arena *memory, const table_value *value)
{
    const char *reduced = value->reduced ? ", reduced" : "";
    if (value->runs == value->expected) return arena_print(memory, out, "%zu%s", value->runs, reduced);
    return arena_print(memory, out, "%zu of %zu%s", value->runs, value->expected, reduced);
}

static bool has_settings(const lab_table *table)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (table->rows[row].setting[0]) return true;
    return false;
}

static bool has_paper(const lab_table *table, size_t dataset)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (table->values[row * table->dataset_count + dataset].paper) return true;
    return false;
}

/* The row headings: method and, if any row has one, setting. Returns the number of columns used. */
static size_t put_heads(grid *out, const lab_table *table)
{
    bool settings = has_settings(table);
    out->headings[0] = "method";
    out->left[0] = true;
    if (settings) {
        out->headings[1] = "setting";
        out->left[1] = true;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        out->cells[row * out->columns].text = table->rows[row].method;
        if (settings) out->cells[row * out->columns + 1].text = table->rows[row].setting;
    }
    return settings ? 2 : 1;
}

/* The paper's result and the difference to it, in two columns. */
static puad_status put_paper(grid *out, arena *memory, const lab_table *table, size_t dataset, size_t column)
{
    out->headings[column] = "paper";
    out->headings[column + 1] = "difference";
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + dataset];
        grid_cell *cells = &out->cells[row * out->columns + column];
        if (!value->paper) continue;
        TRY(print_spread(&cells[0].text, memory, value->paper->mean, value->paper->deviation));
        cells[0].strong = value->paper->best;
        if (value->runs) TRY(print_difference(&cells[1].text, memory, value));
    }
    return PUAD_OK;
}

/* Drops rows without values for a dataset: settings that were run only on others. */
static void drop_empty_rows(grid *out, const lab_table *table, size_t dataset)
{
    size_t kept = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + dataset];
        if (!value->runs && !value->paper) continue;
        memmove(&out->cells[kept++ * out->columns], &out->cells[row * out->columns],
                out->columns * sizeof *out->cells);
    }
    out->rows = kept;
}

puad_status table_block(grid *out, arena *memory, const lab_table *table, size_t dataset)
{
    bool paper = has_paper(table, dataset);
    TRY(grid_new(out, memory, table->row_count, (has_settings(table) ? 4u : 3u) + (paper ? 2u : 0u)));
    TRY(arena_print(memory, &out->caption, "%s, AUROC on %s%s%s", table->datasets[dataset],
                    anomalies_title(table->which), table->common[0] ? ": " : "", table->common));
    size_t column = put_heads(out, table);
    out->headings[column] = "AUROC";
    out->headings[column + 1] = "runs";
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + dataset];
        grid_cell *cells = &out->cells[row * out->columns + column];
        TRY(print_spread(&cells[0].text, memory, value->mean, value->deviation));
        cells[0].strong = value->best;
        TRY(print_runs(&cells[1].text, memory, value));
    }
    if (paper) TRY(put_paper(out, memory, table, dataset, column + 2));
    drop_empty_rows(out, table, dataset);
    return PUAD_OK;
}

puad_status table_wide(grid *out, arena *memory, const lab_table *table)
{
    size_t columns = has_settings(table) ? 2 : 1;
    for (size_t i = 0; i < table->dataset_count; i++) columns += has_paper(table, i) ? 3 : 1;
    TRY(grid_new(out, memory, table->row_count, columns));
    TRY(arena_print(memory, &out->caption, "AUROC on %s%s%s", anomalies_title(table->which),
                    table->common[0] ? ": " : "", table->common));
    size_t column = put_heads(out, table);
    for (size_t i = 0; i < table->dataset_count; i++) {
        out->headings[column] = table->datasets[i];
        for (size_t row = 0; row < table->row_count; row++) {
            const table_value *value = &table->values[row * table->dataset_count + i];
            grid_cell *cell = &out->cells[row * out->columns + column];
            const char *figures, *runs;
            TRY(print_spread(&figures, memory, value->mean, value->deviation));
            TRY(print_runs(&runs, memory, value));
            bool full = value->runs == value->expected && !value->reduced;
            TRY(arena_print(memory, &cell->text, full || !value->runs ? "%s" : "%s (%s)", figures, runs));
            cell->strong = value->best;
        }
        column++;
        if (!has_paper(table, i)) continue;
        TRY(put_paper(out, memory, table, i, column));
        out->headings[column + 1] = "diff."; /* several tables must fit a page */
        column += 2;
    }
    return PUAD_OK;
}

static void write_number(FILE *stream, double value)
{
    char text[FIELD_CAPACITY] = "";
    if (!isnan(value)) snprintf(text, sizeof text, "%.9g", value);
    sheet_write(stream, text, false);
}

static void write_csv(FILE *stream, const lab_table *table)
{
    fputs("anomalies,dataset,method,setting,mean,deviation,runs,expected,best,reduced,paper_mean,paper_"
          "deviation,paper_best,"
          "difference,difference_error,common\n",
          stream);
    for (size_t i = 0; i < table->dataset_count; i++)
        for (size_t row = 0; row < table->row_count; row++) {
            const table_value *value = &table->values[row * table->dataset_count + i];
            sheet_write(stream, anomalies_name(table->which), true);
            sheet_write(stream, table->datasets[i], false);
            sheet_write(stream, table->rows[row].method, false);
            sheet_write(stream, table->rows[row].setting, false);
            write_number(stream, value->mean);
            write_number(stream, value->deviation);
            fprintf(stream, ",%zu,%zu,%d,%d", value->runs, value->expected, value->best, value->reduced);
            write_number(stream, value->paper ? value->paper->mean : NAN);
            write_number(stream, value->paper ? value->paper->deviation : NAN);
            fprintf(stream, value->paper ? ",%d" : ",", value->paper ? value->paper->best : 0);
            write_number(stream, value->difference);
            write_number(stream, value->error);
            sheet_write(stream, table->common, false);
            fputc('\n', stream);
        }
}

puad_status table_write(FILE *stream, const lab_table *table, const char *format)
{
    AUTO_ARENA arena memory = {0};
    grid texts;
    if (strcmp(format, "csv") == 0) {
        write_csv(stream, table);
        return PUAD_OK;
    }
    if (strcmp(format, "terminal") != 0) {
        TRY(table_wide(&texts, &memory, table));
        (strcmp(format, "latex") == 0 ? grid_write_latex : grid_write_markdown)(stream, &texts);
        return PUAD_OK;
    }
    for (size_t i = 0; i < table->dataset_count; i++) {
        if (i) fputc('\n', stream);
        TRY(table_block(&texts, &memory, table, i));
        grid_write_terminal(stream, &texts);
    }
    return PUAD_OK;
}
