/* Derived columns in a model file. The reader checks its input, since model files are untrusted. */
#include "table/encoding/derived.h"

#include "table/encoding/transform.h"

#include <math.h>

static const char *const kind_names[] = {[DERIVED_COUNT] = "count",
                                         [DERIVED_BY_GROUP] = "by_group",
                                         [DERIVED_RATIO] = "ratio",
                                         [DERIVED_DIFFERENCE] = "difference",
                                         [DERIVED_TIME] = "time"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

static bool add_numbers(cJSON *object, const char *name, const double *values, size_t count)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (size_t i = 0; list && i < count; i++)
        if (!cJSON_AddItemToArray(list, json_exact_number(values[i]))) return false;
    return list != NULL;
}

static bool add_groups(cJSON *list, const derived_groups *groups)
{
    cJSON *object = cJSON_CreateObject(), *texts;
    if (!object || !cJSON_AddItemToArray(list, object)) return false;
    bool good = cJSON_AddNumberToObject(object, "column", (double)groups->column) &&
                (texts = cJSON_AddArrayToObject(object, "texts"));
    for (size_t i = 0; good && i < groups->texts.count; i++)
        good = cJSON_AddItemToArray(texts, cJSON_CreateString(groups->texts.texts[i].text));
    return good && add_numbers(object, "counts", groups->counts, groups->texts.count);
}

static bool add_column(cJSON *list, const transform *owner, size_t index)
{
    const derived_column *column = &owner->derived.columns[index];
    const transform_column *number = &owner->columns[owner->input_count + index];
    cJSON *object = cJSON_CreateObject();
    if (!object || !cJSON_AddItemToArray(list, object)) return false;
    bool good = cJSON_AddStringToObject(object, "name", number->name) &&
                cJSON_AddStringToObject(object, "kind", kind_names[column->kind]);
    if (column->kind != DERIVED_COUNT)
        good = good && cJSON_AddNumberToObject(object, "first", (double)column->first);
    good = good && cJSON_AddNumberToObject(object, "second", (double)column->second);
    if (column->kind == DERIVED_BY_GROUP)
        good = good && cJSON_AddBoolToObject(object, "ratio", column->ratio) &&
               add_numbers(object, "medians", column->medians,
                           owner->derived.groups[column->groups].texts.count);
    return good && transform_number_to_json(object, number);
}

bool derived_to_json(cJSON *object, const transform *owner)
{
    if (!owner->derived.count) return true;
    cJSON *groups = cJSON_AddArrayToObject(object, "groups"),
          *columns = cJSON_AddArrayToObject(object, "derived");
    bool good = groups && columns;
    for (size_t i = 0; good && i < owner->derived.group_count; i++)
        good = add_groups(groups, &owner->derived.groups[i]);
    for (size_t i = 0; good && i < owner->derived.count; i++) good = add_column(columns, owner, i);
    return good;
}

/* An integer below `limit`. */
static puad_status read_index(size_t *out, const cJSON *object, const char *name, size_t limit)
{
    double value;
    if (!json_get_double(&value, object, name) || !(value >= 0 && value < (double)limit) ||
        value != floor(value))
        FAIL(PUAD_FORMAT, "transform: '%s' of a derived column is not below %zu", name, limit);
    *out = (size_t)value;
    return PUAD_OK;
}

static puad_status read_numbers(double **out, arena *memory, const cJSON *object, const char *name,
                                size_t count)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, name), *item;
    size_t i = 0;
    if (!cJSON_IsArray(list) || (size_t)cJSON_GetArraySize(list) != count)
        FAIL(PUAD_FORMAT, "transform: '%s' of a derived column is not a list of %zu", name, count);
    TRY(arena_new(memory, out, count + 1, sizeof **out));
    cJSON_ArrayForEach(item, list)
    {
        (*out)[i] = NAN;
        if (!cJSON_IsNull(item) && (!json_double_of(&(*out)[i], item) || !isfinite((*out)[i])))
            FAIL(PUAD_FORMAT, "transform: '%s' of a derived column has an item that is not a number", name);
        i++;
    }
    return PUAD_OK;
}

static puad_status read_groups(transform *out, const cJSON *object)
{
    const cJSON *texts = cJSON_GetObjectItemCaseSensitive(object, "texts"), *text;
    if (out->derived.group_count == DERIVED_MAX)
        FAIL(PUAD_FORMAT, "transform: more than %d groups", DERIVED_MAX);
    derived_groups *groups = &out->derived.groups[out->derived.group_count];
    TRY(read_index(&groups->column, object, "column", out->input_count));
    if (out->columns[groups->column].type != COLUMN_CATEGORY || !cJSON_IsArray(texts) ||
        cJSON_GetArraySize(texts) > GROUPS_MAX)
        FAIL(PUAD_FORMAT, "transform: groups without a category or strings");
    for (size_t i = 0; i < out->derived.group_count; i++)
        if (out->derived.groups[i].column == groups->column)
            FAIL(PUAD_FORMAT, "transform: a column is grouped twice");
    out->derived.group_count++;
    cJSON_ArrayForEach(text, texts)
    {
        uint32_t code;
        size_t before = groups->texts.count;
        if (!cJSON_IsString(text)) FAIL(PUAD_FORMAT, "transform: a group is not a string");
        TRY(dictionary_add(&code, &groups->texts, (text_view){text->valuestring, strlen(text->valuestring)}));
        if (groups->texts.count == before) FAIL(PUAD_FORMAT, "transform: a group occurs twice");
    }
    TRY(read_numbers(&groups->counts, &out->memory, object, "counts", groups->texts.count));
    for (size_t i = 0; i < groups->texts.count; i++)
        if (!(groups->counts[i] >= 1)) FAIL(PUAD_FORMAT, "transform: a group has %g rows", groups->counts[i]);
    return PUAD_OK;
}

static bool is_number(const transform *out, size_t index)
{
    return index >= out->input_count || out->columns[index].type != COLUMN_CATEGORY;
}

/* The sources of a column must precede it. */
static puad_status read_column(transform *out, const cJSON *object)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(object, "kind");
    derived_column column = {0};
    size_t k = 0, groups = out->derived.group_count;
    while (k < KINDS && !(cJSON_IsString(kind) && strcmp(kind_names[k], kind->valuestring) == 0)) k++;
    if (k == KINDS) FAIL(PUAD_FORMAT, "transform: a derived column of an unknown kind");
    column.kind = (derived_kind)k;
    bool grouped = column.kind == DERIVED_COUNT || column.kind == DERIVED_BY_GROUP;
    TRY(read_index(&column.second, object, "second", out->input_count));
    if (column.kind != DERIVED_COUNT) TRY(read_index(&column.first, object, "first", out->column_count));
    if (grouped == is_number(out, column.second) ||
        (column.kind != DERIVED_COUNT && !is_number(out, column.first)))
        FAIL(PUAD_FORMAT, "transform: a derived column of columns of the wrong type");
    column.ratio = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "ratio"));
    TRY(derived_append(out, &column));
    if (out->derived.group_count > groups) FAIL(PUAD_FORMAT, "transform: a derived column without groups");
    derived_column *made = &out->derived.columns[out->derived.count - 1];
    if (column.kind == DERIVED_BY_GROUP)
        TRY(read_numbers(&made->medians, &out->memory, object, "medians",
                         out->derived.groups[made->groups].texts.count));
    for (size_t i = 0;
         made->ratio && column.kind == DERIVED_BY_GROUP && i < out->derived.groups[made->groups].texts.count;
         i++)
        if (made->medians[i] <= 0) FAIL(PUAD_FORMAT, "transform: a median of ratios is %g", made->medians[i]);
    transform_column *number = &out->columns[out->column_count - 1];
    number->coding = derived_coding(made);
    return transform_number_from_json(number, object);
}

puad_status derived_from_json(transform *out, const cJSON *object)
{
    const cJSON *groups = cJSON_GetObjectItemCaseSensitive(object, "groups"), *item,
                *columns = cJSON_GetObjectItemCaseSensitive(object, "derived");
    if (!columns) return PUAD_OK;
    cJSON_ArrayForEach(item, groups) TRY(read_groups(out, item));
    cJSON_ArrayForEach(item, columns)
    {
        if (out->derived.count == DERIVED_MAX)
            FAIL(PUAD_FORMAT, "transform: more than %d derived columns", DERIVED_MAX);
        TRY(read_column(out, item));
    }
    return PUAD_OK;
}
