/* Options by name: values are checked when set, and every option can be listed. */
#include "options/options.h"
#include "cli/library_values.h"
#include "test.h"

#include <puad/advanced.h>
#include <stdint.h>

TEST(values_are_checked_and_read_back)
{
    puad_options *options = NULL, *copy = NULL;
    CHECK_OK(puad_options_new(&options));
    CHECK_TEXT(puad_options_get(options, "epochs"), "200");
    CHECK(!puad_options_entry(options, "epochs", 0));
    CHECK_OK(puad_options_set_number(options, "epochs", 20));
    CHECK_OK(puad_options_set_number(options, "lr", 0.001));
    CHECK_OK(puad_options_set(options, "pretrain-epochs", "5"));
    CHECK_OK(puad_options_add(options, "ignore", "a"));
    CHECK_OK(puad_options_add(options, "ignore", "b"));
    CHECK_FAILS(puad_options_set(options, "epochs", "many"), PUAD_INVALID, "'epochs'", "'many'");
    CHECK_FAILS(puad_options_set(options, "epoch", "1"), PUAD_INVALID, "'epoch'");
    CHECK_FAILS(puad_options_add(options, "epochs", "1"), PUAD_INVALID, "'epochs'");
    CHECK_FAILS(puad_options_set(options, "force", "perhaps"), PUAD_INVALID, "'force'", "'perhaps'");
    CHECK_OK(puad_options_copy(&copy, options));
    puad_options_free(options);
    CHECK_TEXT(puad_options_get(copy, "epochs"), "20"); /* a rejected value changes nothing */
    CHECK_TEXT(puad_options_get(copy, "pretrain_epochs"), "5");
    CHECK(!puad_options_entry(copy, "ignore", 2));
    CHECK_TEXT(puad_options_entry(copy, "ignore", 1), "b");
    CHECK_OK(puad_options_set(copy, "epochs", NULL));
    CHECK_TEXT(puad_options_get(copy, "epochs"), "200");
    puad_options_free(copy);
}

TEST(every_option_can_be_listed_with_its_help)
{
    for (size_t i = 0; i < puad_option_count(); i++) {
        CHECK(option_at(i).name && option_at(i).help && *option_at(i).help);
        CHECK_INT(puad_option_find(option_at(i).name), i);
        if (option_at(i).type == PUAD_OPTION_CHOICE) CHECK(option_at(i).choices);
    }
    CHECK(!option_at(puad_option_count()).name && !option_at(SIZE_MAX).help);
}

TEST(statuses_and_the_version_have_names)
{
    CHECK_TEXT(puad_status_name(PUAD_CANCELLED), "PUAD_CANCELLED");
    CHECK_TEXT(puad_status_name((puad_status)99), "unknown status");
    CHECK_TEXT(puad_version(), PUAD_VERSION_TEXT);
}

TEST(defaults_of_two_options_do_not_share_memory)
{
    const option_value *epochs = options_value(NULL, OPTION_AT_epochs), before = *epochs;
    const option_value *seed = options_value(NULL, OPTION_AT_seed);
    CHECK(epochs != seed);
    CHECK_INT(epochs->integer, before.integer);
    CHECK_INT(seed->integer, OPTION_INTEGER_OF(NULL, seed));
}

TEST(names_are_checked_when_they_are_set)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    for (size_t i = 0; method_at(i).name; i++)
        CHECK_OK(puad_options_set(options, "method", method_at(i).name));
    CHECK_OK(puad_options_set(options, "method", "pusvdd"));
    CHECK_FAILS(puad_options_set(options, "method", "nosuch"), PUAD_INVALID, "'method'", "'nosuch'");
    CHECK_FAILS(puad_options_set(options, "network", "nosuch"), PUAD_INVALID, "'network'", "'nosuch'");
    CHECK_FAILS(puad_options_set(options, "sampler", "nosuch"), PUAD_INVALID, "'sampler'", "'nosuch'");
    CHECK_TEXT(puad_options_get(options, "method"), "pusvdd");
    puad_options_free(options);
}

TEST(alpha_is_checked_when_it_is_set)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    static const char *const wrong[] = {"7", "1", "-0.1", "nan", "some", "0.1x", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(puad_options_set(options, "alpha", wrong[i]), PUAD_INVALID, "alpha");
    CHECK(!puad_options_entry(options, "alpha", 0));
    CHECK_OK(puad_options_set(options, "alpha", "auto"));
    CHECK_OK(puad_options_set_number(options, "alpha", 0.25));
    puad_options_free(options);
}
