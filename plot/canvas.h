/* The interface that panels draw on (lines, text and images), implemented by Cairo (PNG, PDF) and as SVG
 * text.
 *
 * SVG is written here because Cairo converts letters to outlines. This way text remains text, a figure
 * takes a few kilobytes, and several figures in one page have no conflicting ids. Cairo measures the text
 * for both. The first failure is kept in the canvas and reported at the end. */
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include "base/status.h"

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t color; /* COLOR_RGB(0xRRGGBB) or one of the first three; 0 draws nothing */
enum { COLOR_NONE, COLOR_INK, COLOR_PAPER };
#define COLOR_RGB(rgb) (0xFF000000u | (color)(rgb))

typedef struct point {
    double x, y;
} point;

typedef struct box {
    double left, top, right, bottom;
} box;

typedef enum path_kind {
    PATH_OPEN,
    PATH_CLOSED,
    PATH_SEGMENTS, /* pairs of points */
    PATH_DOTS,     /* round dots with the stroke's width */
} path_kind;

typedef struct path_style {
    color stroke, fill;
    double width;   /* of the stroke */
    double opacity; /* of everything; 0 means 1 */
    bool dashed;
} path_style;

typedef struct text_style {
    double size;        /* 0: default 11 */
    double anchor;      /* 0 begins, 0.5 is centered, 1 ends at the point */
    bool bold, upright; /* upright: rotated to read from bottom to top */
    bool faint;
} text_style;

typedef struct canvas canvas;
struct canvas {
    double width, height;
    puad_status status;
    void (*path)(canvas *on, path_kind kind, const point *points, size_t count, path_style style);
    void (*text)(canvas *on, point at, const char *clean, text_style style);
    void (*image)(canvas *on, box place, cairo_surface_t *pixels, bool smooth);
    void (*clip)(canvas *on, const box *to); /* NULL removes the clip; clips do not nest */
    cairo_t *cairo;
    FILE *stream;
};

void canvas_path(canvas *on, path_kind kind, const point *points, size_t count, path_style style);
void canvas_line(canvas *on, double x0, double y0, double x1, double y1, path_style style);
void canvas_box(canvas *on, box place, path_style style);
void canvas_text(canvas *on, double x, double y, const char *text, text_style style);
void canvas_image(canvas *on, box place, const uint8_t *rgb, int width, int height, bool smooth);
void canvas_clip(canvas *on, const box *to);

/* The width of a text, and a copy truncated with an ellipsis to fit. `out` has TEXT_MAX bytes. */
enum { TEXT_MAX = 256 };
double text_width(const char *text, text_style style);
void text_fit(char out[TEXT_MAX], const char *text, text_style style, double width);

/* A copy as valid UTF-8 without control characters, truncated to `capacity`. */
void text_clean(char *out, size_t capacity, const char *text);

/* Whether all widths since the last call could be measured. */
puad_status text_measured(void);

/* Escapes XML's special characters; also cleans the text. */
void text_escape(FILE *stream, const char *text);

canvas canvas_on_svg(FILE *stream, double width, double height);
canvas canvas_on_cairo(cairo_t *cairo, double width, double height);
void canvas_font(cairo_t *cairo, text_style style);

#endif
