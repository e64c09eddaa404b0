/* Sorting records into groups. */
#include "lab/report_groups.h"

#include "detector/detectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_head(const lab_record *record, const char *head)
{
    const detector_kind *kind = detector_kind_find(record->cell.method);
    return kind && strcmp(kind->head, head) == 0;
}

static bool is_forest(const lab_record *record)
{
    const detector_kind *kind = detector_kind_find(record->cell.method);
    return kind && !detector_kind_has_network(kind);
}

bool report_group_fits(const report_group *to, const lab_record *record)
{
    const lab_cell *cell = &record->cell;
    if (is_forest(record)) return true;
    if (cell->epochs != to->epochs || cell->patience != to->patience) return false;
    if (!has_head(record, "distance")) return true;
    return cell->pretrain_epochs == to->pretrain_epochs && strcmp(cell->embedding, to->embedding) == 0;
}

bool report_group_has(const report_group *group, const lab_record *record)
{
    size_t count;
    const field *fields = lab_fields(&count);
    for (size_t i = 0; i < group->count; i++) {
        size_t same = 0;
        while (same < lab_option_count && field_same(&group->records[i], record, &fields[same])) same++;
        if (same == lab_option_count) return true;
    }
    return false;
}

/* The sizes of the split, and alpha where the method knows one. */
static bool same_sizes(const lab_cell *one, const lab_cell *other)
{
    return one->normals == other->normals && one->hidden == other->hidden && one->labeled == other->labeled;
}

static bool same_alpha(const lab_cell *one, const lab_cell *other)
{
    return one->alpha == 0 || other->alpha == 0 || one->alpha == other->alpha;
}

/* The sizes that most records have and, of these, the alpha that most have where the method knows one. */
static lab_cell most_common(const lab_record *records, size_t count)
{
    lab_cell common = records[0].cell;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t j = 0; j < count; j++) same += same_sizes(&records[i].cell, &records[j].cell);
        if (same > most) common = records[i].cell;
        if (same > most) most = same;
    }
    most = 0;
    double alpha = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        if (records[i].cell.alpha == 0 || !same_sizes(&records[i].cell, &common)) continue;
        for (size_t j = 0; j < count; j++)
            same += same_sizes(&records[j].cell, &common) && records[j].cell.alpha == records[i].cell.alpha;
        if (same > most) alpha = records[i].cell.alpha;
        if (same > most) most = same;
    }
    common.alpha = alpha;
    return common;
}

static bool is_common(const lab_cell *cell, const lab_cell *common)
{
    return same_sizes(cell, common) && same_alpha(cell, common);
}

static report_group group_of(const lab_record *record)
{
    bool distance = has_head(record, "distance");
    return (report_group){.epochs = record->cell.epochs,
                          .pretrain_epochs = distance ? record->cell.pretrain_epochs : 0,
                          .patience = record->cell.patience,
                          .embedding = distance ? record->cell.embedding : ""};
}

static int by_budget(const void *a, const void *b)
{
    const report_group *one = a, *other = b;
    if (one->epochs != other->epochs) return one->epochs < other->epochs ? 1 : -1;
    if (one->pretrain_epochs != other->pretrain_epochs)
        return one->pretrain_epochs < other->pretrain_epochs ? 1 : -1;
    if (one->patience != other->patience) return one->patience < other->patience ? -1 : 1;
    return strcmp(one->embedding, other->embedding);
}

/* Distance methods first: they have every option of a budget, and the others join them. */
static void list_groups(report_groups *out, const lab_record *records, size_t count, const lab_cell *common)
{
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < count; i++) {
            int turn = has_head(&records[i], "distance") ? 0 : is_forest(&records[i]) ? 2 : 1;
            bool placed = turn != pass || !is_common(&records[i].cell, common);
            for (size_t g = 0; g < out->count && !placed; g++)
                placed = report_group_fits(&out->list[g], &records[i]);
            if (!placed) out->list[out->count++] = group_of(&records[i]);
        }
    qsort(out->list, out->count, sizeof *out->list, by_budget);
}

static puad_status name_group(report_group *group, arena *memory)
{
    char text[160];
    int used;
    if (group->epochs == 0)
        used = snprintf(text, sizeof text, "Without networks");
    else if (group->embedding[0])
        used = snprintf(text, sizeof text, "%lld epochs after %lld of pre-training, embedding=%s",
                        group->epochs, group->pretrain_epochs, group->embedding);
    else
        used = snprintf(text, sizeof text, "%lld epochs", group->epochs);
    if (group->patience)
        snprintf(text + used, sizeof text - (size_t)used, ", patience %lld", group->patience);
    group->title = arena_text(memory, text);
    if (!group->title) FAIL(PUAD_MEMORY, "no memory for a report");
    return PUAD_OK;
}

/* Whether methods that a record is to be compared with were run on its data set with the group's budget: for
 * a forest any with a network, for others distance methods. */
static bool has_company(const report_group *group, const lab_record *record, const lab_record *records,
                        size_t count, const lab_cell *common)
{
    for (size_t i = 0; i < count; i++) {
        const lab_record *other = &records[i];
        bool wanted = is_forest(record) ? !is_forest(other) : has_head(other, "distance");
        if (wanted && is_common(&other->cell, common) && report_group_fits(group, other) &&
            strcmp(other->cell.dataset, record->cell.dataset) == 0)
            return true;
    }
    return false;
}

/* Whether a record that fits a group stands in it: beside others or, alone everywhere, in the first it fits.
 */
static bool belongs(const report_groups *all, const report_group *group, const lab_record *record,
                    const lab_record *records, size_t count, const lab_cell *common)
{
    if (has_head(record, "distance") || has_company(group, record, records, count, common)) return true;
    for (size_t g = 0; g < all->count; g++) {
        const report_group *other = &all->list[g];
        if (!report_group_fits(other, record)) continue;
        if (other < group || has_company(other, record, records, count, common)) return false;
    }
    return true;
}

puad_status report_groups_make(report_groups *out, arena *memory, const lab_record *records, size_t count)
{
    *out = (report_groups){0};
    if (count == 0) FAIL(PUAD_INVALID, "no cell of the ledger fits");
    lab_cell common = most_common(records, count);
    TRY(arena_new(memory, &out->list, count, sizeof *out->list));
    TRY(arena_new(memory, &out->others, count, sizeof *out->others));
    list_groups(out, records, count, &common);
    for (size_t g = 0; g < out->count; g++) {
        report_group *group = &out->list[g];
        TRY(name_group(group, memory));
        TRY(arena_new(memory, &group->records, count, sizeof *group->records));
        for (size_t i = 0; i < count; i++)
            if (is_common(&records[i].cell, &common) && report_group_fits(group, &records[i]) &&
                belongs(out, group, &records[i], records, count, &common))
                group->records[group->count++] = records[i];
    }
    for (size_t i = 0; i < count; i++)
        if (!is_common(&records[i].cell, &common)) out->others[out->other_count++] = records[i];
    return PUAD_OK;
}
