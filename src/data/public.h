/* The public face of a dataset, for the parts of the library that take one from a caller. */
#ifndef DATA_PUBLIC_H
#define DATA_PUBLIC_H

#include "data/dataset.h"

#include <puad/dataset.h>

struct puad_dataset {
    dataset data;
};

#endif
