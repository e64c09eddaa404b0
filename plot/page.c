/* Builds a page in memory and writes it at once. */
#include "plot/page.h"

#include "base/file.h"
#include "base/memory.h"
#include "plot/canvas.h"
#include "plot/plot_texts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece { /* growing string */
    FILE *stream;
    char *text;
    size_t size;
} piece;

struct page {
    char *title, *subtitle;
    piece body, contents;
    size_t sections;
    puad_status status;
    char message[256]; /* of the first failure */
};

static void note_failure(page *on, puad_status status)
{
    if (status == PUAD_OK || on->status != PUAD_OK) return;
    on->status = status;
    snprintf(on->message, sizeof on->message, "%s", puad_last_error());
}

puad_status page_new(page **out, const char *title, const char *subtitle)
{
    page *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a page"));
    made->title = strdup(title);
    made->subtitle = subtitle ? strdup(subtitle) : NULL;
    made->body.stream = text_stream_open(&made->body.text, &made->body.size);
    made->contents.stream = text_stream_open(&made->contents.text, &made->contents.size);
    if (!made->title || (subtitle && !made->subtitle) || !made->body.stream || !made->contents.stream) {
        page_free(made);
        FAIL(PUAD_MEMORY, "no memory for a page");
    }
    *out = made;
    return PUAD_OK;
}

static void free_piece(piece *owner)
{
    if (owner->stream) fclose(owner->stream);
    free(owner->text);
}

void page_free(page *owner)
{
    if (!owner) return;
    free_piece(&owner->body);
    free_piece(&owner->contents);
    free(owner->title);
    free(owner->subtitle);
    free(owner);
}

/* <tag attributes>text</tag> */
static void put_element(page *on, const char *open, const char *text, const char *close)
{
    fputs(open, on->body.stream);
    text_escape(on->body.stream, text);
    fputs(close, on->body.stream);
}

void page_fold(page *on, const char *summary)
{
    fputs("<details>", on->body.stream);
    put_element(on, "<summary>", summary, "</summary>\n");
}

void page_unfold(page *on)
{
    fputs("</details>\n", on->body.stream);
}

void page_section(page *on, const char *heading)
{
    on->sections++;
    fprintf(on->contents.stream, "<li><a href=\"#s%zu\">", on->sections);
    text_escape(on->contents.stream, heading);
    fputs("</a></li>\n", on->contents.stream);
    fprintf(on->body.stream, "<h2 id=\"s%zu\">", on->sections);
    text_escape(on->body.stream, heading);
    fputs("</h2>\n", on->body.stream);
}

void page_subsection(page *on, const char *heading)
{
    put_element(on, "<h3>", heading, "</h3>\n");
}

FILE *page_markup(page *on)
{
    return on->body.stream;
}

void page_escape(page *on, const char *text)
{
    if (text) text_escape(on->body.stream, text);
}

static __attribute__((format(printf, 3, 0))) void put_formatted(page *on, const char *open,
                                                                const char *format, va_list arguments)
{
    AUTO_FREE char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
        note_failure(on, status_fail(PUAD_MEMORY, "no memory for a page"));
        return;
    }
    put_element(on, open, text, "</p>\n");
}

void page_text(page *on, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_formatted(on, "<p>", format, arguments);
    va_end(arguments);
}

void page_note(page *on, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_formatted(on, "<p class=\"note\">", format, arguments);
    va_end(arguments);
}

void page_code(page *on, const char *text)
{
    put_element(on, "<pre tabindex=\"0\"><code>", text, "</code></pre>\n");
}

static bool begins_with_number(const char *text)
{
    char *end;
    if (strncmp(text, "\xE2\x88\x92", 3) == 0) text += 3; /* the minus sign */
    if (!strchr("+-.0123456789", text[0]) || !text[0]) return false;
    strtod(text, &end);
    return end > text;
}

static void put_cell(page *on, const page_cell *cell)
{
    FILE *to = on->body.stream;
    const char *text = cell->text ? cell->text : "";
    const char *kind = begins_with_number(text) ? (cell->faint ? "n f" : "n") : cell->faint ? "f" : "";
    fputs("<td", to);
    if (kind[0]) fprintf(to, " class=\"%s\"", kind);
    if (cell->hint) put_element(on, " title=\"", cell->hint, "\"");
    put_element(on, cell->strong ? "><strong>" : ">", text, cell->strong ? "</strong></td>" : "</td>");
}

static bool mostly_numbers(const page_table *table, size_t column)
{
    size_t numbers = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const char *text = table->cells[row * table->columns + column].text;
        numbers += text && begins_with_number(text);
    }
    return numbers * 2 > table->rows;
}

void page_add_table(page *on, const page_table *table)
{
    FILE *to = on->body.stream;
    /* outside the scrolling box, so that it is visible as a whole on a narrow screen */
    if (table->caption) put_element(on, "<p class=\"caption\">", table->caption, "</p>\n");
    fputs("<div class=\"wide\" tabindex=\"0\"><table>\n", to);
    fputs("<thead><tr>", to);
    for (size_t i = 0; i < table->columns; i++) {
        fputs(mostly_numbers(table, i) ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", to);
        put_element(on, table->plain ? "" : "<button>", table->headings[i],
                    table->plain ? "</th>" : "</button></th>");
    }
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t row = 0; row < table->rows; row++) {
        fputs("<tr>", to);
        for (size_t i = 0; i < table->columns; i++) put_cell(on, &table->cells[row * table->columns + i]);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

static void end_figure(page *on, const char *caption)
{
    if (caption) put_element(on, "<figcaption>", caption, "</figcaption>\n");
    fputs("</figure>\n", on->body.stream);
}

void page_add_figure(page *on, const plot_figure *figure, const char *caption)
{
    enum { LEGEND_WIDTH = 360 }; /* width of a phone */
    AUTO_FREE char *legend = NULL;
    fputs("<figure>\n", on->body.stream);
    if (figure->title) put_element(on, "<h3>", figure->title, "</h3>\n");
    note_failure(on, plot_svg_legend(&legend, figure, LEGEND_WIDTH));
    if (legend) fprintf(on->body.stream, "<div class=\"legend\">%s</div>\n", legend);
    size_t columns = figure->columns ? figure->columns : figure->panel_count == 4 ? 2 : figure->panel_count;
    fprintf(on->body.stream, "<div class=\"panels\" style=\"max-width:%.0fpx\">\n",
            (double)columns * ((figure->panel_width > 0 ? figure->panel_width : PLOT_PANEL_WIDTH) + 12));
    for (size_t i = 0; i < figure->panel_count; i++) {
        AUTO_FREE char *panel = NULL;
        note_failure(on, plot_svg_panel(&panel, figure, i));
        if (panel) fputs(panel, on->body.stream);
    }
    fputs("</div>\n", on->body.stream);
    end_figure(on, caption);
}

static void put_page(FILE *to, const page *on)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          to);
    text_escape(to, on->title);
    fprintf(to,
            "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><button id=\"theme\" "
            "hidden>Dark</button><h1>",
            page_css);
    text_escape(to, on->title);
    fputs("</h1>\n", to);
    if (on->subtitle) {
        fputs("<p class=\"subtitle\">", to);
        text_escape(to, on->subtitle);
        fputs("</p>\n", to);
    }
    fputs("</header>\n", to);
    if (on->sections > 1)
        fprintf(to, "<nav aria-label=\"Contents\"><ul>\n%s</ul></nav>\n", on->contents.text);
    fprintf(to, "<main>\n%s</main>\n<script>\n%s</script>\n</body>\n</html>\n", on->body.text, page_js);
}

puad_status page_body(const char **out, page *on)
{
    if (fflush(on->body.stream) != 0 || ferror(on->body.stream)) FAIL(PUAD_MEMORY, "no memory for the page");
    if (on->status != PUAD_OK) FAIL(on->status, "%s", on->message);
    *out = on->body.text ? on->body.text : "";
    return PUAD_OK;
}

puad_status page_write(page *on, const char *path)
{
    if (fflush(on->body.stream) != 0 || fflush(on->contents.stream) != 0 || ferror(on->body.stream) ||
        ferror(on->contents.stream))
        FAIL(PUAD_MEMORY, "%s: no memory for the page", path);
    if (on->status != PUAD_OK) FAIL(on->status, "%s: %s", path, on->message);
    AUTO_OUTPUT file_output out = {0};
    TRY(file_create(&out, path));
    put_page(out.stream, on);
    return file_commit(&out);
}
