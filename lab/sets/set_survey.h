/* Counts the rows of each class of a dataset, and repeated rows. */
#ifndef LAB_SETS_SET_SURVEY_H
#define LAB_SETS_SET_SURVEY_H

#include "lab/sets/set.h"

typedef struct set_survey {
    size_t classes[PART_COUNT][SET_CELLS_MAX]; /* rows of each class of each part */
    size_t duplicates;                         /* rows that equal an earlier one, over both parts */
} set_survey;

puad_status set_survey_read(set_survey *out, const raw_set *set);

#endif
