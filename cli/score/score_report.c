/* Writes the summary of 'puad score'. */
#include "cli/score/score_report.h"
#include "cli/library_values.h"

#include "base/file.h"
#include "base/memory.h"
#include "cli/audit/audit_scores.h"
#include "cli/common/json_line.h"
#include "cli/common/print_warnings.h"

#include <string.h>

puad_status score_report_write(const char *path, const invocation *call, puad_decider *decisions,
                               const puad_audit_result *audited)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", JSON_SCHEMA);
    cJSON_AddStringToObject(object, "model", call->arguments[0]);
    cJSON_AddStringToObject(object, "input", call->arguments[1]);
    cJSON_AddNumberToObject(object, "rows", (double)decided(decisions).rows);
    if (audited)
        cJSON_AddNumberToObject(object, "flagged", (double)audited->flagged);
    else if (decided(decisions).kind)
        cJSON_AddNumberToObject(object, "flagged", (double)decided(decisions).flagged);
    else
        cJSON_AddNullToObject(object, "flagged");
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    const char *line;
    char message[SPOKEN_CAPACITY];
    if (audited) audit_add_json(object, audited);
    for (size_t i = 0; !audited && *(line = puad_decider_report(decisions, i)); i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(speak(message, call->command, line)));
    warnings_add_json(object);
    AUTO_FREE char *text = json_text_of(object, false);
    if (!text) FAIL(PUAD_MEMORY, "no memory for the report");
    return file_write(path, text, strlen(text));
}
