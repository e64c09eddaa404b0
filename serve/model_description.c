/* Describes the service and its model in the format of the Open Inference Protocol, version 2. */
#include "serve/model_description.h"
#include "cli/library_values.h"

#include <stdio.h>

cJSON *describe_health(const model_version *version)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "status", "ok");
    cJSON_AddBoolToObject(object, "ready", true);
    cJSON_AddNumberToObject(object, "model_version", (double)version_number(version));
    return object;
}

cJSON *describe_server(void)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", "puad");
    cJSON_AddStringToObject(object, "version", puad_version());
    cJSON_AddItemToObject(object, "extensions", cJSON_CreateArray());
    return object;
}

static void add_tensor(cJSON *list, const char *name, const char *type)
{
    cJSON *tensor = cJSON_CreateObject(), *shape = cJSON_CreateArray();
    cJSON_AddItemToArray(shape, cJSON_CreateNumber(-1));
    cJSON_AddStringToObject(tensor, "name", name);
    cJSON_AddStringToObject(tensor, "datatype", type);
    cJSON_AddItemToObject(tensor, "shape", shape);
    cJSON_AddItemToArray(list, tensor);
}

cJSON *describe_tensors(const model_version *version, const char *name)
{
    const puad_detector *detector = version_detector(version);
    const puad_decider *decider = version_decider(version);
    cJSON *object = cJSON_CreateObject(), *versions = cJSON_CreateArray();
    cJSON *inputs = cJSON_CreateArray(), *outputs = cJSON_CreateArray();
    char number[32];
    snprintf(number, sizeof number, "%lu", version_number(version));
    cJSON_AddItemToArray(versions, cJSON_CreateString(number));
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddItemToObject(object, "versions", versions);
    cJSON_AddStringToObject(object, "platform", "puad");
    for (size_t i = 0; i < info_of(detector).column_count; i++) {
        puad_column column = {.struct_size = sizeof column};
        if (puad_detector_column(detector, &column, i) == PUAD_OK)
            add_tensor(inputs, column.name, column.kind == PUAD_COLUMN_NUMBER ? "FP64" : "BYTES");
    }
    add_tensor(outputs, "score", "FP32");
    if (decided(decider).has_p) add_tensor(outputs, "p_value", "FP64");
    if (decided(decider).has_probability) add_tensor(outputs, "probability", "FP64");
    if (decided(decider).kind == PUAD_DECIDES_THRESHOLD) add_tensor(outputs, "flag", "BOOL");
    cJSON_AddItemToObject(object, "inputs", inputs);
    cJSON_AddItemToObject(object, "outputs", outputs);
    return object;
}
