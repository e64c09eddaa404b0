/* Any bytes as one cell: dates in every order, numbers with every separator, yes and no. Results are
 * finite, and a cell is read without the bytes around it: it is not NUL-terminated. */
#include "table/cells/cell_format.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void read_all(text_view view)
{
    static const char decimals[] = ".,", groups[] = {0, ',', '.', ' ', '\''};
    double value;
    for (int order = 0; order < DATE_ORDERS; order++) {
        cell_form form = {.kind = FORM_DATE, .decimal = '.', .order = (date_order)order};
        if (form_read(&value, &form, view)) require(isfinite(value));
    }
    for (int kind = FORM_PLAIN; kind <= FORM_RANGE; kind++)
        for (size_t d = 0; d < sizeof decimals - 1; d++)
            for (size_t g = 0; g < sizeof groups; g++) {
                cell_form form = {.kind = (form_kind)kind, .decimal = decimals[d], .group = groups[g]};
                if (form_read(&value, &form, view)) require(!isnan(value));
            }
    bare_number bare;
    if (form_strip(&bare, view))
        require(bare.digits.length <= view.length && bare.unit.length <= view.length);
    require(boolean_word(view) >= -1 && boolean_word(view) <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *exact = malloc(size ? size : 1); /* so that sanitizers find reads past the end */
    require(exact != NULL);
    if (size) memcpy(exact, bytes, size);
    read_all((text_view){exact, size});
    free(exact);
    return 0;
}
