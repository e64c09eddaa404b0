/* Parses the rows of a JSON request into the columns of a table. */
#include "serve/request_rows.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_CAPACITY = 16384,
    CELL_CAPACITY = 1 << 22, /* rows x columns of a request */
};

typedef struct column {
    const char *name; /* NULL: unnamed */
    size_t index;
    double *numbers;
    const char **strings; /* NULL for a numeric column */
} column;

typedef struct reading {
    request_rows *out;
    column *columns;
    size_t count, capacity;
    void *by_name; /* tree of columns, for tsearch */
} reading;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const column *)a)->name, ((const column *)b)->name);
}

static void keep_tree_nodes(void *node)
{
    (void)node; /* the arena owns the columns */
}

static puad_status add_column(reading *job, const char *name, column **out)
{
    if (job->count == job->capacity)
        FAIL(PUAD_INVALID, "more than %zu different columns; send fewer columns", job->capacity);
    column *made = &job->columns[job->count];
    *made = (column){.name = name, .index = job->count};
    job->count++;
    if (name && !tsearch(made, &job->by_name, compare_names)) FAIL(PUAD_MEMORY, "no memory for columns");
    *out = made;
    return PUAD_OK;
}

/* The column with a name, added if it is new. Most rows have the columns in the same order, so `next` is
 * tried first. */
static puad_status find_column(reading *job, const char *name, size_t next, column **out)
{
    if (next < job->count && strcmp(job->columns[next].name, name) == 0) {
        *out = &job->columns[next];
        return PUAD_OK;
    }
    const column key = {.name = name};
    void *found = tfind(&key, &job->by_name, compare_names);
    if (!found) return add_column(job, name, out);
    *out = *(column **)found;
    return PUAD_OK;
}

static puad_status check_cells(size_t rows, size_t columns)
{
    if (columns > 0 && rows > CELL_CAPACITY / columns)
        FAIL(PUAD_INVALID, "%zu rows x %zu columns are too many cells; send fewer rows", rows, columns);
    return PUAD_OK;
}

static puad_status make_numbers(reading *job, column *which)
{
    TRY(arena_new(&job->out->memory, &which->numbers, job->out->count, sizeof *which->numbers));
    for (size_t row = 0; row < job->out->count; row++) which->numbers[row] = NAN;
    return PUAD_OK;
}

/* Converts a column to strings because one cell is a string. */
static puad_status make_strings(reading *job, column *which)
{
    if (which->strings) return PUAD_OK;
    TRY(arena_new(&job->out->memory, &which->strings, job->out->count, sizeof *which->strings));
    for (size_t row = 0; row < job->out->count; row++) {
        if (isnan(which->numbers[row])) continue;
        TRY(arena_print(&job->out->memory, &which->strings[row], "%.17g", which->numbers[row]));
    }
    return PUAD_OK;
}

static puad_status set_cell(reading *job, column *which, size_t row, const cJSON *cell)
{
    if (cJSON_IsNull(cell)) return PUAD_OK;
    if (cJSON_IsNumber(cell)) {
        which->numbers[row] = cell->valuedouble;
        if (which->strings)
            TRY(arena_print(&job->out->memory, &which->strings[row], "%.17g", cell->valuedouble));
        return PUAD_OK;
    }
    if (!cJSON_IsString(cell) && !cJSON_IsBool(cell))
        FAIL(PUAD_FORMAT, "row %zu, column '%s': expected a number, a string, true, false or null", row,
             which->name ? which->name : "");
    TRY(make_strings(job, which));
    which->strings[row] = cJSON_IsString(cell) ? cell->valuestring : cJSON_IsTrue(cell) ? "true" : "false";
    return PUAD_OK;
}

static puad_status read_objects(reading *job, const cJSON *rows)
{
    const cJSON *row, *cell;
    column *which;
    cJSON_ArrayForEach(row, rows)
    {
        size_t next = 0;
        if (!cJSON_IsObject(row)) FAIL(PUAD_FORMAT, "expected all rows to be objects, as the first is");
        cJSON_ArrayForEach(cell, row)
        {
            TRY(find_column(job, cell->string, next, &which));
            next = which->index + 1;
        }
    }
    TRY(check_cells(job->out->count, job->count));
    for (size_t i = 0; i < job->count; i++) TRY(make_numbers(job, &job->columns[i]));
    size_t number = 0;
    cJSON_ArrayForEach(row, rows)
    {
        size_t next = 0;
        cJSON_ArrayForEach(cell, row)
        {
            TRY(find_column(job, cell->string, next, &which));
            next = which->index + 1;
            TRY(set_cell(job, which, number, cell));
        }
        number++;
    }
    return PUAD_OK;
}

static puad_status read_arrays(reading *job, const cJSON *rows, const cJSON *names)
{
    const cJSON *row, *cell;
    column *added;
    size_t width = (size_t)cJSON_GetArraySize(names ? names : rows->child), number = 0;
    TRY(check_cells(job->out->count, width));
    for (size_t i = 0; i < width && !names; i++) TRY(add_column(job, NULL, &added));
    cJSON_ArrayForEach(cell, names)
    {
        if (!cJSON_IsString(cell)) FAIL(PUAD_FORMAT, "'columns': expected strings");
        const column key = {.name = cell->valuestring};
        if (tfind(&key, &job->by_name, compare_names))
            FAIL(PUAD_FORMAT, "'columns': '%s' occurs twice", cell->valuestring);
        TRY(add_column(job, cell->valuestring, &added));
    }
    for (size_t i = 0; i < width; i++) TRY(make_numbers(job, &job->columns[i]));
    cJSON_ArrayForEach(row, rows)
    {
        size_t place = 0;
        if (!cJSON_IsArray(row)) FAIL(PUAD_FORMAT, "row %zu: expected an array, as the first row is", number);
        cJSON_ArrayForEach(cell, row)
        {
            if (place == width) break;
            TRY(set_cell(job, &job->columns[place++], number, cell));
        }
        if (cell || place < width)
            FAIL(PUAD_FORMAT, "row %zu: expected %zu cells, as %s", number, width,
                 names ? "'columns' has" : "the first row has");
        number++;
    }
    return PUAD_OK;
}

static puad_status read_shape(size_t *rows, size_t *columns, const cJSON *tensor, const char *name)
{
    double sizes[2] = {0, 1};
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(tensor, "shape"), *size;
    int dimension = 0;
    cJSON_ArrayForEach(size, shape)
    {
        if (dimension == 2 || !cJSON_IsNumber(size) || !(size->valuedouble >= 0) || size->valuedouble > 1e9 ||
            size->valuedouble != floor(size->valuedouble))
            FAIL(PUAD_FORMAT, "input '%s': expected a shape of one or two sizes", name);
        sizes[dimension++] = size->valuedouble;
    }
    if (dimension == 0) FAIL(PUAD_FORMAT, "input '%s': expected a shape of one or two sizes", name);
    *rows = (size_t)sizes[0];
    *columns = (size_t)sizes[1];
    return PUAD_OK;
}

/* A tensor of one column has its name; one of several columns is a matrix of unnamed columns. */
static puad_status read_tensor(reading *job, const cJSON *tensor, const char *name, size_t width)
{
    const cJSON *data = cJSON_GetObjectItemCaseSensitive(tensor, "data"), *cell;
    size_t first = job->count, place = 0;
    column *added;
    if (!cJSON_IsArray(data)) FAIL(PUAD_FORMAT, "input '%s': expected an array 'data'", name);
    if ((size_t)cJSON_GetArraySize(data) != job->out->count * width)
        FAIL(PUAD_FORMAT, "input '%s': the number of values in 'data' differs from 'shape'", name);
    const column key = {.name = name};
    if (width == 1 && tfind(&key, &job->by_name, compare_names))
        FAIL(PUAD_FORMAT, "input '%s' occurs twice", name);
    for (size_t i = 0; i < width; i++) {
        TRY(add_column(job, width == 1 ? name : NULL, &added));
        TRY(make_numbers(job, added));
    }
    cJSON_ArrayForEach(cell, data)
    {
        TRY(set_cell(job, &job->columns[first + place % width], place / width, cell));
        place++;
    }
    return PUAD_OK;
}

static puad_status read_tensors(reading *job, const cJSON *inputs, const request_limits *limits)
{
    const cJSON *tensor;
    size_t rows, width, total = 0;
    cJSON_ArrayForEach(tensor, inputs)
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "name"));
        if (!name) FAIL(PUAD_FORMAT, "expected every input to have a name");
        TRY(read_shape(&rows, &width, tensor, name));
        if (tensor != inputs->child && rows != job->out->count)
            FAIL(PUAD_FORMAT, "input '%s': expected %zu rows, as the first input has", name, job->out->count);
        if (rows > limits->rows) FAIL(PUAD_INVALID, "%zu rows; at most %zu at a time", rows, limits->rows);
        job->out->count = rows;
        total += width;
        TRY(check_cells(rows, total));
        TRY(read_tensor(job, tensor, name, width));
    }
    return PUAD_OK;
}

static puad_status read_body(reading *job, const request_limits *limits)
{
    const cJSON *body = job->out->body;
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(body, "inputs");
    job->capacity = COLUMN_CAPACITY;
    TRY(arena_new(&job->out->memory, &job->columns, job->capacity, sizeof *job->columns));
    if (cJSON_IsArray(inputs)) return read_tensors(job, inputs, limits);
    const cJSON *rows = cJSON_IsArray(body) ? body : cJSON_GetObjectItemCaseSensitive(body, "rows");
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(body, "columns");
    if (!cJSON_IsArray(rows))
        FAIL(PUAD_FORMAT, "expected an array of rows, an object with 'rows', or one with 'inputs'");
    size_t count = (size_t)cJSON_GetArraySize(rows);
    if (count > limits->rows) FAIL(PUAD_INVALID, "%zu rows; at most %zu at a time", count, limits->rows);
    job->out->count = count;
    if (count == 0) return PUAD_OK;
    if (cJSON_IsObject(rows->child)) return read_objects(job, rows);
    if (cJSON_IsArray(rows->child) && (!names || cJSON_IsArray(names))) return read_arrays(job, rows, names);
    FAIL(PUAD_FORMAT, "row 0: expected an object or an array");
}

static puad_status make_table(const reading *job)
{
    request_rows *out = job->out;
    TRY(puad_table_new(&out->table, out->count));
    for (size_t i = 0; i < job->count; i++) {
        const column *source = &job->columns[i];
        if (source->strings)
            TRY(puad_table_add_texts(out->table, source->name, source->strings, 0));
        else
            TRY(puad_table_add_doubles(out->table, source->name, source->numbers, 0));
    }
    return PUAD_OK;
}

puad_status request_rows_read(request_rows *out, const char *body, size_t size, const request_limits *limits)
{
    *out = (request_rows){0};
    if (strnlen(body, size) < size) FAIL(PUAD_FORMAT, "the body has a NUL byte; expected JSON");
    TRY(json_parse(&out->body, body, "the body"));
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(out->body, "id");
    if (cJSON_IsString(id)) out->id = id->valuestring;
    reading job = {.out = out};
    puad_status status = read_body(&job, limits);
    if (status == PUAD_OK && out->count > 0) status = make_table(&job);
    tdestroy(job.by_name, keep_tree_nodes);
    return status;
}

void request_rows_free(request_rows *self)
{
    puad_table_free(self->table);
    json_cleanup(&self->body);
    arena_free(&self->memory);
    *self = (request_rows){0};
}
