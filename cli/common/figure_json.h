/* An estimate of the operating table as JSON: value, band and raw formula. */
#ifndef CLI_COMMON_FIGURE_JSON_H
#define CLI_COMMON_FIGURE_JSON_H

#include "base/json.h"

#include <puad/calibration.h>

static inline void add_figure(cJSON *object, const char *name, puad_figure figure)
{
    cJSON *json = cJSON_AddObjectToObject(object, name);
    json_add_double(json, "value", figure.value);
    json_add_double(json, "low", figure.low);
    json_add_double(json, "high", figure.high);
    json_add_double(json, "raw", figure.raw);
}

#endif
