/* Groups of rows whose scores have the same reasons: kinds of anomaly.
 *
 *     puad_groups_find(&groups, scorer, values, rows, columns);       flagged rows, encoded
 *     for (size_t g = 0; g < puad_groups_count(groups); g++) {
 *         puad_group group = {.struct_size = sizeof group};
 *         puad_groups_at(groups, &group, g);
 *         for (size_t r = 0; r < group.reasons; r++) {
 *             puad_reason reason = {.struct_size = sizeof reason};
 *             puad_groups_reason(groups, &reason, g, r);
 *         }
 *     }
 *
 * Two rows of a table are similar if the same columns contribute to their scores, with values on the same
 * side of the typical ones. Two images are similar if they are dark and light in the same places.
 *
 * Ownership: the model of the scorer must outlive the groups. Threads: groups do not change. */
#ifndef PUAD_GROUPS_H
#define PUAD_GROUPS_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_groups puad_groups;
enum { PUAD_GROUPS_ROWS_MAX = 1000 };

typedef struct puad_group {
    size_t struct_size;
    size_t rows;
    size_t example; /* the row most similar to the others */
    size_t reasons; /* for puad_groups_reason; 0 of images */
} puad_group;

/* Divides at most PUAD_GROUPS_ROWS_MAX rows x columns encoded values into groups, the largest first.
 * Cost: about columns + 2 scores per row.
 * Errors: PUAD_INVALID if the method cannot explain, PUAD_MEMORY. */
PUAD_API puad_status puad_groups_find(puad_groups **out, puad_scorer *scorer, const float *values,
                                      size_t rows, size_t columns);
PUAD_API void puad_groups_free(puad_groups *groups);

/* Returns the number of groups. */
PUAD_API size_t puad_groups_count(const puad_groups *groups);

/* Fills *out with a group. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_groups_at(const puad_groups *groups, puad_group *out, size_t index);

/* Returns the group of a row; SIZE_MAX past the end. */
PUAD_API size_t puad_groups_of_row(const puad_groups *groups, size_t row);

/* Fills *out with a column that the rows of a group have in common: its mean contribution, and as value the
 * median of the group or its most frequent category. Largest contribution first.
 * Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_groups_reason(const puad_groups *groups, puad_reason *out, size_t group,
                                        size_t index);

#ifdef __cplusplus
}
#endif
#endif
