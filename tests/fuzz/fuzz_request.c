/* Any bytes as the body of a request to puad-serve: rejected, or a table of at most the allowed rows. */
#include "serve/request_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    request_rows rows;
    const request_limits limits = {.body_bytes = size, .rows = ROWS};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (request_rows_read(&rows, text, size, &limits) == PUAD_OK &&
        (rows.count > ROWS || (rows.count > 0 && !rows.table)))
        abort();
    request_rows_free(&rows);
    free(text);
    return 0;
}
