/* Any bytes as a completed file of answers: rejected, or every label is one of the three and every
 * proposed row is marked. */
#include "fuzz_file.h"
#include "input/answer_file.h"

#include <stdlib.h>

enum { ROWS = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const ids[ROWS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                          "k", "l", "m", "n", "o", "p", "q", "r", "s", "=t"};
    int8_t labels[ROWS] = {0};
    uint8_t asked[ROWS] = {0};
    data_options reading = {0};
    if (size < 1) return 0;
    answer_target target = {.labels = labels, .asked = asked, .rows = ROWS, .data = &reading};
    if (bytes[0] % 2) {
        target.ids = ids;
        target.id_name = "id";
    }
    const char *path = fuzz_file(bytes + 1, size - 1);
    if (!path || answer_file_apply(&target, path) != PUAD_OK) return 0;
    for (size_t i = 0; i < ROWS; i++)
        if (labels[i] < -1 || labels[i] > 1 || asked[i] > ANSWER_OPEN ||
            (labels[i] && asked[i] != ANSWER_GIVEN))
            abort();
    return 0;
}
