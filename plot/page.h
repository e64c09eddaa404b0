/* One HTML page that needs nothing but itself: sections, text, tables that sort, figures. Light or dark as
 * the reader's system is, readable on a phone, no network.
 *
 * Failures (memory) stick to the page and show in page_write. All texts are escaped. */
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
void page_note(page *on, const char *format, ...) __attribute__((format(printf, 2, 3))); /* one set apart */
void page_code(page *on, const char *text);    /* as it stands, lines kept */
void page_fold(page *on, const char *summary); /* what follows is shown when the summary is clicked ... */
void page_unfold(page *on);                    /* ... up to here; folds may nest */
void page_list(page *on, const char *const *items, size_t count);

typedef struct page_cell {
    const char *text; /* NULL for an empty cell */
    bool strong, faint;
    const char *hint; /* shown when pointed at, or NULL */
} page_cell;

typedef struct page_table {
    const char *caption; /* or NULL */
    const char *const *headings;
    size_t columns, rows;
    const page_cell *cells; /* rows x columns */
    bool plain;             /* does not sort */
} page_table;

/* Cells that begin with a number stand at the right and sort as numbers. */
void page_add_table(page *on, const page_table *table);

/* The panels of a figure, each an SVG, flowing as the width allows. The caption may be NULL. */
void page_add_figure(page *on, const plot_figure *figure, const char *caption);

/* For what a page has only once: where its markup goes, and texts that are escaped in it. */
FILE *page_markup(page *on);
void page_escape(page *on, const char *text); /* NULL is nothing */

/* The markup added so far, borrowed until more is added: for a page with a template of its own. */
puad_status page_body(const char **out, page *on);

/* Writes the page; it can be added to and written again. */
puad_status page_write(page *on, const char *path);

#endif
