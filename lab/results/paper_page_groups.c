/* Sorts records into groups. */
#include "lab/results/paper_page_groups.h"

#include "detector/model/detectors.h"

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

static bool is_plain(const lab_record *record)
{
    static const char *const options[] = {"objective", "weight", "balance", "sampler", "extra"};
    return lab_has_standard(&record->cell, options, sizeof options / sizeof *options);
}

bool report_is_papers(const lab_record *record)
{
    static const char *const embedding[] = {"embedding"};
    return lab_is_papers_task(&record->cell) && is_plain(record) && record->result.reduced != 1 &&
           lab_has_standard(&record->cell, embedding, 1);
}

bool report_group_fits(const report_group *to, const lab_record *record)
{
    const lab_cell *cell = &record->cell;
    if (is_forest(record)) return true;
    if (cell->epochs != to->epochs || cell->patience != to->patience) return false;
    if (!has_head(record, "distance")) return true;
    return cell->pretrain_epochs == to->pretrain_epochs &&
           (!to->embedding || strcmp(cell->embedding, to->embedding) == 0);
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

/* The sizes of the split, and alpha if the method uses one. */
static bool same_sizes(const lab_cell *one, const lab_cell *other)
{
    return one->normals == other->normals && one->hidden == other->hidden && one->labeled == other->labeled;
}

static bool knows_alpha(const lab_cell *cell)
{
    return !lab_option_means_nothing(cell, lab_field("alpha"));
}

static bool same_alpha(const lab_cell *one, const lab_cell *other)
{
    return !knows_alpha(one) || !knows_alpha(other) || one->alpha == other->alpha;
}

/* An experiment with the most frequent sizes and, among these, the most frequent alpha. */
static lab_cell most_common(const lab_record *records, size_t count)
{
    lab_cell common = records[0].cell, chosen;
    size_t max = 0;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t j = 0; j < count; j++) same += same_sizes(&records[i].cell, &records[j].cell);
        if (same > max) common = records[i].cell;
        if (same > max) max = same;
    }
    chosen = common;
    max = 0;
    for (size_t i = 0; i < count; i++) {
        const lab_cell *cell = &records[i].cell;
        size_t same = 0;
        if (!knows_alpha(cell) || !same_sizes(cell, &common)) continue;
        for (size_t j = 0; j < count; j++)
            same += same_sizes(&records[j].cell, cell) && same_alpha(&records[j].cell, cell);
        if (same > max) chosen = *cell;
        if (same > max) max = same;
    }
    return chosen;
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

/* Largest groups first. */
static int by_count(const void *a, const void *b)
{
    const report_group *one = a, *other = b;
    if (one->own != other->own) return one->own < other->own ? 1 : -1;
    if (one->count != other->count) return one->count < other->count ? 1 : -1;
    if (one->epochs != other->epochs) return one->epochs < other->epochs ? 1 : -1;
    if (one->pretrain_epochs != other->pretrain_epochs)
        return one->pretrain_epochs < other->pretrain_epochs ? 1 : -1;
    if (one->patience != other->patience) return one->patience < other->patience ? -1 : 1;
    return one->embedding && other->embedding ? strcmp(one->embedding, other->embedding) : 0;
}

/* Allocates one group per record. Distance methods come first: they have every option of a budget, and the
 * others join them. */
static puad_status list_groups(report_group **out, size_t *out_count, arena *memory,
                               const lab_record *records, size_t count, bool by_embedding)
{
    TRY(arena_new(memory, out, count, sizeof **out));
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < count; i++) {
            int turn = has_head(&records[i], "distance") ? 0 : is_forest(&records[i]) ? 2 : 1;
            bool placed = turn != pass;
            for (size_t g = 0; g < *out_count && !placed; g++)
                placed = report_group_fits(&(*out)[g], &records[i]);
            if (placed) continue;
            (*out)[*out_count] = group_of(&records[i]);
            if (!by_embedding) (*out)[*out_count].embedding = NULL;
            ++*out_count;
        }
    return PUAD_OK;
}

static puad_status name_group(report_group *group, arena *memory)
{
    char budget[64] = "Without networks", before[64] = "", patience[48] = "";
    if (group->epochs) snprintf(budget, sizeof budget, "%lld epochs", group->epochs);
    if (group->pretrain_epochs)
        snprintf(before, sizeof before, " after %lld of pretraining", group->pretrain_epochs);
    if (group->patience) snprintf(patience, sizeof patience, ", patience %lld", group->patience);
    const char *embedding = group->embedding ? group->embedding : "";
    return arena_print(memory, &group->title, "%s%s%s%s%s", budget, before, *embedding ? ", embedding=" : "",
                       embedding, patience);
}

/* Whether methods to compare a record with were run on its dataset with the group's budget: for a forest
 * any method with a network, for others distance methods. */
static bool has_company(const report_group *group, const lab_record *record, const lab_record *records,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lab_record *other = &records[i];
        bool wanted = is_forest(record) ? !is_forest(other) : has_head(other, "distance");
        if (wanted && report_group_fits(group, other) &&
            strcmp(other->cell.dataset, record->cell.dataset) == 0)
            return true;
    }
    return false;
}

/* Whether a record that fits a group belongs to it: with records to compare or, if there are none
 * anywhere, in the first group it fits. */
static bool belongs(const report_groups *all, const report_group *group, const lab_record *record,
                    const lab_record *records, size_t count)
{
    if (has_head(record, "distance") || has_company(group, record, records, count)) return true;
    for (size_t g = 0; g < all->count; g++) {
        const report_group *other = &all->list[g];
        if (!report_group_fits(other, record)) continue;
        if (other < group || has_company(other, record, records, count)) return false;
    }
    return true;
}

static puad_status fill_groups(report_groups *out, arena *memory, const lab_record *records, size_t count)
{
    TRY(list_groups(&out->list, &out->count, memory, records, count, true));
    for (size_t g = 0; g < out->count; g++) {
        report_group *group = &out->list[g];
        TRY(name_group(group, memory));
        TRY(arena_new(memory, &group->records, count, sizeof *group->records));
        for (size_t i = 0; i < count; i++)
            if (report_group_fits(group, &records[i]) && belongs(out, group, &records[i], records, count)) {
                group->own += *group->embedding ? has_head(&records[i], "distance") : !is_forest(&records[i]);
                group->records[group->count++] = records[i];
            }
    }
    qsort(out->list, out->count, sizeof *out->list, by_count);
    return PUAD_OK;
}

/* One method on one dataset with one budget. */
static bool same_work(const lab_record *one, const lab_record *other)
{
    const lab_cell *a = &one->cell, *b = &other->cell;
    return strcmp(a->dataset, b->dataset) == 0 && strcmp(a->method, b->method) == 0 &&
           a->epochs == b->epochs && a->pretrain_epochs == b->pretrain_epochs && a->patience == b->patience;
}

static bool same_place(const lab_record *one, const lab_record *other)
{
    return strcmp(one->cell.normal, other->cell.normal) == 0 && one->cell.seed == other->cell.seed;
}

/* A variant has other options than the paper's, and the paper's were run as well. */
static bool is_variant(const lab_record *record, const lab_record *records, size_t count)
{
    if (is_plain(record)) return false;
    for (size_t i = 0; i < count; i++)
        if (is_plain(&records[i]) && same_work(record, &records[i])) return true;
    return false;
}

/* The variants, each with all other runs of its method, class and seed. */
static puad_status fill_variants(report_groups *out, arena *memory, const lab_record *variants,
                                 size_t variant_count, const lab_record *records, size_t count)
{
    TRY(list_groups(&out->variants, &out->variant_count, memory, variants, variant_count, false));
    for (size_t g = 0; g < out->variant_count; g++) {
        report_group *group = &out->variants[g];
        TRY(name_group(group, memory));
        TRY(arena_new(memory, &group->records, count, sizeof *group->records));
        for (size_t i = 0; i < count; i++) {
            bool beside = false;
            for (size_t v = 0; v < variant_count && !beside; v++)
                beside = same_work(&variants[v], &records[i]) && same_place(&variants[v], &records[i]);
            if (beside && report_group_fits(group, &records[i])) group->records[group->count++] = records[i];
        }
    }
    qsort(out->variants, out->variant_count, sizeof *out->variants, by_count);
    return PUAD_OK;
}

puad_status report_groups_make(report_groups *out, arena *memory, const lab_record *records, size_t count)
{
    lab_record *common, *plain, *variants;
    size_t common_count = 0, plain_count = 0, variant_count = 0;
    *out = (report_groups){0};
    if (count == 0) FAIL(PUAD_INVALID, "no experiment in the ledger matches");
    TRY(arena_new(memory, &common, count, sizeof *common));
    TRY(arena_new(memory, &plain, count, sizeof *plain));
    TRY(arena_new(memory, &variants, count, sizeof *variants));
    TRY(arena_new(memory, &out->others, count, sizeof *out->others));
    lab_cell max = most_common(records, count);
    for (size_t i = 0; i < count; i++) {
        if (is_common(&records[i].cell, &max))
            common[common_count++] = records[i];
        else
            out->others[out->other_count++] = records[i];
    }
    for (size_t i = 0; i < common_count; i++) {
        if (is_variant(&common[i], common, common_count))
            variants[variant_count++] = common[i];
        else
            plain[plain_count++] = common[i];
    }
    TRY(fill_groups(out, memory, plain, plain_count));
    return fill_variants(out, memory, variants, variant_count, common, common_count);
}
