/* A model trained from C with the public headers only, for scripts that continue with the program:
 *
 *     fit_dataset FILE MODEL LABELS POSITIVE ID DELIMITER
 *
 * opens FILE with these columns, reads POSITIVE as the label of anomalies, trains and saves MODEL. */
#include <puad/advanced.h>
#include <stdio.h>

static puad_status run(char **arguments)
{
    puad_options *options = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_status status = puad_options_new(&options);
    if (status == PUAD_OK) status = puad_options_set(options, "label_column", arguments[3]);
    if (status == PUAD_OK) status = puad_options_set(options, "positive", arguments[4]);
    if (status == PUAD_OK) status = puad_options_set(options, "id_column", arguments[5]);
    if (status == PUAD_OK) status = puad_options_set(options, "delimiter", arguments[6]);
    if (status == PUAD_OK) status = puad_options_set(options, "method", "puae");
    if (status == PUAD_OK) status = puad_options_set(options, "epochs", "2");
    if (status == PUAD_OK) status = puad_options_set(options, "threads", "1");
    if (status == PUAD_OK) status = puad_dataset_open(&data, arguments[1], NULL, options);
    if (status == PUAD_OK) status = puad_detector_fit(&model, data, options);
    if (status == PUAD_OK) status = puad_detector_save(model, arguments[2]);
    puad_dataset_free(data);
    puad_detector_free(model);
    puad_options_free(options);
    return status;
}

int main(int count, char **arguments)
{
    if (count != 7) return 2;
    if (run(arguments) == PUAD_OK) return 0;
    fprintf(stderr, "%s\n", puad_last_error());
    return 1;
}
