/* One object, one line. */
#include "cli/common/json_line.h"

#include "base/memory.h"

#include <stdio.h>

puad_status json_line(const cJSON *object)
{
    AUTO_FREE char *text = json_text_of(object, false);
    if (!text) FAIL(PUAD_MEMORY, "no memory for the JSON object");
    puts(text);
    fflush(stdout);
    return PUAD_OK;
}
