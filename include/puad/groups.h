/* Rows that stand out for the same reasons: kinds of anomaly, as far as explanations tell.
 *
 *     puad_groups_find(&groups, scorer, values, rows, columns);       flagged rows, encoded
 *     for (k = 0; k < puad_groups_count(groups); k++)
 *         for (r = 0; puad_groups_reason(text, sizeof text, groups, k, r) == PUAD_OK && *text; r++)
 * puts(text);
 *
 * Two rows of a table are alike as far as the same columns make up their scores, and stray to the same side;
 * two images as far as they are dark and light in the same places.
 *
 * Ownership: the caller frees *out; the model of the scorer must outlive it. Threads: groups do not change.
 */
#ifndef PUAD_GROUPS_H
#define PUAD_GROUPS_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_groups puad_groups;
enum { PUAD_GROUPS_ROWS_MOST = 1000 };

/* Divides at most PUAD_GROUPS_ROWS_MOST rows x columns encoded numbers into groups, the largest first. Each
 * row is explained for it, which takes a table's columns + 2 scores a row and way. PUAD_INVALID where the
 * detector cannot explain. */
PUAD_API puad_status puad_groups_find(puad_groups **out, puad_scorer *scorer, const float *values,
                                      size_t rows, size_t columns);
PUAD_API void puad_groups_free(puad_groups *groups); /* NULL is fine */

PUAD_API size_t puad_groups_count(const puad_groups *groups);
PUAD_API size_t puad_groups_size(const puad_groups *groups, size_t group); /* rows */
PUAD_API size_t puad_groups_of(const puad_groups *groups, size_t row);     /* the group of a row */
/* The row that is most like the others of its group. */
PUAD_API size_t puad_groups_example(const puad_groups *groups, size_t group);

/* What makes a group special, from the column that contributes most: the column (SIZE_MAX behind the last
 * that matters, and for images), its mean share of the scores, and in words into text[room]: "amount: 9120,
 * usual 80 (12 to 340)", with the median of the group or its most frequent text; "" behind the last. */
PUAD_API size_t puad_groups_column(const puad_groups *groups, size_t group, size_t rank);
PUAD_API double puad_groups_share(const puad_groups *groups, size_t group, size_t rank);
PUAD_API puad_status puad_groups_reason(char *text, size_t room, const puad_groups *groups, size_t group,
                                        size_t rank);

#ifdef __cplusplus
}
#endif
#endif
