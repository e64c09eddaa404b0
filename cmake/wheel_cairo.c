/* Cairo for the program of the Python wheel: loaded when something is drawn, so that the wheel runs on machines without it.
 *
 * The functions below have Cairo's names and pass their calls on. Without libcairo.so.2 text is measured by an estimate, so SVG figures
 * are drawn; a PNG, a PDF and an image inside a figure fail with a message. */
#include <cairo-pdf.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static _Thread_local double font_size;

static void open_library(void)
{
    library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
}

static void *function(const char *name)
{
    pthread_once(&once, open_library);
    return library ? dlsym(library, name) : NULL;
}

/* A function that does nothing and returns `otherwise` if Cairo is missing. */
#define CAIRO(result, name, parameters, arguments, otherwise)                                                \
    result name parameters                                                                                   \
    {                                                                                                        \
        result(*found) parameters = (result(*) parameters)function(#name);                                   \
        return found ? found arguments : otherwise;                                                          \
    }
#define CAIRO_VOID(name, parameters, arguments)                                                              \
    void name parameters                                                                                     \
    {                                                                                                        \
        void(*found) parameters = (void(*) parameters)function(#name);                                       \
        if (found) found arguments;                                                                          \
    }

CAIRO_VOID(cairo_clip, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_close_path, (cairo_t * cr), (cr))
CAIRO(cairo_t *, cairo_create, (cairo_surface_t * target), (target), NULL)
CAIRO_VOID(cairo_destroy, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_fill, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_fill_preserve, (cairo_t * cr), (cr))
CAIRO(cairo_font_options_t *, cairo_font_options_create, (void), (), NULL)
CAIRO_VOID(cairo_font_options_destroy, (cairo_font_options_t * options), (options))
CAIRO_VOID(cairo_font_options_set_hint_metrics,
           (cairo_font_options_t * options, cairo_hint_metrics_t hint_metrics), (options, hint_metrics))
CAIRO(cairo_pattern_t *, cairo_get_source, (cairo_t * cr), (cr), NULL)
CAIRO(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t format, int width, int height),
      (format, width, height), NULL)
CAIRO(cairo_surface_t *, cairo_image_surface_create_for_data,
      (unsigned char *data, cairo_format_t format, int width, int height, int stride),
      (data, format, width, height, stride), NULL)
CAIRO(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t * surface), (surface), NULL)
CAIRO(int, cairo_image_surface_get_height, (cairo_surface_t * surface), (surface), 0)
CAIRO(int, cairo_image_surface_get_stride, (cairo_surface_t * surface), (surface), 0)
CAIRO(int, cairo_image_surface_get_width, (cairo_surface_t * surface), (surface), 0)
CAIRO_VOID(cairo_line_to, (cairo_t * cr, double x, double y), (cr, x, y))
CAIRO_VOID(cairo_move_to, (cairo_t * cr, double x, double y), (cr, x, y))
CAIRO_VOID(cairo_new_path, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_paint, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_pattern_set_extend, (cairo_pattern_t * pattern, cairo_extend_t extend), (pattern, extend))
CAIRO_VOID(cairo_pattern_set_filter, (cairo_pattern_t * pattern, cairo_filter_t filter), (pattern, filter))
CAIRO(cairo_surface_t *, cairo_pdf_surface_create_for_stream,
      (cairo_write_func_t write_func, void *closure, double width_in_points, double height_in_points),
      (write_func, closure, width_in_points, height_in_points), NULL)
CAIRO_VOID(cairo_pdf_surface_set_metadata,
           (cairo_surface_t * surface, cairo_pdf_metadata_t metadata, const char *utf8),
           (surface, metadata, utf8))
CAIRO_VOID(cairo_rectangle, (cairo_t * cr, double x, double y, double width, double height),
           (cr, x, y, width, height))
CAIRO_VOID(cairo_restore, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_rotate, (cairo_t * cr, double angle), (cr, angle))
CAIRO_VOID(cairo_save, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_scale, (cairo_t * cr, double sx, double sy), (cr, sx, sy))
CAIRO_VOID(cairo_select_font_face,
           (cairo_t * cr, const char *family, cairo_font_slant_t slant, cairo_font_weight_t weight),
           (cr, family, slant, weight))
CAIRO_VOID(cairo_set_dash, (cairo_t * cr, const double *dashes, int num_dashes, double offset),
           (cr, dashes, num_dashes, offset))
CAIRO_VOID(cairo_set_font_options, (cairo_t * cr, const cairo_font_options_t *options), (cr, options))
CAIRO_VOID(cairo_set_line_cap, (cairo_t * cr, cairo_line_cap_t line_cap), (cr, line_cap))
CAIRO_VOID(cairo_set_line_join, (cairo_t * cr, cairo_line_join_t line_join), (cr, line_join))
CAIRO_VOID(cairo_set_line_width, (cairo_t * cr, double width), (cr, width))
CAIRO_VOID(cairo_set_source_rgba, (cairo_t * cr, double red, double green, double blue, double alpha),
           (cr, red, green, blue, alpha))
CAIRO_VOID(cairo_set_source_surface, (cairo_t * cr, cairo_surface_t *surface, double x, double y),
           (cr, surface, x, y))
CAIRO_VOID(cairo_show_text, (cairo_t * cr, const char *utf8), (cr, utf8))
CAIRO(cairo_status_t, cairo_status, (cairo_t * cr), (cr), CAIRO_STATUS_DEVICE_ERROR)
CAIRO(const char *, cairo_status_to_string, (cairo_status_t status), (status),
      "libcairo.so.2 is not installed")
CAIRO_VOID(cairo_stroke, (cairo_t * cr), (cr))
CAIRO_VOID(cairo_surface_destroy, (cairo_surface_t * surface), (surface))
CAIRO_VOID(cairo_surface_finish, (cairo_surface_t * surface), (surface))
CAIRO_VOID(cairo_surface_mark_dirty, (cairo_surface_t * surface), (surface))
CAIRO(cairo_status_t, cairo_surface_status, (cairo_surface_t * surface), (surface), CAIRO_STATUS_DEVICE_ERROR)
CAIRO(cairo_status_t, cairo_surface_write_to_png_stream,
      (cairo_surface_t * surface, cairo_write_func_t write_func, void *closure),
      (surface, write_func, closure), CAIRO_STATUS_DEVICE_ERROR)
CAIRO_VOID(cairo_translate, (cairo_t * cr, double tx, double ty), (cr, tx, ty))

void cairo_set_font_size(cairo_t *cr, double size)
{
    void (*found)(cairo_t *, double) = (void (*)(cairo_t *, double))function("cairo_set_font_size");
    font_size = size;
    if (found) found(cr, size);
}

/* Letters of DejaVu Sans are 0.6 of the font size wide on average. */
void cairo_text_extents(cairo_t *cr, const char *utf8, cairo_text_extents_t *extents)
{
    typedef void call(cairo_t *, const char *, cairo_text_extents_t *);
    call *found = (call *)function("cairo_text_extents");
    if (found)
        found(cr, utf8, extents);
    else
        extents->x_advance = 0.6 * font_size * (double)strlen(utf8);
}
