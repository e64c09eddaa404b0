/* Calibration in model files: a JSON string and up to three tensors. */
#include "detector/model/calibration_file.h"

#include "base/json.h"
#include "detector/model/model_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALIBRATION_NUMBERS(FIELD)                                                                           \
    FIELD(share) FIELD(alpha) FIELD(alpha_low) FIELD(alpha_high) FIELD(known_distance)

void calibration_free(calibration *owner)
{
    arena_free(&owner->memory);
    *owner = (calibration){0};
}

cJSON *calibration_to_json(const calibration *source)
{
    cJSON *object = cJSON_CreateObject();
#define FIELD(name) json_add_double(object, #name, source->name);
    CALIBRATION_NUMBERS(FIELD)
#undef FIELD
    cJSON_AddBoolToObject(object, "alpha_estimated", source->alpha_estimated);
    cJSON_AddBoolToObject(object, "alpha_unknown", source->alpha_unknown);
    cJSON_AddBoolToObject(object, "folded", source->folded);
    cJSON_AddBoolToObject(object, "modeled", source->modeled);
    cJSON_AddNumberToObject(object, "unlabeled", (double)source->unlabeled_count);
    cJSON_AddNumberToObject(object, "anomalies", (double)source->anomaly_count);
    return object;
}

puad_status calibration_write(safetensors *file, const calibration *source)
{
    if (source->unlabeled_count == 0) return PUAD_OK;
    TRY(safetensors_add_json(file, "calibration", calibration_to_json(source)));
    size_t count = source->unlabeled_count + source->anomaly_count;
    TRY(safetensors_add(file, "calibration.unlabeled", TENSOR_F32, source->unlabeled, 1,
                        &source->unlabeled_count));
    TRY(safetensors_add(file, "calibration.rows", TENSOR_U32, source->rows, 1, &count));
    TRY(safetensors_add(file, "calibration.keys", TENSOR_U64, source->keys, 1, &count));
    if (source->anomaly_count == 0) return PUAD_OK;
    size_t known[2] = {source->known_count, source->known_columns};
    TRY(safetensors_add(file, "calibration.anomalies", TENSOR_F32, source->anomalies, 1,
                        &source->anomaly_count));
    if (source->known_count == 0) return PUAD_OK; /* a time series */
    return safetensors_add(file, "calibration.known", TENSOR_F32, source->known, 2, known);
}

static puad_status read_tensor(float **out, arena *memory, size_t *sizes, const safetensors *file,
                               const char *name, int dimensions)
{
    size_t any[2] = {SIZE_MAX, SIZE_MAX};
    const stored_tensor *tensor = NULL;
    TRY(safetensors_require(&tensor, file, name, TENSOR_F32, dimensions, any));
    if (tensor->count == 0) FAIL(PUAD_FORMAT, "tensor '%s' is empty", name);
    TRY(arena_new(memory, out, tensor->count, sizeof **out));
    memcpy(*out, tensor->data, tensor->bytes);
    for (size_t i = 0; i < tensor->count; i++)
        if (!isfinite((*out)[i])) FAIL(PUAD_FORMAT, "value %zu of tensor '%s' is not finite", i, name);
    for (int i = 0; i < dimensions; i++) sizes[i] = tensor->shape[i];
    return PUAD_OK;
}

static puad_status read_rows(calibration *out, const safetensors *file)
{
    const stored_tensor *tensor = NULL;
    size_t count = out->unlabeled_count + out->anomaly_count;
    TRY(safetensors_require(&tensor, file, "calibration.rows", TENSOR_U32, 1, &count));
    TRY(arena_new(&out->memory, &out->rows, count, sizeof *out->rows));
    memcpy(out->rows, tensor->data, tensor->bytes);
    TRY(safetensors_require(&tensor, file, "calibration.keys", TENSOR_U64, 1, &count));
    TRY(arena_new(&out->memory, &out->keys, count, sizeof *out->keys));
    memcpy(out->keys, tensor->data, tensor->bytes);
    return PUAD_OK;
}

puad_status calibration_read(calibration *out, const safetensors *file)
{
    const char *text = safetensors_text(file, "calibration");
    if (!text) return PUAD_OK;
    AUTO_JSON cJSON *object = NULL;
    TRY(json_parse(&object, text, "calibration"));
    double max[] = {1, 0.9999, 0.9999, 1, 1e300}, *number[5];
    size_t field = 0;
#define FIELD(name)                                                                                          \
    number[field] = &out->name;                                                                              \
    TRY(json_number(number[field], object, #name, 0, max[field]));                                           \
    if (isnan(*number[field++])) FAIL(PUAD_FORMAT, "'%s' of the calibration is not a number", #name);
    CALIBRATION_NUMBERS(FIELD)
#undef FIELD
    if (!(out->alpha_low <= out->alpha && out->alpha <= out->alpha_high))
        FAIL(PUAD_FORMAT, "the calibration's alpha %g is not within %g to %g", out->alpha, out->alpha_low,
             out->alpha_high);
    TRY(json_flag(&out->alpha_estimated, object, "alpha_estimated"));
    TRY(read_tensor(&out->unlabeled, &out->memory, &out->unlabeled_count, file, "calibration.unlabeled", 1));
    TRY(json_flag(&out->alpha_unknown, object, "alpha_unknown"));
    TRY(json_flag(&out->folded, object, "folded"));
    TRY(json_flag(&out->modeled, object, "modeled"));
    if (!safetensors_find(file, "calibration.anomalies")) return read_rows(out, file);
    size_t known[2] = {0};
    TRY(read_tensor(&out->anomalies, &out->memory, &out->anomaly_count, file, "calibration.anomalies", 1));
    if (safetensors_find(file, "calibration.known"))
        TRY(read_tensor(&out->known, &out->memory, known, file, "calibration.known", 2));
    out->known_count = known[0];
    out->known_columns = known[1];
    return read_rows(out, file);
}
