/* Prints an object on one line. */
#include "cli/common/json_line.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

puad_status json_line(const cJSON *object)
{
    AUTO_FREE char *text = json_text_of(object, false);
    if (!text) FAIL(PUAD_MEMORY, "no memory for the JSON object");
    printf("{\"schema\":%d%s%s\n", JSON_SCHEMA, strcmp(text, "{}") == 0 ? "" : ",", text + 1);
    fflush(stdout);
    return PUAD_OK;
}
