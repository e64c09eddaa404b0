/* Writes a grid: aligned for the terminal, Markdown, LaTeX, HTML. */
#include "lab/results/text_grid.h"

#include "base/plain_text.h"

#include <string.h>

puad_status grid_new(grid *out, arena *memory, size_t rows, size_t columns)
{
    *out = (grid){.rows = rows, .columns = columns};
    size_t count;
    if (!size_multiply(&count, rows, columns))
        FAIL(PUAD_MEMORY, "a table of %zu x %zu is too large", rows, columns);
    TRY(arena_new(memory, &out->headings, columns, sizeof *out->headings));
    TRY(arena_new(memory, &out->left, columns, sizeof *out->left));
    TRY(arena_new(memory, &out->cells, count, sizeof *out->cells));
    for (size_t i = 0; i < columns; i++) out->headings[i] = "";
    for (size_t i = 0; i < count; i++) out->cells[i].text = "";
    return PUAD_OK;
}

static void pad(FILE *stream, size_t count, char with)
{
    while (count-- > 0) fputc(with, stream);
}

/* Bold becomes a star after the text; other cells of the column have a blank there. */
static void write_aligned(FILE *stream, const char *text, size_t width, bool left, const char *mark,
                          bool last)
{
    if (last && !*text) return;
    size_t used = text_characters(text) + strlen(mark), free_room = width > used ? width - used : 0;
    if (!left) pad(stream, free_room, ' ');
    fprintf(stream, "%s%s", text, last && mark[0] == ' ' ? "" : mark);
    if (left && !last) pad(stream, free_room, ' ');
    if (!last) fputs("  ", stream);
}

static bool has_strong(const grid *table, size_t column)
{
    for (size_t row = 0; row < table->rows; row++)
        if (table->cells[row * table->columns + column].strong) return true;
    return false;
}

static size_t column_width(const grid *table, size_t column)
{
    size_t widest = text_characters(table->headings[column]);
    for (size_t row = 0; row < table->rows; row++) {
        size_t width =
            text_characters(table->cells[row * table->columns + column].text) + has_strong(table, column);
        if (width > widest) widest = width;
    }
    return widest;
}

void grid_write_terminal(FILE *stream, const grid *table)
{
    size_t total = 0;
    if (table->caption) fprintf(stream, "%s\n", table->caption);
    for (size_t i = 0; i < table->columns; i++) {
        size_t width = column_width(table, i);
        write_aligned(stream, table->headings[i], width, table->left[i], "", i + 1 == table->columns);
        total += width + (i ? 2 : 0);
    }
    fputc('\n', stream);
    pad(stream, total, '-');
    fputc('\n', stream);
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const grid_cell *cell = &table->cells[row * table->columns + i];
            const char *mark = cell->strong ? "*" : has_strong(table, i) ? " " : "";
            write_aligned(stream, cell->text, column_width(table, i), table->left[i], mark,
                          i + 1 == table->columns);
        }
        fputc('\n', stream);
    }
}

static void write_escaped(FILE *stream, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text)) fputc('\\', stream);
        fputc(*text == '\n' ? ' ' : *text, stream);
    }
}

void grid_write_markdown(FILE *stream, const grid *table)
{
    if (table->caption) {
        write_escaped(stream, table->caption, "\\*_|`<");
        fputs("\n\n", stream);
    }
    for (size_t i = 0; i < table->columns; i++) {
        fputs("| ", stream);
        write_escaped(stream, table->headings[i], "\\*_|`<");
        fputc(' ', stream);
    }
    fputs("|\n", stream);
    for (size_t i = 0; i < table->columns; i++) fputs(table->left[i] ? "|---" : "|---:", stream);
    fputs("|\n", stream);
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const grid_cell *cell = &table->cells[row * table->columns + i];
            bool strong = cell->strong && cell->text[0];
            fputs(strong ? "| **" : "| ", stream);
            write_escaped(stream, cell->text, "\\*_|`<");
            fputs(strong ? "** " : " ", stream);
        }
        fputs("|\n", stream);
    }
}

/* Escapes LaTeX's special characters, and the two signs that need a command. */
static void write_latex_text(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (strncmp(text, "\xC2\xB1", 2) == 0) { /* plus-minus */
            fputs("$\\pm$", stream);
            text++;
        } else if (strchr("&%$#_{}", *text)) {
            fprintf(stream, "\\%c", *text);
        } else if (*text == '\\') {
            fputs("\\textbackslash{}", stream);
        } else if (*text == '~' || *text == '^') {
            fprintf(stream, "\\%c{}", *text);
        } else {
            fputc(*text == '\n' ? ' ' : *text, stream);
        }
    }
}

void grid_write_latex(FILE *stream, const grid *table)
{
    fputs("\\begin{table}\n\\centering\n", stream);
    if (table->caption) {
        fputs("\\caption{", stream);
        write_latex_text(stream, table->caption);
        fputs("}\n", stream);
    }
    fputs("\\begin{tabular}{", stream);
    for (size_t i = 0; i < table->columns; i++) fputc(table->left[i] ? 'l' : 'r', stream);
    fputs("}\n\\hline\n", stream);
    for (size_t i = 0; i < table->columns; i++) {
        if (i) fputs(" & ", stream);
        write_latex_text(stream, table->headings[i]);
    }
    fputs(" \\\\\n\\hline\n", stream);
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const grid_cell *cell = &table->cells[row * table->columns + i];
            fputs(i ? " & " : "", stream);
            fputs(cell->strong ? "\\textbf{" : "", stream);
            write_latex_text(stream, cell->text);
            fputs(cell->strong ? "}" : "", stream);
        }
        fputs(" \\\\\n", stream);
    }
    fputs("\\hline\n\\end{tabular}\n\\end{table}\n", stream);
}

puad_status grid_add_to_page(page *on, const grid *table)
{
    AUTO_FREE page_cell *cells = NULL;
    TRY(memory_new(&cells, table->rows * table->columns, sizeof *cells, "a table of a page"));
    for (size_t i = 0; i < table->rows * table->columns; i++)
        cells[i] = (page_cell){.text = table->cells[i].text, .strong = table->cells[i].strong};
    page_add_table(on, &(page_table){.caption = table->caption,
                                     .headings = table->headings,
                                     .columns = table->columns,
                                     .rows = table->rows,
                                     .cells = cells});
    return PUAD_OK;
}
