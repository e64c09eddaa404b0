/* The public face of a dataset, for the parts of the library that take one from a caller. */
#ifndef DATA_PUBLIC_H
#define DATA_PUBLIC_H

#include "data/dataset.h"
#include "data/options.h"

#include <puad/dataset.h>

struct puad_dataset {
    dataset data;
    char *input; /* how it was opened, as a model keeps it; NULL for numbers in memory. Owned */
};

/* The library's own options for those of a caller, NULL for the default; workers are not set. */
puad_status data_options_of(data_options *out, const puad_dataset_options *given);

/* Keeps them in `input`. */
puad_status dataset_remember(puad_dataset *data, const data_options *options);

#endif
