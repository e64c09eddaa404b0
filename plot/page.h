/* A self-contained HTML page: sections, text, sortable tables, figures. Light or dark like the reader's
 * system, readable on a phone, no network.
 *
 * The first failure (memory) is kept and reported by page_write. All texts are escaped. */
#ifndef PLOT_PAGE_H
#define PLOT_PAGE_H

#include "plot/plot.h"

#include <stdio.h>

typedef struct page page;

puad_status page_new(page **out, const char *title, const char *subtitle); /* subtitle may be NULL */
void page_free(page *owner);                                               /* NULL is fine */

void page_section(page *on, const char *heading);    /* listed in the contents */
void page_subsection(page *on, const char *heading); /* not listed */
void page_text(page *on, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a paragraph */
void page_note(page *on, const char *format, ...)
    __attribute__((format(printf, 2, 3)));     /* a highlighted paragraph */
void page_code(page *on, const char *text);    /* verbatim, lines kept */
void page_fold(page *on, const char *summary); /* hides what follows until the summary is clicked ... */
void page_unfold(page *on);                    /* ... up to here; folds may nest */

typedef struct page_cell {
    const char *text; /* NULL for an empty cell */
    bool strong, faint;
    const char *hint; /* tooltip, or NULL */
} page_cell;

typedef struct page_table {
    const char *caption; /* or NULL */
    const char *const *headings;
    size_t columns, rows;
    const page_cell *cells; /* rows x columns */
    bool plain;             /* not sortable */
} page_table;

/* Cells that begin with a number are right-aligned and sorted as numbers. */
void page_add_table(page *on, const page_table *table);

/* The panels of a figure, each an SVG, wrapped to the available width. The caption may be NULL. */
void page_add_figure(page *on, const plot_figure *figure, const char *caption);

/* For unique parts of a page: a stream for markup, and escaping for texts in it. */
FILE *page_markup(page *on);
void page_escape(page *on, const char *text); /* NULL writes nothing */

/* The markup so far, borrowed until more is added: for a page with a custom template. */
puad_status page_body(const char **out, page *on);

/* Writes the page; more can be added and written again. */
puad_status page_write(page *on, const char *path);

#endif
