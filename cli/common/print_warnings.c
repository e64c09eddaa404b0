/* Prints and records the warnings of a command. */
#include "cli/common/print_warnings.h"
#include "cli/library_values.h"

#include "base/memory.h"
#include "cli/common/message.h"

#include <stdio.h>
#include <stdlib.h>

static cJSON *kept; /* a list; NULL before the first one. It lives until the process ends */
static size_t count;

static void forget(void)
{
    cJSON_Delete(kept);
}

static void keep(const puad_warning *warning, const char *message)
{
    if (!kept && (kept = cJSON_CreateArray())) atexit(forget);
    cJSON *object = cJSON_CreateObject();
    if (!kept || !object) {
        cJSON_Delete(object);
        return; /* it is still printed and counted */
    }
    cJSON_AddStringToObject(object, "name", warning->name);
    if (warning->column) cJSON_AddStringToObject(object, "column", warning->column);
    cJSON_AddStringToObject(object, "text", message);
    cJSON_AddItemToArray(kept, object);
}

void warning_print(const command *who, const puad_warning *warning)
{
    char message[SPOKEN_CAPACITY];
    speak(message, who, warning->text);
    message_print(MESSAGE_WARNING, who->name, "%s", message);
    count++;
    keep(warning, message);
}

void warnings_of_model(const invocation *call, const puad_detector *model)
{
    for (size_t i = 0; i < info_of(model).warning_count; i++) {
        const puad_warning *was = puad_detector_warning(model, i);
        AUTO_FREE char *text = NULL;
        puad_warning again = *was;
        if (asprintf(&text, "in training: %s", was->text) >= 0) again.text = text;
        warning_print(call->command, &again);
    }
}

size_t warnings_count(void)
{
    return count;
}

void warnings_add_json(cJSON *object)
{
    cJSON *list = kept ? cJSON_Duplicate(kept, true) : cJSON_CreateArray();
    cJSON_AddItemToObject(object, "warnings", list);
}
