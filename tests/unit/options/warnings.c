/* Warnings go to their callback, else to that of notes; a list of them has a JSON form. */
#include "options/warnings.h"

#include "test.h"

#include <string.h>

static char heard[256];
static int notes_heard;

static void on_note(void *context, puad_note_kind kind, const char *text)
{
    (void)context;
    notes_heard++;
    snprintf(heard, sizeof heard, "%s: %s", kind == PUAD_WARNING ? "warning" : "note", text);
}

static void on_warning(void *context, const puad_warning *warning)
{
    snprintf(context, sizeof heard, "%s/%s: %s", warning->name, warning->column ? warning->column : "-",
             warning->text);
}

TEST(a_warning_goes_to_its_callback_or_else_to_that_of_notes)
{
    puad_options *options = NULL, *copy = NULL;
    puad_warning warning = {"leaking_column", "amount", "it leaks"};
    options_warn(NULL, &warning); /* no callback */
    CHECK_OK(puad_options_new(&options));
    options_warn(options, &warning);
    puad_options_set_note(options, on_note, NULL);
    options_warn(options, &warning);
    CHECK_TEXT(heard, "warning: it leaks");
    puad_options_set_warning(options, on_warning, heard);
    CHECK_OK(puad_options_copy(&copy, options));
    options_warn(copy, &warning);
    CHECK_TEXT(heard, "leaking_column/amount: it leaks");
    CHECK(notes_heard == 1);
    puad_options_free(copy);
    puad_options_free(options);
}

TEST(a_list_of_warnings_comes_back_from_json)
{
    warning_list list = {0}, back = {0};
    for (int i = 0; i < 20; i++)
        CHECK_OK(warnings_add(&list, &(puad_warning){"name", i % 2 ? "column" : NULL, "text"}));
    AUTO_JSON cJSON *json = warnings_to_json(&list);
    CHECK_OK(warnings_from_json(&back, json));
    CHECK(back.count == 20 && !back.items[0].column && strcmp(back.items[19].column, "column") == 0);
    CHECK_TEXT(back.items[7].text, "text");
    warnings_free(&list);
    warnings_free(&back);
}

TEST(an_invalid_list_is_rejected)
{
    static const char *const bad[] = {"{}", "[1]", "[{\"name\": \"a\"}]", "[{\"name\": \"a\", \"text\": 1}]",
                                      "[{\"name\": \"a\", \"text\": \"b\", \"column\": 3}]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        warning_list back = {0};
        AUTO_JSON cJSON *json = cJSON_Parse(bad[i]);
        CHECK_FAILS(warnings_from_json(&back, json), PUAD_FORMAT, "'warnings'");
        warnings_free(&back);
    }
}
