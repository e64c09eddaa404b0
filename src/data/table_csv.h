/* CSV files into the rows of a dataset. */
#ifndef DATA_TABLE_CSV_H
#define DATA_TABLE_CSV_H

#include "data/dataset.h"
#include "data/options.h"

/* The file at `path` and those of options->anomalies and options->normals as one dataset with its transform.
 */
puad_status table_from_csv(dataset *out, const char *path, const data_options *options);

#endif
