/* The canvas as SVG text. Ink and paper follow the page: currentColor and the page's --paper. */
#include "plot/canvas.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes a coordinate with at most one decimal: a tenth of a pixel is invisible. */
static void put_number(FILE *stream, double value)
{
    long tenths = lround(value * 10);
    if (tenths % 10 == 0)
        fprintf(stream, "%ld", tenths / 10);
    else
        fprintf(stream, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
}

static void put_color(FILE *stream, const char *attribute, color which)
{
    if (which == COLOR_NONE)
        fprintf(stream, " %s=\"none\"", attribute);
    else if (which == COLOR_INK)
        fprintf(stream, " %s=\"currentColor\"", attribute);
    else if (which == COLOR_PAPER)
        fprintf(stream, " style=\"%s:var(--paper,#fff)\"", attribute);
    else
        fprintf(stream, " %s=\"#%06x\"", attribute, which & 0xFFFFFF);
}

static void put_path_data(FILE *stream, path_kind kind, const point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool moves = i == 0 || kind == PATH_DOTS || (kind == PATH_SEGMENTS && i % 2 == 0);
        fputc(moves ? 'M' : 'L', stream);
        put_number(stream, points[i].x);
        fputc(' ', stream);
        put_number(stream, points[i].y);
        if (kind == PATH_DOTS) fputs("h0", stream);
    }
    if (kind == PATH_CLOSED) fputc('Z', stream);
}

static void draw_path(canvas *on, path_kind kind, const point *points, size_t count, path_style style)
{
    fputs("<path d=\"", on->stream);
    put_path_data(on->stream, kind, points, count);
    fputc('"', on->stream);
    put_color(on->stream, "fill", style.fill);
    if (style.stroke != COLOR_NONE) {
        put_color(on->stream, "stroke", style.stroke);
        fprintf(on->stream, " stroke-width=\"%.3g\"", style.width);
        if (kind == PATH_DOTS) fputs(" stroke-linecap=\"round\"", on->stream);
        if (count > 2 && kind == PATH_OPEN) fputs(" stroke-linejoin=\"round\"", on->stream);
        if (style.dashed) fputs(" stroke-dasharray=\"5 3\"", on->stream);
    }
    if (style.opacity != 1) fprintf(on->stream, " opacity=\"%.3g\"", style.opacity);
    fputs("/>\n", on->stream);
}

static void draw_text(canvas *on, point at, const char *clean, text_style style)
{
    fputs("<text", on->stream);
    if (style.upright) {
        fputs(" transform=\"translate(", on->stream);
        put_number(on->stream, at.x);
        fputc(' ', on->stream);
        put_number(on->stream, at.y);
        fputs(")rotate(-90)\"", on->stream);
    } else {
        fputs(" x=\"", on->stream);
        put_number(on->stream, at.x);
        fputs("\" y=\"", on->stream);
        put_number(on->stream, at.y);
        fputc('"', on->stream);
    }
    if (style.size != 11) fprintf(on->stream, " font-size=\"%g\"", style.size);
    if (style.anchor > 0) fprintf(on->stream, " text-anchor=\"%s\"", style.anchor < 1 ? "middle" : "end");
    if (style.bold) fputs(" font-weight=\"bold\"", on->stream);
    if (style.faint) fputs(" opacity=\".7\"", on->stream);
    fputc('>', on->stream);
    text_escape(on->stream, clean);
    fputs("</text>\n", on->stream);
}

static cairo_status_t append_png(void *closure, const unsigned char *bytes, unsigned size)
{
    return fwrite(bytes, 1, size, closure) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void put_base64(FILE *stream, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        for (size_t digit = 0; digit < 4; digit++)
            fputc(digit <= left ? digits[three >> (18 - 6 * digit) & 63] : '=', stream);
    }
}

static void draw_image(canvas *on, box place, cairo_surface_t *pixels, bool smooth)
{
    AUTO_FREE char *png = NULL;
    size_t size = 0;
    FILE *memory = text_stream_open(&png, &size);
    bool good =
        memory && cairo_surface_write_to_png_stream(pixels, append_png, memory) == CAIRO_STATUS_SUCCESS;
    if (memory) good = text_stream_close(memory, &png) && good;
    if (!good) {
        if (on->status == PUAD_OK)
            on->status = status_fail(PUAD_MEMORY, "no memory for an image of a figure");
        return;
    }
    fputs("<image x=\"", on->stream);
    put_number(on->stream, place.left);
    fputs("\" y=\"", on->stream);
    put_number(on->stream, place.top);
    fputs("\" width=\"", on->stream);
    put_number(on->stream, place.right - place.left);
    fputs("\" height=\"", on->stream);
    put_number(on->stream, place.bottom - place.top);
    fprintf(on->stream, "\" preserveAspectRatio=\"none\"%s href=\"data:image/png;base64,",
            smooth ? "" : " style=\"image-rendering:pixelated\"");
    put_base64(on->stream, (const unsigned char *)png, size);
    fputs("\"/>\n", on->stream);
}

/* An inner <svg> clips without an id, which would have to be unique in the page. */
static void draw_clip(canvas *on, const box *to)
{
    if (!to) {
        fputs("</svg>\n", on->stream);
        return;
    }
    double width = to->right - to->left, height = to->bottom - to->top;
    fprintf(on->stream,
            "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
            to->left, to->top, width, height, to->left, to->top, width, height);
}

canvas canvas_on_svg(FILE *stream, double width, double height)
{
    return (canvas){.width = width,
                    .height = height,
                    .stream = stream,
                    .path = draw_path,
                    .text = draw_text,
                    .image = draw_image,
                    .clip = draw_clip};
}
