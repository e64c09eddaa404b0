/* The JSON form of an encoding in a model file. The reader checks its input, since model files are
 * untrusted. */
#include "table/encoding/transform.h"

#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { FILE_COLUMNS_MAX = 1 << 20 };

static const char *const type_names[] = {
    [COLUMN_NUMBER] = "number", [COLUMN_CATEGORY] = "category", [COLUMN_DROPPED] = "dropped"};

static const char *const form_names[] = {[FORM_PLAIN] = "plain",
                                         [FORM_NUMBER] = "number",
                                         [FORM_BOOLEAN] = "boolean",
                                         [FORM_DATE] = "date",
                                         [FORM_RANGE] = "range"};

static bool add_form(cJSON *object, const cell_form *form)
{
    if (form->kind == FORM_PLAIN) return true;
    cJSON *made = cJSON_AddObjectToObject(object, "form");
    bool good = made && cJSON_AddStringToObject(made, "kind", form_names[form->kind]);
    if (form->kind == FORM_DATE)
        return good && cJSON_AddStringToObject(made, "order", date_order_name(form->order));
    if (form->kind != FORM_NUMBER && form->kind != FORM_RANGE) return good;
    good = good && cJSON_AddStringToObject(made, "decimal", (char[]){form->decimal, 0});
    if (form->group) good = good && cJSON_AddStringToObject(made, "group", (char[]){form->group, 0});
    if (form->unit[0]) good = good && cJSON_AddStringToObject(made, "unit", form->unit);
    if (form->none_is_zero) good = good && cJSON_AddTrueToObject(made, "none_is_zero");
    return good;
}

bool transform_number_to_json(cJSON *object, const transform_column *column)
{
    bool good = json_add_double(object, "pivot", column->pivot) &&
                json_add_double(object, "factor", column->factor) &&
                json_add_double(object, "mean", column->mean) && json_add_double(object, "sd", column->sd) &&
                json_add_double(object, "low", column->low) && json_add_double(object, "high", column->high);
    if (!(column->spread > 0)) return good;
    return good && json_add_double(object, "shift", column->shift) &&
           json_add_double(object, "spread", column->spread);
}

static bool add_column(cJSON *list, const transform_column *column, bool placed)
{
    cJSON *object = cJSON_CreateObject();
    if (!object || !cJSON_AddItemToArray(list, object)) return false;
    bool good = cJSON_AddStringToObject(object, "name", column->name) &&
                cJSON_AddStringToObject(object, "type", type_names[column->type]);
    if (placed) good = good && cJSON_AddNumberToObject(object, "place", (double)column->place);
    if (column->part)
        good = good && cJSON_AddStringToObject(object, "source", column->source) &&
               cJSON_AddStringToObject(object, "part", date_part_name(column->part));
    if (column->type != COLUMN_CATEGORY) good = good && add_form(object, &column->form);
    if (column->type == COLUMN_DROPPED && column->feeds)
        good = good && json_add_double(object, "pivot", column->pivot) &&
               json_add_double(object, "factor", column->factor);
    if (column->type == COLUMN_DROPPED)
        return good && cJSON_AddStringToObject(object, "reason", column->reason ? column->reason : "");
    good = good && cJSON_AddBoolToObject(object, "indicator", column->indicator);
    if (column->type == COLUMN_NUMBER) return good && transform_number_to_json(object, column);
    cJSON *texts = cJSON_AddArrayToObject(object, "categories");
    good = good && texts && cJSON_AddBoolToObject(object, "rest", column->rest);
    for (size_t i = 0; good && i < column->categories.count; i++) {
        cJSON *text = cJSON_CreateString(column->categories.texts[i].text);
        good = text && cJSON_AddItemToArray(texts, text);
    }
    return good;
}

static bool add_axis(cJSON *object, const time_axis *axis)
{
    if (!axis->time && !axis->group) return true;
    cJSON *made = cJSON_AddObjectToObject(object, "axis");
    bool good = made;
    if (axis->group) good = good && cJSON_AddStringToObject(made, "group", axis->group);
    if (!axis->time) return good;
    return good && cJSON_AddStringToObject(made, "time", axis->time) && add_form(made, &axis->form) &&
           json_add_double(made, "step", axis->step) && json_add_double(made, "gap", axis->gap);
}

cJSON *transform_to_json(const transform *owner)
{
    cJSON *object = cJSON_CreateObject();
    bool good = object && cJSON_AddStringToObject(object, "kind", owner->image ? "image" : "table");
    if (owner->image) {
        good = good && cJSON_AddNumberToObject(object, "height", owner->height) &&
               cJSON_AddNumberToObject(object, "width", owner->width) &&
               cJSON_AddNumberToObject(object, "channels", owner->channels) &&
               json_add_double(object, "divisor", owner->divisor);
        if (owner->backbone)
            good = good && cJSON_AddStringToObject(object, "backbone", backbone_fingerprint(owner->backbone));
    } else {
        cJSON *list = NULL;
        good = good && cJSON_AddBoolToObject(object, "named", owner->named) &&
               (list = cJSON_AddArrayToObject(object, "columns")) &&
               json_add_double(object, "scale", owner->scale) &&
               cJSON_AddNumberToObject(object, "file_columns", (double)owner->file_columns);
        if (owner->decimal)
            good = good && cJSON_AddStringToObject(object, "decimal", (char[]){owner->decimal, 0});
        for (size_t i = 0; good && i < owner->input_count; i++)
            good = add_column(list, &owner->columns[i], owner->file_columns > 0);
        good = good && derived_to_json(object, owner) && add_axis(object, &owner->axis);
    }
    if (good) return object;
    cJSON_Delete(object);
    return NULL;
}

static puad_status read_number(double *out, const cJSON *object, const char *name)
{
    errno = 0;
    bool read = json_get_double(out, object, name);
    if (!read && errno == ENOMEM) FAIL(PUAD_MEMORY, "no memory for an encoding");
    if (!read || !isfinite(*out)) FAIL(PUAD_FORMAT, "transform: '%s' is not a number", name);
    return PUAD_OK;
}

static puad_status read_whole(int *out, const cJSON *object, const char *name, int min, int max)
{
    double value = 0;
    TRY(read_number(&value, object, name));
    if (!(value >= min && value <= max) || value != floor(value))
        FAIL(PUAD_FORMAT, "transform: '%s' is %g, expected an integer from %d to %d", name, value, min, max);
    *out = (int)value;
    return PUAD_OK;
}

static bool read_flag(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static puad_status read_text(const char **out, arena *memory, const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsString(item)) FAIL(PUAD_FORMAT, "transform: '%s' is not a string", name);
    *out = arena_text(memory, item->valuestring);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for an encoding");
    return PUAD_OK;
}

static puad_status read_categories(transform_column *out, const cJSON *object)
{
    const cJSON *texts = cJSON_GetObjectItemCaseSensitive(object, "categories"), *text;
    if (!cJSON_IsArray(texts))
        FAIL(PUAD_FORMAT, "transform: column '%s' has no list of categories", out->name);
    out->rest = read_flag(object, "rest");
    cJSON_ArrayForEach(text, texts)
    {
        uint32_t code;
        size_t before = out->categories.count;
        if (!cJSON_IsString(text) || before > CATEGORIES_MAX)
            FAIL(PUAD_FORMAT, "transform: column '%s' has an invalid list of categories", out->name);
        TRY(dictionary_add(&code, &out->categories,
                           (text_view){text->valuestring, strlen(text->valuestring)}));
        if (out->categories.count == before)
            FAIL(PUAD_FORMAT, "transform: column '%s' has a category twice", out->name);
    }
    return PUAD_OK;
}

static puad_status read_mark(char *out, const cJSON *form, const char *name, const char *marks)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(form, name);
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    if (strlen(text) != 1 || !strchr(marks, *text))
        FAIL(PUAD_FORMAT, "transform: a format has the %s mark '%.20s'", name, text);
    *out = *text;
    return PUAD_OK;
}

/* The cell format of a column, if the object has one. */
static puad_status read_form(cell_form *out, const char *name, const cJSON *object)
{
    const cJSON *form = cJSON_GetObjectItemCaseSensitive(object, "form"), *item;
    int found;
    if (!form) return PUAD_OK;
    item = cJSON_GetObjectItemCaseSensitive(form, "kind");
    for (found = FORM_NUMBER; found <= FORM_RANGE; found++)
        if (cJSON_IsString(item) && strcmp(item->valuestring, form_names[found]) == 0) break;
    if (found > FORM_RANGE) FAIL(PUAD_FORMAT, "transform: column '%s' has an unknown format", name);
    out->kind = (form_kind)found;
    if (out->kind == FORM_DATE) {
        item = cJSON_GetObjectItemCaseSensitive(form, "order");
        for (found = 0; found < DATE_ORDERS; found++)
            if (cJSON_IsString(item) && strcmp(item->valuestring, date_order_name((date_order)found)) == 0)
                break;
        if (found == DATE_ORDERS)
            FAIL(PUAD_FORMAT, "transform: column '%s' has an unknown date format", name);
        out->order = (date_order)found;
    }
    if (out->kind != FORM_NUMBER && out->kind != FORM_RANGE) return PUAD_OK;
    TRY(read_mark(&out->decimal, form, "decimal", ".,"));
    if (cJSON_GetObjectItemCaseSensitive(form, "group")) TRY(read_mark(&out->group, form, "group", ".,' "));
    if (out->group == out->decimal)
        FAIL(PUAD_FORMAT, "transform: column '%s' has the same mark for decimals and thousands", name);
    out->none_is_zero =
        out->kind == FORM_RANGE && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(form, "none_is_zero"));
    item = cJSON_GetObjectItemCaseSensitive(form, "unit");
    if (!item) return PUAD_OK;
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= FORM_UNIT)
        FAIL(PUAD_FORMAT, "transform: column '%s' has an invalid unit", name);
    memcpy(out->unit, item->valuestring, strlen(item->valuestring));
    return PUAD_OK;
}

static puad_status read_part(transform_column *out, const cJSON *object)
{
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(object, "part");
    int found;
    if (!part) return PUAD_OK;
    for (found = PART_HOUR; found < DATE_PARTS; found++)
        if (cJSON_IsString(part) && strcmp(part->valuestring, date_part_name((date_part)found)) == 0) break;
    if (found == DATE_PARTS) FAIL(PUAD_FORMAT, "transform: column '%s' has an unknown part", out->name);
    out->part = (date_part)found;
    return PUAD_OK;
}

/* The axis of a time series; other tables have none. */
static puad_status read_axis(transform *out, const cJSON *object)
{
    const cJSON *axis = cJSON_GetObjectItemCaseSensitive(object, "axis");
    if (!axis) return PUAD_OK;
    if (cJSON_GetObjectItemCaseSensitive(axis, "group"))
        TRY(read_text(&out->axis.group, &out->memory, axis, "group"));
    if (!cJSON_GetObjectItemCaseSensitive(axis, "time")) return PUAD_OK;
    TRY(read_text(&out->axis.time, &out->memory, axis, "time"));
    out->axis.form.decimal = out->decimal;
    TRY(read_form(&out->axis.form, out->axis.time, axis));
    TRY(read_number(&out->axis.step, axis, "step"));
    TRY(read_number(&out->axis.gap, axis, "gap"));
    if (out->axis.step < 0 || out->axis.gap < 0)
        FAIL(PUAD_FORMAT, "transform: a time step of %g and a gap of %g", out->axis.step, out->axis.gap);
    return PUAD_OK;
}

puad_status transform_number_from_json(transform_column *out, const cJSON *object)
{
    TRY(read_number(&out->pivot, object, "pivot"));
    TRY(read_number(&out->factor, object, "factor"));
    TRY(read_number(&out->mean, object, "mean"));
    TRY(read_number(&out->sd, object, "sd"));
    if (!(out->sd > 0)) FAIL(PUAD_FORMAT, "transform: column '%s' has sd %g", out->name, out->sd);
    TRY(read_number(&out->low, object, "low"));
    TRY(read_number(&out->high, object, "high"));
    if (!(out->low <= out->high))
        FAIL(PUAD_FORMAT, "transform: column '%s' has the bounds %g and %g", out->name, out->low, out->high);
    if (!cJSON_GetObjectItemCaseSensitive(object, "spread")) return PUAD_OK;
    TRY(read_number(&out->shift, object, "shift"));
    TRY(read_number(&out->spread, object, "spread"));
    if (!(out->spread > 0)) FAIL(PUAD_FORMAT, "transform: column '%s' has spread %g", out->name, out->spread);
    return PUAD_OK;
}

static puad_status read_column(transform_column *out, arena *memory, const cJSON *object)
{
    const char *type;
    TRY(read_text(&out->name, memory, object, "name"));
    out->source = out->name;
    if (cJSON_GetObjectItemCaseSensitive(object, "source"))
        TRY(read_text(&out->source, memory, object, "source"));
    TRY(read_text(&type, memory, object, "type"));
    size_t found = 0;
    while (found < sizeof type_names / sizeof *type_names && strcmp(type_names[found], type) != 0) found++;
    if (found == sizeof type_names / sizeof *type_names)
        FAIL(PUAD_FORMAT, "transform: column '%s' has the unknown type '%s'", out->name, type);
    out->type = (column_type)found;
    if (out->type != COLUMN_CATEGORY) {
        TRY(read_part(out, object));
        TRY(read_form(&out->form, out->name, object));
    }
    if (out->type == COLUMN_DROPPED && cJSON_GetObjectItemCaseSensitive(object, "pivot")) {
        TRY(read_number(&out->pivot, object, "pivot"));
        TRY(read_number(&out->factor, object, "factor"));
    }
    if (out->type == COLUMN_DROPPED) return read_text(&out->reason, memory, object, "reason");
    out->indicator = read_flag(object, "indicator");
    if (out->type == COLUMN_CATEGORY) return read_categories(out, object);
    return transform_number_from_json(out, object);
}

/* The positions of the columns in the training file. */
static puad_status read_places(transform *out, const cJSON *object, const cJSON *columns)
{
    int count = 0, place = -1;
    const cJSON *column;
    size_t i = 0;
    TRY(read_whole(&count, object, "file_columns", 0, FILE_COLUMNS_MAX));
    if (!count) return PUAD_OK; /* an array or a table in memory */
    cJSON_ArrayForEach(column, columns)
    {
        /* in file order */
        TRY(read_whole(&place, column, "place", place + !transform_goes_on(out, i), count - 1));
        out->columns[i++].place = (size_t)place;
    }
    out->file_columns = (size_t)count;
    return PUAD_OK;
}

static puad_status read_decimal(transform *out, const cJSON *object)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "decimal");
    if (!item) return PUAD_OK;
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    if (strcmp(text, ".") != 0 && strcmp(text, ",") != 0)
        FAIL(PUAD_FORMAT, "transform: the decimal mark is '%.20s', expected '.' or ','", text);
    out->decimal = *text;
    return PUAD_OK;
}

static puad_status read_table(transform *out, const cJSON *object, const cJSON *columns)
{
    const cJSON *column;
    size_t i = 0;
    cJSON_ArrayForEach(column, columns) TRY(read_column(&out->columns[i++], &out->memory, column));
    TRY(read_places(out, object, columns));
    TRY(derived_from_json(out, object));
    TRY(read_decimal(out, object));
    TRY(read_axis(out, object));
    TRY(read_number(&out->scale, object, "scale"));
    if (!(out->scale > 0 && out->scale <= 1e3)) FAIL(PUAD_FORMAT, "transform: scale %g", out->scale);
    transform_place(out);
    if (out->encoded == 0) FAIL(PUAD_FORMAT, "transform: no columns");
    return PUAD_OK;
}

static puad_status read_image(transform *out, const cJSON *object, backbone *features)
{
    out->image = true;
    TRY(read_whole(&out->height, object, "height", 1, 4096));
    TRY(read_whole(&out->width, object, "width", 1, 4096));
    TRY(read_whole(&out->channels, object, "channels", 1, 3));
    TRY(read_number(&out->divisor, object, "divisor"));
    if (!(out->divisor > 0)) FAIL(PUAD_FORMAT, "transform: divisor %g", out->divisor);
    out->encoded = (size_t)out->height * (size_t)out->width * (size_t)out->channels;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "backbone");
    if (!name) return PUAD_OK;
    if (!features || !cJSON_IsString(name) || strcmp(name->valuestring, backbone_fingerprint(features)) != 0)
        FAIL(PUAD_FORMAT, "transform: the backbone is missing or a different one");
    if (out->height != out->width || out->height < BACKBONE_SIDE_MIN || out->height > BACKBONE_SIDE_MAX)
        FAIL(PUAD_FORMAT, "transform: a backbone for %d x %d pixels", out->width, out->height);
    out->backbone = backbone_share(features);
    out->encoded = backbone_feature_count(features) + backbone_patch_count(features);
    return PUAD_OK;
}

puad_status transform_from_json(transform **out, const cJSON *object, backbone *features)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(object, "kind");
    const cJSON *columns = cJSON_GetObjectItemCaseSensitive(object, "columns");
    bool image = cJSON_IsString(kind) && strcmp(kind->valuestring, "image") == 0;
    bool table = cJSON_IsString(kind) && strcmp(kind->valuestring, "table") == 0 && cJSON_IsArray(columns);
    if (!image && !table) FAIL(PUAD_FORMAT, "transform: expected the kind 'table' with columns, or 'image'");
    transform *made = NULL;
    TRY(transform_new(&made, table ? (size_t)cJSON_GetArraySize(columns) : 0));
    made->named = read_flag(object, "named");
    puad_status status = image ? read_image(made, object, features) : read_table(made, object, columns);
    if (status != PUAD_OK) {
        transform_free(made);
        return status;
    }
    *out = made;
    return PUAD_OK;
}

puad_status transform_copy(transform **out, const transform *source)
{
    AUTO_JSON cJSON *json = transform_to_json(source);
    if (!json) FAIL(PUAD_MEMORY, "no memory for a copy of the encoding");
    return transform_from_json(out, json, source->backbone);
}
