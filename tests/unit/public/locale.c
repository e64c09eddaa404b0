/* Messages of the library in a host program whose locale has a decimal comma. */
#include "cli/library_values.h"
#include "test.h"
#include "unit/public/fitted.h"

#include <locale.h>

static char texts[1 << 16];

static void keep(void *context, puad_note_kind kind, const char *text)
{
    (void)context;
    (void)kind;
    snprintf(texts + strlen(texts), sizeof texts - strlen(texts), "%s\n", text);
}

/* Prints all facts about a model and its rows, and reads numbers. */
static void tell(const char *path)
{
    texts[0] = 0;
    puad_options *options = OPTIONS("method", "if", "calibrate", "0.25", "alpha", "0.05");
    puad_options_set_note(options, keep, NULL);
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    float row[64] = {3.5F, -2.25F};
    char because[4096];
    CHECK_OK(puad_dataset_open(&data, path, NULL, options));
    CHECK_OK(puad_detector_fit(&model, data, options));
    CHECK_OK(puad_options_set_number(options, "lr", 0.125));
    keep(NULL, PUAD_NOTE, puad_options_get(options, "lr"));
    CHECK_OK(puad_scorer_new(&scorer, model, options));
    puad_reason reasons[3] = {{.struct_size = sizeof *reasons}};
    puad_column column = {.struct_size = sizeof column};
    size_t count;
    CHECK_OK(puad_scorer_reasons(scorer, reasons, 3, &count, row, dataset_of(data).columns));
    CHECK_OK(puad_reasons_text(reasons, count, because, sizeof because));
    keep(NULL, PUAD_NOTE, because);
    for (size_t i = 0; i < info_of(model).column_count; i++) {
        CHECK_OK(puad_detector_column(model, &column, i));
        CHECK_OK(puad_column_text(&column, because, sizeof because, PUAD_COLUMN_ALL));
        keep(NULL, PUAD_NOTE, because);
    }
    CHECK(puad_options_set(options, "lr", "1.5x") == PUAD_INVALID);
    CHECK(puad_options_set_number(options, "lr", 12345678.5) == PUAD_INVALID);
    keep(NULL, PUAD_NOTE, puad_last_error());
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

TEST(numbers_have_points_in_a_locale_with_commas)
{
    static char expected[sizeof texts];
    char command[512];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s >/dev/null 2>&1",
             test_path("de_DE.UTF-8"));
    int made = system(command);
    setenv("LOCPATH", test_folder(), 1);
    if (made < 0 || !setlocale(LC_ALL, "de_DE.UTF-8")) SKIP("localedef has made no locale");
    CHECK_TEXT(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
    const char *path = payments("train.csv", FITTED_ROWS, 1, false);
    tell(path);
    memcpy(expected, texts, sizeof texts);
    CHECK(strchr(expected, '.'));
    setlocale(LC_ALL, "de_DE.UTF-8");
    tell(path);
    setlocale(LC_ALL, "C");
    CHECK_TEXT(texts, expected);
}
