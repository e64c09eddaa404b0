/* Between the option table (options/options.def) and a recipe. */
#ifndef DETECTOR_MODEL_FIT_CONFIG_OPTIONS_H
#define DETECTOR_MODEL_FIT_CONFIG_OPTIONS_H

#include "detector/model/model.h"
#include "options/options.h"

/* What is set, as the options of a fit, all but alpha; texts lie in `from` and `memory`. */
puad_status fit_options_of(puad_fit_options *out, const puad_options *from, arena *memory);

/* An option of a recipe as puad_options_set takes it; "" where it means nothing to the method. */
puad_status recipe_option_text(char *text, size_t room, const recipe *how, enum option_at which);

#endif
