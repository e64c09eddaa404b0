/* Finds the columns that options name. */
#include "table/csv/csv_roles.h"

#include "base/memory.h"
#include "options/similar_name.h"

#include <stdio.h>
#include <string.h>

size_t csv_find_column(const csv_reader *reader, const char *name)
{
    size_t count, i;
    const char *const *names = csv_columns(reader, &count);
    text_view bare = view_trimmed((text_view){name, strlen(name)});
    for (i = 0; i < count && strcmp(names[i], name) != 0;) i++;
    if (i < count) return i;
    for (i = 0; i < count && !view_is(bare, names[i]);) i++;
    return i;
}

void csv_list_columns(char *out, size_t size, const csv_reader *reader)
{
    size_t count, used = 0;
    const char *const *names = csv_columns(reader, &count);
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", names[i]);
    if (used >= size) memcpy(out + size - 4, "...", 4);
}

static puad_status no_such_column(const csv_reader *reader, const char *option_name, const char *name)
{
    char list[60] = "", hint[SIMILAR_CAPACITY];
    size_t count;
    const char *const *names = csv_columns(reader, &count);
    similar_name search = {.word = name};
    for (size_t i = 0; i < count; i++) similar_offer(&search, names[i], strlen(names[i]));
    if (search.best)
        FAIL(PUAD_INVALID, "%s: option '%s': there is no column '%s'%s", csv_name(reader), option_name, name,
             similar_hint(hint, &search, ""));
    csv_list_columns(list, sizeof list, reader);
    FAIL(PUAD_INVALID, "%s: option '%s': there is no column '%s'; there are %s", csv_name(reader),
         option_name, name, list);
}

static puad_status set_role(column_role *roles, const csv_reader *reader, const char *option_name,
                            const char *name, column_role role)
{
    size_t count, i = csv_find_column(reader, name);
    csv_columns(reader, &count);
    if (i == count) return no_such_column(reader, option_name, name);
    roles[i] = role;
    return PUAD_OK;
}

bool csv_list_names(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (strcmp(list, name) == 0) return true;
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, length) == 0 && (p[length] == ',' || !p[length])) return true;
    return false;
}

/* Ignores one column, or several separated by commas. */
static puad_status ignore_columns(column_role *roles, const csv_reader *reader, const char *names,
                                  bool optional)
{
    size_t count, whole = csv_find_column(reader, names);
    csv_columns(reader, &count);
    if (whole < count || !strchr(names, ',')) {
        if (whole == count && optional) return PUAD_OK;
        return set_role(roles, reader, "ignore", names, ROLE_IGNORED);
    }
    AUTO_FREE char *copy = strdup(names);
    if (!copy) FAIL(PUAD_MEMORY, "no memory for column names");
    for (char *rest = copy, *name; (name = strsep(&rest, ","));) {
        if (!*name || (optional && csv_find_column(reader, name) == count)) continue;
        TRY(set_role(roles, reader, "ignore", name, ROLE_IGNORED));
    }
    return PUAD_OK;
}

puad_status csv_roles(column_role **out, const csv_reader *reader, const data_options *options,
                      bool label_optional)
{
    AUTO_FREE column_role *roles = NULL;
    size_t count;
    csv_columns(reader, &count);
    TRY(memory_new(&roles, count, sizeof *roles, "columns"));
    for (size_t i = 0; i < options->ignore_count; i++)
        TRY(ignore_columns(roles, reader, options->ignore[i], label_optional));
    if (options->time) TRY(set_role(roles, reader, "time_column", options->time, ROLE_IGNORED));
    if (options->group) TRY(set_role(roles, reader, "series_column", options->group, ROLE_IGNORED));
    bool has_id = options->id_column && csv_find_column(reader, options->id_column) < count;
    if (options->id_column && (has_id || !options->id_optional))
        TRY(set_role(roles, reader, options->id_option ? options->id_option : "id_column", options->id_column,
                     ROLE_ID));
    bool has_label = options->label_column && csv_find_column(reader, options->label_column) < count;
    if (options->label_column && (has_label || !label_optional))
        TRY(set_role(roles, reader, "label_column", options->label_column, ROLE_LABEL));
    *out = roles;
    roles = NULL;
    return PUAD_OK;
}

puad_status csv_check_categorical(const csv_reader *reader, const data_options *options)
{
    size_t count;
    csv_columns(reader, &count);
    for (size_t i = 0; i < options->categorical_count; i++)
        if (csv_find_column(reader, options->categorical[i]) == count)
            return no_such_column(reader, "categorical", options->categorical[i]);
    return PUAD_OK;
}

size_t csv_known_count(const data_options *options)
{
    return 4 + options->ignore_count + options->categorical_count;
}

void csv_known(const char **out, const data_options *options)
{
    *out++ = options->label_column ? options->label_column : "";
    *out++ = options->id_column ? options->id_column : "";
    *out++ = options->time ? options->time : "";
    *out++ = options->group ? options->group : "";
    for (size_t i = 0; i < options->ignore_count; i++) *out++ = options->ignore[i];
    for (size_t i = 0; i < options->categorical_count; i++) *out++ = options->categorical[i];
}
