/* Builds the networks conv32, conv1d and mlp, layer by layer. */
#include "nn/architecture.h"

#include "options/option_row.h"

#include <math.h>
#include <string.h>

static const float leaky_slope = 0.01f;
static const float icl_temperature = 0.1f, neutral_temperature = 0.1f;
enum {
    POSITIONS_MAX = 32,
    POSITIONS_MIN = 4,
    VIEW_VALUES_MAX = 1 << 18,
    VIEWS_CODE = 32,
    MASKS = 8,
    TURNS = 4,
    MIRRORS = 2
};
enum { SERIES_TAPS = 5, SERIES_BLOCKS = 3, SERIES_CODE = 32, SERIES_WIDTH = 128 };
enum { IMAGE_SIDE = 32, IMAGE_CHANNELS = 3, CODE = 128, CODE_SIDE = 4, CODE_CHANNELS = 8, MLP_DEPTH = 3 };

const char *head_name(head_kind head)
{
    static const char *const names[] = {"reconstruction", "distance", "logit",    "logistic",  "icl",
                                        "neutral",        "rot",      "own code", "own output"};
    return names[head];
}

/* The networks that support a head. */
static const char *head_networks(head_kind head)
{
    bool tables = head == HEAD_ICL || head == HEAD_NEUTRAL;
    return tables ? "mlp" : head == HEAD_ROT ? "conv32" : "conv32 conv1d mlp";
}

static layer *append(architecture *out, layer next)
{
    out->layers[out->count] = next;
    return &out->layers[out->count++];
}

static void append_convolution(architecture *out, size_t channels, bool upsample)
{
    append(out, (layer){.type = &layer_convolution,
                        .out = {0, 0, channels},
                        .taps = 5,
                        .repeat = 1,
                        .upsample = upsample});
}

static void append_norm(architecture *out, bool affine, bool pool)
{
    append(out, (layer){.type = &layer_norm, .affine = affine, .pool = pool, .slope = leaky_slope});
}

static puad_status make_conv32(architecture *out, const architecture_options *options)
{
    shape in = options->in;
    if (in.height != IMAGE_SIDE || in.width != IMAGE_SIDE ||
        (in.channels != 1 && in.channels != IMAGE_CHANNELS))
        FAIL(PUAD_INVALID,
             "network conv32 takes 32x32 images with 1 or 3 channels, these rows are %zux%zux%zu", in.height,
             in.width, in.channels);
    bool affine = options->head != HEAD_DISTANCE; /* with the distance head no layer has bias terms */
    const size_t channels[] = {32, 64, 128};
    if (options->head == HEAD_ROT) append(out, (layer){.type = &layer_turns, .views_out = TURNS});
    bool mirrors = options->mirrors && head_is_logit(options->head);
    if (mirrors) append(out, (layer){.type = &layer_mirror, .views_out = MIRRORS});
    for (int i = 0; i < 3; i++) {
        append_convolution(out, channels[i], false);
        if (i == 0) out->layers[out->count - 1].repeat = IMAGE_CHANNELS / in.channels;
        append_norm(out, affine, true);
    }
    out->layers[0].in = in;
    append(out, (layer){.type = &layer_dense, .out = {1, 1, CODE}});
    if (options->linear_code) out->code = out->count;
    append_norm(out, affine, false);
    if (!options->linear_code) out->code = out->count;
    if (head_is_logit(options->head)) {
        append(out, (layer){.type = &layer_dense, .out = {1, 1, 1}, .affine = true});
        if (mirrors) append(out, (layer){.type = &layer_average});
        return PUAD_OK;
    }
    if (options->head == HEAD_ROT) {
        append(out, (layer){.type = &layer_dense, .out = {1, 1, TURNS}, .affine = true});
        append(out, (layer){.type = &layer_choice});
        return PUAD_OK;
    }
    append(out, (layer){.type = &layer_unflatten, .out = {CODE_SIDE, CODE_SIDE, CODE_CHANNELS}});
    for (int i = 0; i < 3; i++) {
        append_convolution(out, channels[2 - i], i > 0);
        append_norm(out, affine, false);
    }
    append_convolution(out, IMAGE_CHANNELS, true);
    append(out, (layer){.type = &layer_sigmoid});
    return PUAD_OK;
}

static void append_dense(architecture *out, size_t units, bool bias, bool relu)
{
    append(out, (layer){.type = &layer_dense, .out = {1, 1, units}, .affine = bias});
    if (relu) append(out, (layer){.type = &layer_leaky, .slope = 0});
}

/* Three blocks [conv1d with five taps and stride 2 -> BatchNorm -> LeakyReLU] of 32, 64 and 64 channels
 * over the window's shape, level and amplitude, then a dense embedding; and dense layers for decoding. */
static puad_status make_conv1d(architecture *out, const architecture_options *options)
{
    static const size_t channels[SERIES_BLOCKS] = {32, 64, 64};
    size_t columns = shape_size(options->in), steps = options->window;
    if (!steps || columns % (steps + 2))
        FAIL(PUAD_INVALID,
             "network conv1d takes windows of a time series (option 'window'), not rows of %zu values",
             columns);
    bool affine = options->head != HEAD_DISTANCE;
    size_t width = options->width ? options->width : SERIES_WIDTH;
    append(out, (layer){.type = &layer_spread,
                        .in = {1, 1, columns},
                        .out = {1, steps, 3 * (columns / (steps + 2))}});
    for (int i = 0; i < SERIES_BLOCKS; i++) {
        append(out, (layer){.type = &layer_conv1d, .out = {0, 0, channels[i]}, .taps = SERIES_TAPS});
        append_norm(out, affine, false);
    }
    append_dense(out, options->latent ? options->latent : SERIES_CODE, affine, false);
    out->code = out->count;
    if (head_is_logit(options->head)) {
        append_dense(out, 1, true, false);
        return PUAD_OK;
    }
    append_dense(out, width, affine, true);
    append_dense(out, columns, affine, false);
    return PUAD_OK;
}

static void append_pair(architecture *out, size_t first_in, size_t units, bool relu)
{
    append(out, (layer){.type = &layer_dense,
                        .out = {1, 1, 2 * units},
                        .split_in = first_in,
                        .split_out = units,
                        .affine = true});
    if (relu) append(out, (layer){.type = &layer_leaky, .slope = 0});
}

/* Columns of a window: a small part of a narrow table, so that enough other columns remain as the
 * question; most columns of a wide one. */
static size_t window_of(size_t columns)
{
    return columns <= 2 ? 1 : columns <= 40 ? 2 : columns <= 160 ? 10 : columns - 150;
}

/* Internal contrastive learning: views of the row, each a window and the other columns. Two parallel
 * networks map the others (the question) and the window (the answer) to vectors. */
static puad_status make_icl(architecture *out, size_t columns, size_t depth, size_t width, size_t latent)
{
    if (columns < 2)
        FAIL(PUAD_INVALID, "head icl compares the columns of a row, but these rows have only one");
    size_t window = window_of(columns), places = columns - window + 1, max = VIEW_VALUES_MAX / columns;
    if (max > POSITIONS_MAX) max = POSITIONS_MAX;
    if (max < POSITIONS_MIN) max = POSITIONS_MIN;
    append(out, (layer){.type = &layer_windows,
                        .in = {1, 1, columns},
                        .window = window,
                        .views_out = places < max ? places : max});
    for (size_t i = 0; i < depth; i++) append_pair(out, i ? width : columns - window, width, true);
    append_pair(out, width, latent, false);
    out->code = out->count;
    append(out, (layer){.type = &layer_contrast, .pairs = true, .temperature = icl_temperature});
    return PUAD_OK;
}

/* NeuTraL: the row and its transformed views; two dense layers compute the masks. One encoder for all of
 * them, then the contrastive loss. */
static puad_status make_neutral(architecture *out, size_t columns, size_t depth, size_t width, size_t latent)
{
    append_dense(out, width, true, true);
    out->layers[0].in = (shape){1, 1, columns};
    append_dense(out, MASKS * columns, true, false);
    append(out, (layer){.type = &layer_masks, .out = {1, 1, columns}});
    for (size_t i = 0; i < depth; i++) append_dense(out, width, true, true);
    append_dense(out, latent, true, false);
    out->code = out->count;
    append(out, (layer){.type = &layer_contrast, .temperature = neutral_temperature});
    return PUAD_OK;
}

/* Heads for tables; windows of columns and masks are not defined for pixels. */
static puad_status make_views(architecture *out, const architecture_options *options, size_t depth,
                              size_t width)
{
    size_t columns = shape_size(options->in), latent = options->latent ? options->latent : VIEWS_CODE;
    if (options->in.height > 1 || options->in.width > 1)
        FAIL(PUAD_INVALID, "the head %s takes rows of numbers, these rows are %zux%zux%zu images",
             head_name(options->head), options->in.height, options->in.width, options->in.channels);
    return options->head == HEAD_ICL ? make_icl(out, columns, depth, width, latent)
                                     : make_neutral(out, columns, depth, width, latent);
}

static puad_status make_mlp(architecture *out, const architecture_options *options)
{
    size_t columns = shape_size(options->in);
    if (options->depth > MLP_DEPTH) FAIL(PUAD_INVALID, "network mlp has at most %d hidden layers", MLP_DEPTH);
    if (columns == 0) FAIL(PUAD_INVALID, "network mlp needs rows of at least one number");
    /* Width and embedding grow slowly with the number of columns: enough for hundreds, small for a few. */
    size_t width = options->width ? options->width : columns < 16 ? 64 : columns < 128 ? 128 : 256;
    size_t latent = options->latent ? options->latent : (size_t)ceil(sqrt((double)columns)) + 1;
    size_t depth = options->depth ? options->depth : MLP_DEPTH;
    if (options->head == HEAD_ICL || options->head == HEAD_NEUTRAL)
        return make_views(out, options, depth, width);
    bool bias = options->head != HEAD_DISTANCE;
    for (size_t i = 0; i < depth; i++) append_dense(out, width, bias, true);
    out->layers[0].in = (shape){1, 1, columns};
    append_dense(out, latent, bias, false);
    out->code = out->count;
    if (head_is_logit(options->head)) {
        append_dense(out, 1, true, false);
        return PUAD_OK;
    }
    for (size_t i = 0; i < depth; i++) append_dense(out, width, bias, true);
    append_dense(out, columns, bias, false);
    return PUAD_OK;
}

static const struct {
    const char *name, *takes;
    puad_status (*make)(architecture *out, const architecture_options *options);
} makers[] = {
#define ARCHITECTURE(name, title, takes) {#name, takes, make_##name},
#include "nn/architectures.def"
#undef ARCHITECTURE
};

puad_status architecture_make(architecture *out, const char *name, const architecture_options *options)
{
    *out = (architecture){0};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].name, name) == 0) {
            if (!options_has_word(head_networks(options->head), name))
                FAIL(PUAD_INVALID, "the head %s takes network %s, not %s", head_name(options->head),
                     head_networks(options->head), name);
            TRY(makers[i].make(out, options));
            bool reads_code = options->head == HEAD_DISTANCE || options->head == HEAD_OWN_CODE;
            out->head = reads_code ? out->code : out->count;
            return PUAD_OK;
        }
    FAIL(PUAD_INVALID, "there is no network '%s'", name);
}

const char *architecture_default(shape in, bool image, head_kind head)
{
    if (head == HEAD_ICL || head == HEAD_NEUTRAL || head == HEAD_ROT) return head_networks(head);
    return image && in.height == IMAGE_SIDE && in.width == IMAGE_SIDE ? "conv32" : "mlp";
}

bool architecture_takes(const char *name, const char *setting)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].name, name) == 0) return options_has_word(makers[i].takes, setting);
    return true; /* architecture_make reports unknown names */
}
