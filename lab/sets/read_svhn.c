/* SVHN, cropped digits: MATLAB files with X (32 x 32 x 3 x N, first index fastest) and y (1..10, where 10
 * is digit 0). */
#include "base/file.h"
#include "lab/sets/mat_check.h"
#include "lab/sets/set_readers.h"

#include <matio.h>
#include <string.h>

static const char *const names[PART_COUNT] = {"svhn/train_32x32.mat", "svhn/test_32x32.mat"};

static puad_status locate(char **out_path, const set_row *about, const char *folder)
{
    for (set_part part = 0; part < PART_COUNT; part++) {
        AUTO_FREE char *path = NULL;
        TRY(set_find_file(&path, about, folder, names[part]));
    }
    return set_find_file(out_path, about, folder, about->name);
}

static void on_message(int level, char *message)
{
    (void)level, (void)message; /* this program's messages name the file and the variable */
}

static void close_file(mat_t **file)
{
    if (*file) Mat_Close(*file);
}
#define AUTO_MAT __attribute__((cleanup(close_file)))

static void free_variable(matvar_t **variable)
{
    Mat_VarFree(*variable);
}
#define AUTO_VARIABLE __attribute__((cleanup(free_variable)))

static puad_status open_file(mat_t **out, const char *path)
{
    TRY(mat_check(path));
    Mat_LogInitFunc("puad", on_message);
    *out = Mat_Open(path, MAT_ACC_RDONLY);
    if (!*out) FAIL(PUAD_FORMAT, "%s: at offset 0: not a MATLAB file", path);
    if (Mat_GetVersion(*out) != MAT_FT_MAT5)
        FAIL(PUAD_FORMAT, "%s: a MATLAB file of another version, expected version 5 to 7", path);
    return PUAD_OK;
}

/* The header of a variable, checked against the expected one; its elements are not read yet. */
static puad_status open_variable(matvar_t **out, mat_t *file, const char *path, const char *name, int rank)
{
    uint64_t size = 0;
    TRY(file_size(&size, path));
    Mat_Rewind(file);
    matvar_t *variable = *out = Mat_VarReadInfo(file, name);
    if (!variable)
        FAIL(PUAD_FORMAT, "%s: damaged or truncated: no variable %s in its %llu bytes", path, name,
             (unsigned long long)size);
    if (variable->rank != rank || !variable->dims || variable->isComplex)
        FAIL(PUAD_FORMAT, "%s: variable %s has %d dimensions, expected %d", path, name, variable->rank, rank);
    size_t count = 1;
    for (int d = 0; d < rank; d++)
        if (!size_multiply(&count, count, variable->dims[d])) count = SIZE_MAX;
    if (count / 1032 > size || count > SET_BYTES_MAX)
        FAIL(PUAD_FORMAT, "%s: variable %s: %zu elements cannot be in a file of %llu bytes", path, name,
             count, (unsigned long long)size);
    return PUAD_OK;
}

static puad_status read_elements(mat_t *file, matvar_t *variable, const char *path)
{
    if (Mat_VarReadDataAll(file, variable) != 0 || !variable->data)
        FAIL(PUAD_FORMAT, "%s: variable %s: damaged or truncated", path, variable->name);
    return PUAD_OK;
}

static puad_status read_labels(int32_t *out, size_t rows, mat_t *file, const char *path)
{
    AUTO_VARIABLE matvar_t *y = NULL;
    TRY(open_variable(&y, file, path, "y", 2));
    if (y->dims[0] * y->dims[1] != rows || (y->class_type != MAT_C_UINT8 && y->class_type != MAT_C_DOUBLE))
        FAIL(PUAD_FORMAT, "%s: variable y: %zu labels for %zu images, expected uint8 or double", path,
             y->dims[0] * y->dims[1], rows);
    TRY(read_elements(file, y, path));
    bool bytes = y->class_type == MAT_C_UINT8;
    if (y->nbytes != rows * (bytes ? 1 : sizeof(double)))
        FAIL(PUAD_FORMAT, "%s: variable y: truncated", path);
    for (size_t i = 0; i < rows; i++) {
        double label = bytes ? ((uint8_t *)y->data)[i] : ((double *)y->data)[i];
        if (!(label >= 0 && label <= 10) || label != (int)label)
            FAIL(PUAD_FORMAT, "%s: variable y: label %g of row %zu, expected 1 to 10", path, label, i);
        out[i] = (int32_t)label % 10;
    }
    return PUAD_OK;
}

static void to_channels_last(uint8_t *out, const uint8_t *data, size_t rows, size_t height, size_t width,
                             size_t channels)
{
    size_t plane = height * width;
    for (size_t row = 0; row < rows; row++, data += plane * channels)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                for (size_t c = 0; c < channels; c++) *out++ = data[c * plane + x * height + y];
}

puad_status svhn_read(raw_set *out, set_part which, const char *path)
{
    raw_part *part = &out->parts[which];
    AUTO_MAT mat_t *file = NULL;
    AUTO_VARIABLE matvar_t *x = NULL;
    TRY(open_file(&file, path));
    TRY(open_variable(&x, file, path, "X", 4));
    if (x->class_type != MAT_C_UINT8) FAIL(PUAD_FORMAT, "%s: variable X is not uint8", path);
    TRY(raw_set_shape(out, x->dims[0], x->dims[1], x->dims[2], path));
    size_t rows = x->dims[3];
    TRY(read_elements(file, x, path));
    if (x->nbytes != rows * raw_set_row_size(out)) FAIL(PUAD_FORMAT, "%s: variable X: truncated", path);
    TRY(memory_new(&part->pixels, rows, raw_set_row_size(out), path));
    to_channels_last(part->pixels, x->data, rows, x->dims[0], x->dims[1], x->dims[2]);
    TRY(memory_new(&part->classes, rows, sizeof(int32_t), path));
    part->rows = rows;
    return read_labels(part->classes, rows, file, path);
}

static puad_status read_all(raw_set *out, const set_row *about, const char *folder)
{
    for (set_part part = 0; part < PART_COUNT; part++) {
        AUTO_FREE char *path = NULL;
        TRY(set_find_file(&path, about, folder, names[part]));
        TRY(svhn_read(out, part, path));
    }
    return PUAD_OK;
}

const set_reader set_reader_svhn = {.locate = locate, .read = read_all};
