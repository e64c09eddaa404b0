/* A result as bytes: its fields as strings, each NUL-terminated, in the order of result.def. */
#include "lab/run/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

puad_status lab_result_pack(char **out, size_t *out_size, const lab_result *result)
{
    size_t count;
    const field *fields = lab_fields(&count);
    lab_record record = {.result = *result};
    char buffer[FIELD_CAPACITY];
    FILE *stream = text_stream_open(out, out_size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a result");
    for (size_t i = lab_option_count; i < count; i++) {
        const char *text = field_text(buffer, &record, &fields[i]);
        fwrite(text, 1, strlen(text) + 1, stream);
    }
    if (text_stream_close(stream, out)) return PUAD_OK;
    FAIL(PUAD_MEMORY, "no memory for a result");
}

puad_status lab_result_unpack(lab_result *out, const char *bytes, size_t size, arena *memory)
{
    size_t count;
    const field *fields = lab_fields(&count);
    lab_record record = {.result = lab_result_unknown()};
    for (size_t i = lab_option_count; i < count; i++) {
        size_t length = strnlen(bytes, size);
        if (length == size) FAIL(PUAD_FORMAT, "a result ends before its %s", fields[i].name);
        TRY(field_set(&record, &fields[i], bytes, memory));
        bytes += length + 1;
        size -= length + 1;
    }
    if (size > 0) FAIL(PUAD_FORMAT, "a result has %zu bytes too many", size);
    *out = record.result;
    return PUAD_OK;
}
