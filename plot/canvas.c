/* Shared by both canvases, and measuring of text. */
#include "plot/canvas.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_SIZE = 11 };

void canvas_path(canvas *on, path_kind kind, const point *points, size_t count, path_style style)
{
    if (count == 0 || (style.stroke == COLOR_NONE && style.fill == COLOR_NONE)) return;
    if (style.opacity == 0) style.opacity = 1;
    on->path(on, kind, points, count, style);
}

void canvas_line(canvas *on, double x0, double y0, double x1, double y1, path_style style)
{
    canvas_path(on, PATH_OPEN, (point[]){{x0, y0}, {x1, y1}}, 2, style);
}

void canvas_box(canvas *on, box place, path_style style)
{
    const point corners[] = {{place.left, place.top},
                             {place.right, place.top},
                             {place.right, place.bottom},
                             {place.left, place.bottom}};
    canvas_path(on, PATH_CLOSED, corners, 4, style);
}

void canvas_text(canvas *on, double x, double y, const char *text, text_style style)
{
    char clean[TEXT_MAX];
    text_clean(clean, sizeof clean, text);
    if (style.size == 0) style.size = DEFAULT_SIZE;
    if (clean[0]) on->text(on, (point){x, y}, clean, style);
}

void canvas_clip(canvas *on, const box *to)
{
    on->clip(on, to);
}

void canvas_image(canvas *on, box place, const uint8_t *rgb, int width, int height, bool smooth)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
        if (on->status == PUAD_OK)
            on->status = status_fail(PUAD_MEMORY, "cannot draw an image of a figure: %s",
                                     cairo_status_to_string(cairo_surface_status(surface)));
        cairo_surface_destroy(surface);
        return;
    }
    int stride = cairo_image_surface_get_stride(surface);
    unsigned char *bytes = cairo_image_surface_get_data(surface);
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            const uint8_t *t = rgb + 3 * ((size_t)row * (size_t)width + (size_t)column);
            uint32_t pixel = (uint32_t)t[0] << 16 | (uint32_t)t[1] << 8 | t[2];
            memcpy(bytes + (size_t)row * (size_t)stride + 4 * (size_t)column, &pixel, 4);
        }
    cairo_surface_mark_dirty(surface);
    on->image(on, place, surface, smooth);
    cairo_surface_destroy(surface);
}

void canvas_font(cairo_t *cairo, text_style style)
{
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, style.size == 0 ? DEFAULT_SIZE : style.size);
}

#ifdef __SANITIZE_ADDRESS__
/* Fontconfig's caches cannot be freed from outside; they are not leaks of this program. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
#endif

static _Thread_local cairo_t *ruler; /* one per thread, for the lifetime of the thread */

puad_status text_measured(void)
{
    if (!ruler || cairo_status(ruler) == CAIRO_STATUS_SUCCESS) return PUAD_OK;
    cairo_destroy(ruler); /* its error is permanent; a new one may work */
    ruler = NULL;
    FAIL(PUAD_MEMORY, "no memory for measuring text of a figure");
}

static double width_of_clean(const char *clean, text_style style)
{
    if (!ruler) {
        cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
        ruler = cairo_create(surface);
        cairo_surface_destroy(surface);
        cairo_font_options_t *options = cairo_font_options_create();
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_set_font_options(ruler, options);
        cairo_font_options_destroy(options);
    }
    cairo_text_extents_t extents = {0};
    canvas_font(ruler, style);
    cairo_text_extents(ruler, clean, &extents);
    return extents.x_advance;
}

double text_width(const char *text, text_style style)
{
    char clean[TEXT_MAX];
    text_clean(clean, sizeof clean, text);
    return width_of_clean(clean, style);
}

void text_fit(char out[TEXT_MAX], const char *text, text_style style, double width)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    text_clean(out, TEXT_MAX - sizeof ellipsis, text);
    size_t length = strlen(out);
    if (width_of_clean(out, style) <= width) return;
    while (length > 0) {
        do length--;
        while (length > 0 && ((unsigned char)out[length] & 0xC0) == 0x80);
        memcpy(out + length, ellipsis, sizeof ellipsis);
        if (width_of_clean(out, style) <= width) return;
    }
}

/* The length of the UTF-8 character at `text`, or 0 if it is invalid. */
static size_t character_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (length == 1) return 1;
    if (text[0] < 0xC2 || text[0] > 0xF4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    if ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) || /* surrogates */
        (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))
        return 0;
    if (text[0] == 0xEF && text[1] == 0xBF && text[2] >= 0xBE) return 0; /* not characters in XML */
    return length;
}

/* Converts one character of `text` to a printable one in `out`; returns the number of bytes consumed. */
static size_t clean_character(char out[5], const char *text)
{
    size_t length = character_length((const unsigned char *)text);
    if (length == 0 || (length == 1 && ((unsigned char)text[0] < 0x20 || text[0] == 0x7F))) {
        out[0] = length == 0 ? '?' : ' ';
        out[1] = 0;
        return 1;
    }
    memcpy(out, text, length);
    out[length] = 0;
    return length;
}

void text_clean(char *out, size_t capacity, const char *text)
{
    size_t used = 0;
    out[0] = 0;
    while (*text) {
        char character[5];
        text += clean_character(character, text);
        size_t length = strlen(character);
        if (used + length + 1 > capacity) break;
        memcpy(out + used, character, length + 1);
        used += length;
    }
}

void text_escape(FILE *stream, const char *text)
{
    while (*text) {
        char character[5];
        bool newline = *text == '\n';
        text += clean_character(character, text);
        switch (character[0]) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default: fputs(newline ? "\n" : character, stream);
        }
    }
}
