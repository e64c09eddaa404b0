/* The changes after training again with more labels: alpha and the operating tables. */
#ifndef CLI_FIT_COMPARE_H
#define CLI_FIT_COMPARE_H

#include "base/json.h"
#include "cli/common/command.h"

#include <puad/detector.h>

/* "alpha", "alpha_kind" and, for forests, "alphas" of `inspect --json`: absent if the method does not use
 * them. */
puad_status fit_add_alpha(cJSON *object, const puad_detector *model);

/* As text on standard error, or into a JSON object. */
puad_status fit_print_moves(const puad_detector *model, const puad_detector *source, const invocation *call);
puad_status fit_add_moves(cJSON *object, const puad_detector *model, const puad_detector *source,
                          const invocation *call);

#endif
