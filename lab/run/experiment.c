/* Experiments and results as tables of fields. */
#include "lab/run/experiment.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lab_cell lab_cell_standard(void)
{
    return (lab_cell){
#define OPTION(type, name, standard, absent) .name = standard,
#include "lab/run/experiment.def"
#undef OPTION
    };
}

#define UNKNOWN_TEXT ""
#define UNKNOWN_INTEGER (-1)
#define UNKNOWN_REAL NAN

lab_result lab_result_unknown(void)
{
    return (lab_result){
#define RESULT(type, name) .name = UNKNOWN_##type,
#include "lab/run/result.def"
#undef RESULT
    };
}

static const field fields[] = {
#define OPTION(type, name, standard, absent)                                                                 \
    {#name, FIELD_##type, offsetof(lab_record, cell.name), absent, true},
#include "lab/run/experiment.def"
#undef OPTION
#define RESULT(type, name) {#name, FIELD_##type, offsetof(lab_record, result.name), NULL, false},
#include "lab/run/result.def"
#undef RESULT
};

const size_t lab_option_count = 0
#define OPTION(type, name, standard, absent) +1
#include "lab/run/experiment.def"
#undef OPTION
    ;

const field *lab_fields(size_t *out_count)
{
    *out_count = sizeof fields / sizeof *fields;
    return fields;
}

const field *lab_field(const char *name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

static const void *member(const lab_record *record, const field *which)
{
    return (const char *)record + which->offset;
}

/* The fewest digits that read back as the same number. */
static void write_real(char out[FIELD_CAPACITY], double value)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, FIELD_CAPACITY, "%.*g", digits, value);
        if (strtod(out, NULL) == value) return;
    }
}

const char *field_text(char out[FIELD_CAPACITY], const lab_record *record, const field *which)
{
    const void *at = member(record, which);
    out[0] = 0;
    switch (which->type) {
    case FIELD_TEXT: return *(const char *const *)at;
    case FIELD_INTEGER: snprintf(out, FIELD_CAPACITY, "%lld", *(const long long *)at); break;
    case FIELD_REAL:
        if (!isnan(*(const double *)at)) write_real(out, *(const double *)at);
        break;
    }
    return out;
}

puad_status field_set(lab_record *to, const field *which, const char *text, arena *memory)
{
    void *at = (char *)to + which->offset;
    char *end = NULL;
    errno = 0;
    switch (which->type) {
    case FIELD_TEXT:
        *(const char **)at = arena_text(memory, text);
        if (!*(const char **)at) FAIL(PUAD_MEMORY, "no memory for %s", which->name);
        return PUAD_OK;
    case FIELD_INTEGER: *(long long *)at = strtoll(text, &end, 10); break;
    case FIELD_REAL:
        *(double *)at = NAN;
        if (!*text && !which->option) return PUAD_OK;
        *(double *)at = strtod(text, &end);
        if (errno == ERANGE && fabs(*(double *)at) < 1) errno = 0; /* denormals are valid */
        if (isnan(*(double *)at)) end = NULL;                      /* "" is an unknown number */
        break;
    }
    if (!end || end == text || *end || errno)
        FAIL(PUAD_FORMAT, "%s: '%s' is not a number", which->name, text);
    return PUAD_OK;
}

bool field_same(const lab_record *one, const lab_record *other, const field *which)
{
    const char *a = (const char *)one + which->offset, *b = (const char *)other + which->offset;
    switch (which->type) {
    case FIELD_TEXT: return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
    case FIELD_INTEGER: return *(const long long *)a == *(const long long *)b;
    case FIELD_REAL: return *(const double *)a == *(const double *)b;
    }
    return false;
}

bool field_is_standard(const lab_cell *cell, const field *which)
{
    lab_record given = {.cell = *cell}, standard = {.cell = lab_cell_standard()};
    char one[FIELD_CAPACITY], other[FIELD_CAPACITY];
    return strcmp(field_text(one, &given, which), field_text(other, &standard, which)) == 0;
}

puad_status lab_cell_check(const lab_cell *cell)
{
    lab_record record = {.cell = *cell};
    char buffer[FIELD_CAPACITY];
    for (size_t i = 0; i < lab_option_count; i++) {
        const char *text = field_text(buffer, &record, &fields[i]);
        if (fields[i].type == FIELD_REAL && !isfinite(*(const double *)member(&record, &fields[i])))
            FAIL(PUAD_INVALID, "%s must be a finite number", fields[i].name);
        if (strlen(text) > 1000) FAIL(PUAD_INVALID, "%s is longer than 1000 bytes", fields[i].name);
        for (const char *at = text; *at; at++)
            if (*at == ';' || (unsigned char)*at < ' ')
                FAIL(PUAD_INVALID, "%s must not contain ';' or control characters", fields[i].name);
    }
    if (!*cell->dataset || !*cell->method) FAIL(PUAD_INVALID, "an experiment needs a dataset and a method");
    return PUAD_OK;
}

puad_status lab_cell_key(char **out, const lab_cell *cell)
{
    TRY(lab_cell_check(cell));
    lab_record record = {.cell = *cell};
    char buffer[FIELD_CAPACITY], *text = NULL;
    size_t size = 0;
    FILE *stream = text_stream_open(&text, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for the key of an experiment");
    const char *mark = "";
    for (size_t i = 0; i < lab_option_count; i++) {
        if (field_is_standard(cell, &fields[i])) continue;
        fprintf(stream, "%s%s=%s", mark, fields[i].name, field_text(buffer, &record, &fields[i]));
        mark = ";";
    }
    if (!text_stream_close(stream, &text)) FAIL(PUAD_MEMORY, "no memory for the key of an experiment");
    *out = text;
    return PUAD_OK;
}
