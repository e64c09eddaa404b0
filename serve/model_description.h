/* Responses about the service and its model, as JSON that the caller deletes. */
#ifndef SERVE_MODEL_DESCRIPTION_H
#define SERVE_MODEL_DESCRIPTION_H

#include "base/json.h"
#include "serve/served_model.h"

cJSON *describe_health(const model_version *version);
cJSON *describe_server(void);                                            /* GET /v2 */
cJSON *describe_tensors(const model_version *version, const char *name); /* GET /v2/models/NAME */

#endif
