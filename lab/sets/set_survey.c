/* Counts the rows of a dataset. */
#include "lab/sets/set_survey.h"

#include "table/profile/profile.h"

#include <stdlib.h>

puad_status set_survey_read(set_survey *out, const raw_set *set)
{
    __attribute__((cleanup(fingerprints_free))) fingerprints all = {0};
    size_t size = raw_set_row_size(set) * (set->image ? 1 : sizeof(float));
    AUTO_FREE char *row = NULL;
    *out = (set_survey){0};
    TRY(memory_new(&row, size, 1, "a row"));
    for (int part = 0; part < PART_COUNT; part++)
        for (size_t i = 0; i < set->parts[part].rows; i++) {
            raw_set_row(row, set, (set_part)part, i);
            uint64_t hash = text_hash((text_view){row, size});
            TRY(fingerprints_add(&all, &hash, 1));
            out->classes[part][set->parts[part].classes[i]]++;
        }
    out->duplicates = fingerprints_repeated(&all);
    return PUAD_OK;
}
