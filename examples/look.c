/* Describes a file before training: columns with their types, ranges and strings, labels, repeated rows,
 * and the available methods.
 *
 *     cc look.c $(pkg-config --cflags --libs puad) -o look
 *     ./look train.csv label       "label" is the column with the labels
 *     ./look                       makes a file first */
#include <puad/detector.h>
#include <puad/profile.h>
#include <puad/puad.h>
#include <stdio.h>
#include <stdlib.h>

static void stop(puad_status status)
{
    fprintf(stderr, "look: %s: %s\n", puad_status_name(status), puad_last_error());
    exit(1);
}

#define DO(call)                                                                                             \
    do {                                                                                                     \
        puad_status done = (call);                                                                           \
        if (done != PUAD_OK) stop(done);                                                                     \
    } while (0)

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    fputs("amount,country,label\n", file);
    for (int i = 0; i < 500; i++)
        fprintf(file, "%d.%02d,%s,%d\n", i % 10 ? 20 : 400, i * 37 % 100, i % 7 ? "home" : "abroad",
                i % 20 == 0 ? PUAD_LABEL_ANOMALY : PUAD_LABEL_UNLABELED);
    if (fclose(file) != 0) exit(1);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "look.csv", *label = argc > 2   ? argv[2]
                                                                 : argc > 1 ? NULL
                                                                            : "label";
    puad_options *options = NULL;
    puad_profile *profile = NULL;
    if (argc < 2) make_file(path);
    DO(puad_options_new(&options));
    if (label) DO(puad_options_set(options, "label_column", label));
    DO(puad_profile_read(&profile, path, options));

    puad_profile_info about = {.struct_size = sizeof about};
    DO(puad_profile_input(profile, &about));
    printf("%s: %s, %.0f rows, %.0f of them repeat an earlier one\n", about.name, about.format,
           puad_profile_number(profile, PUAD_PROFILE_ROWS),
           puad_profile_number(profile, PUAD_PROFILE_DUPLICATES));
    if (label)
        printf("%.0f labeled anomalies among %.0f unlabeled rows\n",
               puad_profile_number(profile, PUAD_PROFILE_ANOMALIES),
               puad_profile_number(profile, PUAD_PROFILE_UNLABELED));
    puad_profile_column column = {.struct_size = sizeof column};
    for (size_t i = 0; puad_profile_column_at(profile, &column, i) == PUAD_OK; i++) {
        size_t rows = 0;
        const char *text = puad_profile_column_text(profile, i, 0, &rows);
        printf("  %-10s %-8s %.0f missing", column.name, column.type,
               puad_profile_column_number(profile, i, PUAD_COLUMN_MISSING));
        if (text) printf(", most often '%s' (%zu)", text, rows);
        if (!column.category)
            printf(", %g to %g", puad_profile_column_number(profile, i, PUAD_COLUMN_MIN),
                   puad_profile_column_number(profile, i, PUAD_COLUMN_MAX));
        printf("\n");
    }
    printf("puad %s has the methods", puad_version());
    puad_method method = {.struct_size = sizeof method};
    for (size_t i = 0; puad_method_at(&method, i) == PUAD_OK; i++) printf(" %s", method.name);
    printf("\n");
    puad_profile_free(profile);
    puad_options_free(options);
    return 0;
}
