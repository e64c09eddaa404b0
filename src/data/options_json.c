/* How an input was read, as a model keeps it: what was given of the options, under the names that the options
 * of the program have. */
#include "data/options_json.h"

#include <string.h>

static const struct {
    char character;
    const char *name;
} delimiters[] = {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}};
enum { DELIMITERS = sizeof delimiters / sizeof *delimiters };

char data_delimiter_find(const char *name)
{
    for (size_t i = 0; i < DELIMITERS; i++)
        if (strcmp(delimiters[i].name, name) == 0) return delimiters[i].character;
    return 0;
}

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (text) cJSON_AddStringToObject(object, name, text);
}

static void add_list(cJSON *object, const char *name, const char *const *texts, size_t count)
{
    cJSON *list = count ? cJSON_AddArrayToObject(object, name) : NULL;
    for (size_t i = 0; i < count; i++) cJSON_AddItemToArray(list, cJSON_CreateString(texts[i]));
}

/* One that has no name is kept as it is: a program that knows names alone then says so and does not guess. */
static void add_delimiter(cJSON *object, char delimiter)
{
    const char itself[2] = {delimiter, 0}, *name = itself;
    for (size_t i = 0; i < DELIMITERS; i++)
        if (delimiters[i].character == delimiter) name = delimiters[i].name;
    if (delimiter) cJSON_AddStringToObject(object, "delimiter", name);
}

cJSON *data_options_to_json(const data_options *from)
{
    static const char *const headers[] = {[HEADER_YES] = "yes", [HEADER_NO] = "no"};
    cJSON *object = cJSON_CreateObject();
    const label_rule *labels = &from->labels;
    add_text(object, "label-column", from->label_column);
    add_text(object, "id-column", from->id_column);
    add_list(object, "positive", labels->positive, labels->positive_count);
    add_list(object, "unlabeled", labels->unlabeled, labels->unlabeled_count);
    add_list(object, "negative", labels->negative, labels->negative_count);
    add_list(object, "ignore", from->ignore, from->ignore_count);
    add_list(object, "categorical", from->categorical, from->categorical_count);
    add_text(object, "x", from->x);
    add_text(object, "y", from->y);
    add_text(object, "header", headers[from->header]);
    add_delimiter(object, from->delimiter);
    add_text(object, "decimal", from->decimal == ',' ? "comma" : from->decimal == '.' ? "point" : NULL);
    add_text(object, "anomalies", from->anomalies);
    add_text(object, "normals", from->normals);
    return object;
}

puad_status data_options_text(char **out, const cJSON *object)
{
    *out = object ? cJSON_PrintUnformatted(object) : NULL;
    if (!*out) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    return PUAD_OK;
}
