/* Building a page in memory and writing it in one piece. */
#include "plot/page.h"

#include "base/file.h"
#include "base/memory.h"
#include "plot/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece { /* growing text */
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

#define DARK                                                                                                 \
    "color-scheme:dark;--paper:#14171b;--ink:#e4e8ec;--soft:#9aa4af;--line:#343b44;--tint:#1d2127;"          \
    "--link:#7cb5ff"

static const char style[] =
    ":root{color-scheme:light;--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--tint:#f4f6f8;"
    "--link:#0a58ca}\n"
    "@media(prefers-color-scheme:dark){:root:not([data-theme=light]){" DARK "}}\n"
    ":root[data-theme=dark]{" DARK "}\n"
    "#theme{float:right;margin:0 0 .5em 1em;padding:.3em .7em;font:inherit;font-size:14px;color:var(--ink);"
    "background:var(--tint);border:1px solid var(--line);border-radius:6px;cursor:pointer}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1180px;padding:24px 16px 64px;background:var(--paper);color:var(--ink);"
    "font:16px/1.55 system-ui,'DejaVu Sans',Verdana,sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.8rem;line-height:1.2;margin:0}h2{font-size:1.3rem;margin:2.4em 0 .6em;padding-top:.5em;"
    "border-top:1px solid var(--line)}h3{font-size:1.05rem;margin:1.6em 0 .4em}\n"
    "p,ul{max-width:46em;margin:.6em 0}.subtitle,figcaption,.caption{color:var(--soft)}\n"
    "a{color:var(--link)}nav ul{columns:2 16em;padding-left:1.1em}\n"
    ".note{border-left:3px solid #e69f00;background:var(--tint);padding:.5em .8em}\n"
    "pre{background:var(--tint);border:1px solid var(--line);border-radius:6px;padding:.7em "
    ".9em;overflow-x:auto;"
    "font:13px/1.5 ui-monospace,'DejaVu Sans Mono',monospace}\n"
    ".wide{overflow-x:auto;margin:1em 0}\n"
    "table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums}\n"
    ".caption{font-size:14px;margin:1.2em 0 -.6em}\n"
    "summary{cursor:pointer;color:var(--link);font-size:14px}\n"
    "th,td{padding:.3em .6em;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}\n"
    "th{background:var(--tint);position:sticky;top:0}.n{text-align:right}td.f{color:var(--soft)}\n"
    "th button{all:unset;cursor:pointer;font-weight:bold}th button:focus-visible{outline:2px solid "
    "var(--link)}\n"
    "th "
    "button::after{content:'\\2195';color:var(--soft);position:absolute;padding-left:1px;font-size:11px;font-"
    "weight:normal}"
    "th[aria-sort=ascending] button::after{content:'\\2191';color:inherit}"
    "th[aria-sort=descending] button::after{content:'\\2193';color:inherit}\n"
    "td:first-child{position:sticky;left:0;background:var(--paper)}th:first-child{left:0;z-index:1}\n"
    "tbody tr:hover,tbody tr:hover td:first-child{background:var(--tint)}\n"
    "figure{margin:1.2em 0}figcaption{font-size:14px;max-width:46em;margin-top:.4em}\n"
    ".panels{display:flex;flex-wrap:wrap;gap:8px 12px}.panels svg{flex:0 1 auto;max-width:100%;height:auto}\n"
    ".legend{display:block;max-width:100%;height:auto}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:1.2em 0}\n"
    ".tiles div{background:var(--tint);border:1px solid var(--line);border-radius:10px;padding:.7em .9em}\n"
    ".tiles span,.tiles small{display:block;color:var(--soft);font-size:13px;line-height:1.35}"
    ".tiles b{font-size:1.5rem;line-height:1.35;font-variant-numeric:tabular-nums}\n"
    "@media(max-width:480px){body{padding:16px 12px 48px}h1{font-size:1.5rem}th,td{padding:.25em .5em}}\n"
    "@media print{#theme{display:none}th{position:static}th button::after{content:''}}\n";

/* Numbers sort as numbers, falling first, since the best is mostly the largest; the rest by the alphabet. */
static const char script[] =
    "{const r=document.documentElement,b=document.getElementById('theme'),"
    "d=()=>r.dataset.theme?r.dataset.theme=='dark':matchMedia('(prefers-color-scheme:dark)').matches,"
    "n=()=>b.textContent=d()?'Light':'Dark';b.hidden=false;n();"
    "b.onclick=()=>{r.dataset.theme=d()?'light':'dark';n()}}\n"
    "document.querySelectorAll('th button').forEach(b=>b.onclick=()=>{\n"
    "const h=b.parentNode,t=h.closest('table'),i=h.cellIndex,r=[...t.tBodies[0].rows],"
    "v=x=>x.cells[i].textContent.trim(),m=x=>parseFloat(v(x).replace('\\u2212','-')),"
    "n=r.filter(x=>!isNaN(m(x))).length*2>r.length,"
    "was=h.getAttribute('aria-sort'),up=was?was!='ascending':!n;\n"
    "t.querySelectorAll('th').forEach(x=>x.removeAttribute('aria-sort'));"
    "h.setAttribute('aria-sort',up?'ascending':'descending');\n"
    "r.sort((x,y)=>{if(n){const a=m(x),c=m(y);if(isNaN(a)||isNaN(c))return isNaN(a)-isNaN(c);return "
    "up?a-c:c-a}"
    "return(up?1:-1)*v(x).localeCompare(v(y),undefined,{numeric:true})}).forEach(x=>t.tBodies[0].append(x))})"
    ";\n";

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

void page_tiles(page *on, const page_tile *tiles, size_t count)
{
    fputs("<div class=\"tiles\">\n", on->body.stream);
    for (size_t i = 0; i < count; i++) {
        put_element(on, "<div><span>", tiles[i].label, "</span>");
        put_element(on, "<b>", tiles[i].value, "</b>");
        put_element(on, "<small>", tiles[i].hint ? tiles[i].hint : "", "</small></div>\n");
    }
    fputs("</div>\n", on->body.stream);
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

void page_list(page *on, const char *const *items, size_t count)
{
    fputs("<ul>\n", on->body.stream);
    for (size_t i = 0; i < count; i++) put_element(on, "<li>", items[i], "</li>\n");
    fputs("</ul>\n", on->body.stream);
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
    /* Outside the box that scrolls, so that it is read whole on a narrow screen. */
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
    enum { LEGEND_WIDTH = 360 }; /* a phone's */
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
            style);
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
    fprintf(to, "<main>\n%s</main>\n<script>\n%s</script>\n</body>\n</html>\n", on->body.text, script);
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
