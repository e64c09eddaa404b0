/* Conversion between the option table (options/options.def) and a config. */
#ifndef DETECTOR_MODEL_FIT_CONFIG_OPTIONS_H
#define DETECTOR_MODEL_FIT_CONFIG_OPTIONS_H

#include "detector/model/model.h"
#include "options/options.h"

/* The given options as options of a fit, except alpha; strings are in `source` and `memory`. */
puad_status fit_options_of(fit_options *out, const puad_options *source, arena *memory);

/* An option of a config in the form of puad_options_set; "" if the method does not use it. */
puad_status recipe_option_text(char *text, size_t capacity, const recipe *config, enum option_at which);

#endif
