/* Matches label values: those that the user named first, then the default values of the other classes. */
#include "dataset/labels.h"
#include "base/c_locale.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>

typedef struct label_class {
    int8_t label;
    const char *name, *option, *usual;
    const char *const *values;
    size_t count;
} label_class;

enum { CLASSES = 3 };

static void list_classes(label_class out[CLASSES], const label_rule *rule)
{
    out[0] =
        (label_class){PUAD_LABEL_ANOMALY, "anomaly", "positive", "1", rule->positive, rule->positive_count};
    out[1] = (label_class){rule->truth ? PUAD_LABEL_NORMAL : PUAD_LABEL_UNLABELED,
                           rule->truth ? "normal" : "unlabeled",
                           "unlabeled",
                           "0",
                           rule->unlabeled,
                           rule->unlabeled_count};
    out[2] =
        (label_class){PUAD_LABEL_NORMAL, "normal", "negative", "-1", rule->negative, rule->negative_count};
}

static bool same_value(text_view a, text_view b)
{
    if (a.length == b.length && memcmp(a.text, b.text, a.length) == 0) return true;
    double x, y;
    return number_parse(&x, a.text, a.length, '.') && number_parse(&y, b.text, b.length, '.') && x == y;
}

static text_view view_of(const char *text)
{
    return (text_view){text, strlen(text)};
}

bool label_rule_is_given(const label_rule *rule)
{
    return rule->positive_count || rule->unlabeled_count || rule->negative_count;
}

puad_status label_rule_check(const label_rule *rule)
{
    label_class classes[CLASSES];
    list_classes(classes, rule);
    for (int a = 0; a < CLASSES; a++)
        for (int b = a + 1; b < CLASSES; b++)
            for (size_t i = 0; i < classes[a].count; i++)
                for (size_t j = 0; j < classes[b].count; j++)
                    if (same_value(view_of(classes[a].values[i]), view_of(classes[b].values[j])))
                        FAIL(PUAD_INVALID, "option '%s' and option '%s' both name '%s'", classes[a].option,
                             classes[b].option, classes[a].values[i]);
    return PUAD_OK;
}

bool label_read(int8_t *out, const label_rule *rule, text_view value)
{
    label_class classes[CLASSES];
    list_classes(classes, rule);
    value = view_trimmed(value);
    for (int i = 0; i < CLASSES; i++)
        for (size_t k = 0; k < classes[i].count; k++)
            if (same_value(value, view_of(classes[i].values[k]))) {
                *out = classes[i].label;
                return true;
            }
    for (int i = 0; i < CLASSES; i++)
        if ((classes[i].count == 0 || rule->also_usual) && same_value(value, view_of(classes[i].usual))) {
            *out = classes[i].label;
            return true;
        }
    *out = PUAD_LABEL_UNLABELED;
    return cell_is_missing(value.text, value.length);
}

bool label_read_number(int8_t *out, const label_rule *rule, double value)
{
    char text[32];
    c_print(text, sizeof text, "%.17g", value);
    return label_read(out, rule, view_of(text));
}

void label_rule_describe(char *out, size_t capacity, const label_rule *rule)
{
    label_class classes[CLASSES];
    list_classes(classes, rule);
    size_t used = (size_t)snprintf(out, capacity, "expected");
    for (int i = 0; i < CLASSES && used < capacity; i++) {
        const char *joint = i == 0 ? "" : i == CLASSES - 1 ? " or" : ",";
        used += (size_t)snprintf(out + used, capacity - used, "%s", joint);
        for (size_t k = 0; k < classes[i].count && used < capacity; k++)
            used +=
                (size_t)snprintf(out + used, capacity - used, "%s %s", k ? "," : "", classes[i].values[k]);
        if (classes[i].count == 0 && used < capacity)
            used += (size_t)snprintf(out + used, capacity - used, " %s", classes[i].usual);
        if (classes[i].label == PUAD_LABEL_UNLABELED && used < capacity)
            used += (size_t)snprintf(out + used, capacity - used, ", nothing");
    }
    if (!label_rule_is_given(rule) && used < capacity)
        snprintf(out + used, capacity - used, "; see option 'positive'");
}
