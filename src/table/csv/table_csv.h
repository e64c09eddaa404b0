/* Reads CSV files into the rows of a dataset. */
#ifndef TABLE_CSV_TABLE_CSV_H
#define TABLE_CSV_TABLE_CSV_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"

/* The file at `path` and those of options->anomalies and options->normals as one dataset with its
 * encoding. */
puad_status table_from_csv(dataset *out, const char *path, const data_options *options);

#endif
