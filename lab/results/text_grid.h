/* A table of texts, and the forms in which people want it. */
#ifndef LAB_RESULTS_TEXT_GRID_H
#define LAB_RESULTS_TEXT_GRID_H

#include "base/memory.h"
#include "plot/page.h"

#include <stdio.h>

typedef struct grid_cell {
    const char *text; /* borrowed, never NULL; UTF-8 */
    bool strong;      /* bold, or a star where there is no bold */
} grid_cell;

typedef struct grid {
    const char *caption; /* or NULL */
    size_t columns, rows;
    const char **headings;
    bool *left;       /* columns of text rather than of numbers */
    grid_cell *cells; /* rows x columns */
} grid;

/* Room for a grid in `memory`, all texts "". */
puad_status grid_new(grid *out, arena *memory, size_t rows, size_t columns);

void grid_write_terminal(FILE *stream, const grid *table);
void grid_write_markdown(FILE *stream, const grid *table);
void grid_write_latex(FILE *stream, const grid *table);
puad_status grid_add_to_page(page *on, const grid *table);

#endif
