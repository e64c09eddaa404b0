/* A model trained from C, through the public headers alone, for scripts that go on with the program:
 *
 *     fit_dataset FILE MODEL LABELS POSITIVE ID DELIMITER
 *
 * opens FILE with these columns, reads POSITIVE as the label of anomalies, trains and saves MODEL. */
#include <puad/puad.h>
#include <stdio.h>

static puad_status run(char **arguments)
{
    const char *positive[] = {arguments[4]};
    puad_dataset_options how = puad_dataset_options_standard();
    how.label_column = arguments[3];
    how.positive = positive;
    how.positive_count = 1;
    how.id_column = arguments[5];
    how.delimiter = arguments[6][0];
    how.threads = 1;
    puad_fit_options options = puad_fit_options_standard();
    options.method = "puae";
    options.epochs = 2;
    options.threads = 1;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_status status = puad_dataset_open(&data, arguments[1], &how);
    if (status == PUAD_OK) status = puad_detector_fit_dataset(&model, data, &options);
    if (status == PUAD_OK) status = puad_detector_save(model, arguments[2]);
    puad_dataset_free(data);
    puad_detector_free(model);
    return status;
}

int main(int count, char **arguments)
{
    if (count != 7) return 2;
    if (run(arguments) == PUAD_OK) return 0;
    fprintf(stderr, "%s\n", puad_last_error());
    return 1;
}
