/* A table of strings, and its output formats. */
#ifndef LAB_RESULTS_TEXT_GRID_H
#define LAB_RESULTS_TEXT_GRID_H

#include "base/memory.h"
#include "plot/page.h"

#include <stdio.h>

typedef struct grid_cell {
    const char *text; /* borrowed, never NULL; UTF-8 */
    bool strong;      /* bold, or a star in plain text */
} grid_cell;

typedef struct grid {
    const char *caption; /* or NULL */
    size_t columns, rows;
    const char **headings;
    bool *left;       /* per column: left-aligned text rather than numbers */
    grid_cell *cells; /* rows x columns */
} grid;

/* Allocates a grid in `memory`, all strings "". */
puad_status grid_new(grid *out, arena *memory, size_t rows, size_t columns);

void grid_write_terminal(FILE *stream, const grid *table);
void grid_write_markdown(FILE *stream, const grid *table);
void grid_write_latex(FILE *stream, const grid *table);
puad_status grid_add_to_page(page *on, const grid *table);

#endif
