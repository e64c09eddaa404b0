/* Names close to a mistyped one. */
#include "options/similar_name.h"

#include "test.h"

#define METHODS "pu|pusvdd|puforest|deepsad|committee"

static void check_hint(const char *word, const char *choices, const char *name)
{
    char hint[SIMILAR_CAPACITY], expected[SIMILAR_CAPACITY] = "";
    if (name) snprintf(expected, sizeof expected, "; did you mean '%s'?", name);
    CHECK_TEXT(similar_choice(hint, word, choices), expected);
}

TEST(one_or_two_edits_and_swaps_are_close)
{
    check_hint("pussvdd", METHODS, "pusvdd");
    check_hint("upsvdd", METHODS, "pusvdd"); /* a swap is one edit */
    check_hint("puforestss", METHODS, "puforest");
    check_hint("comitee", METHODS, "committee");
    check_hint("puforestsss", METHODS, NULL);
    check_hint("xyz", METHODS, NULL);
}

TEST(case_dashes_and_underscores_do_not_matter)
{
    check_hint("PUSVDD", METHODS, "pusvdd");
    check_hint("Label_Column", "label-column|id-column", "label-column");
}

TEST(short_words_allow_one_edit)
{
    check_hint("p", METHODS, "pu");
    check_hint("ab", "cd|xb", "xb");
    check_hint("ab", "cd|xy", NULL);
}

TEST(the_closest_name_wins_and_a_beginning_counts)
{
    check_hint("data", "date|data", "data");
    check_hint("label", "label-column|id-column", "label-column");
    check_hint("la", "label-column", NULL);
}

TEST(long_and_empty_words_have_no_hint)
{
    char word[200];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    check_hint(word, METHODS, NULL);
    check_hint("", METHODS, NULL);
}
