/* Prints a result as a table with the columns of all rows, in order of first occurrence. */
#include "cli/common/table_print.h"

#include "base/memory.h"
#include "base/plain_text.h"
#include "cli/common/json_line.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool prints_text(const invocation *call)
{
    return !is_given(call, "json") && strcmp(value_of(call, "format")->text, "text") == 0;
}

void print_cell(const char *text, char delimiter, bool guarded)
{
    static int terminal = -1;
    if (terminal < 0) terminal = isatty(STDOUT_FILENO);
    csv_put(stdout, text, delimiter, (guarded ? CSV_GUARDED : 0) | (terminal ? CSV_SHOWN : 0));
}

static bool is_interval(const cJSON *item)
{
    return cJSON_HasObjectItem(item, "value") && cJSON_HasObjectItem(item, "low");
}

static puad_status add_flat(cJSON *to, const cJSON *json, const char *prefix, bool alone, arena *memory)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json)
    {
        const char *name = item->string;
        if (*prefix && strcmp(name, "value") == 0 && is_interval(json))
            name = prefix;
        else if (*prefix)
            TRY(arena_print(memory, &name, is_interval(json) ? "%s_%s" : "%s.%s", prefix, item->string));
        if (cJSON_IsArray(item)) continue;
        if (cJSON_IsObject(item)) {
            if (alone || is_interval(item)) TRY(add_flat(to, item, name, alone, memory));
            continue;
        }
        cJSON *copy = cJSON_Duplicate(item, true);
        if (!copy || !cJSON_AddItemToObject(to, name, copy)) FAIL(PUAD_MEMORY, "no memory for the table");
    }
    return PUAD_OK;
}

static void print_value(const cJSON *value, char delimiter)
{
    char *text = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    const char *shown = text ? text : cJSON_GetStringValue(value);
    if (cJSON_IsNull(value) || !value || !shown) shown = "";
    print_cell(shown, delimiter, !text);
    cJSON_free(text);
}

static puad_status print_cells(const cJSON *rows, char delimiter)
{
    AUTO_JSON cJSON *columns = cJSON_CreateObject();
    const cJSON *row, *item;
    cJSON_ArrayForEach(row, rows)
    {
        cJSON_ArrayForEach(item, row)
        {
            if (!cJSON_GetObjectItemCaseSensitive(columns, item->string) &&
                !cJSON_AddStringToObject(columns, item->string, item->string))
                FAIL(PUAD_MEMORY, "no memory for the table");
        }
    }
    cJSON_ArrayForEach(item, columns)
    {
        if (item->prev->next) putchar(delimiter);
        print_value(item, delimiter);
    }
    putchar('\n');
    cJSON_ArrayForEach(row, rows)
    {
        cJSON_ArrayForEach(item, columns)
        {
            if (item->prev->next) putchar(delimiter);
            print_value(cJSON_GetObjectItemCaseSensitive(row, item->string), delimiter);
        }
        putchar('\n');
    }
    return PUAD_OK;
}

static puad_status print_table(const cJSON *object, const char *name, char delimiter)
{
    AUTO_ARENA arena memory = {0};
    AUTO_JSON cJSON *rows = cJSON_CreateArray();
    const cJSON *list = name ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL, *row;
    for (row = name ? (list ? list->child : NULL) : object; row; row = name ? row->next : NULL) {
        cJSON *flat = cJSON_CreateObject();
        if (!flat || !cJSON_AddItemToArray(rows, flat)) FAIL(PUAD_MEMORY, "no memory for the table");
        TRY(add_flat(flat, row, "", !name, &memory));
    }
    return print_cells(rows, delimiter);
}

puad_status result_print(const invocation *call, const cJSON *object, const char *rows)
{
    const char *format = is_given(call, "json") ? "json" : value_of(call, "format")->text;
    if (strcmp(format, "csv") == 0) return print_table(object, rows, ',');
    if (strcmp(format, "tsv") == 0) return print_table(object, rows, '\t');
    if (strcmp(format, "jsonl") != 0 || !rows) return json_line(object);
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(object, rows)) TRY(json_line(row));
    return PUAD_OK;
}
