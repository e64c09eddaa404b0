/* Converts the experiments of a ledger back to commands that run them. */
#include "lab/results/paper_page_groups.h"

#include "detector/model/detectors.h"
#include "lab/sets/file_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options with a command line argument; the others are set by --set. A command has one value of the first
 * kind and lists of the second. */
static const char *const fixed[] = {"dataset", "unseen",   "epochs",  "patience", "objective",
                                    "normals", "hidden",   "labeled", "network",  "sampler",
                                    "extra",   "protocol", "share"};
static const struct {
    const char *option, *argument;
} lists[] = {
    {"normal", "--normal-class"}, {"method", "--methods"}, {"seed", "--seed-list"}, {"alpha", "--alphas"}};
static const char *const sets[] = {"embedding", "weight", "balance"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *value_of(char buffer[FIELD_CAPACITY], const lab_record *record, const char *option)
{
    return field_text(buffer, record, lab_field(option));
}

static bool pretrains(const lab_record *record)
{
    const detector_kind *kind = detector_kind_find(record->cell.method);
    return kind && strcmp(kind->head, "distance") == 0;
}

static bool knows_alpha(const lab_record *record)
{
    return !lab_option_means_nothing(&record->cell, lab_field("alpha"));
}

/* Whether two experiments may come from one command. A forest has no epochs and fits any command. */
static bool one_command(const lab_record *one, const lab_record *other)
{
    char first[FIELD_CAPACITY], second[FIELD_CAPACITY];
    bool forest = one->cell.epochs == 0 || other->cell.epochs == 0;
    for (size_t i = 0; i < COUNT(fixed); i++) {
        bool of_networks = strcmp(fixed[i], "epochs") == 0 || strcmp(fixed[i], "patience") == 0;
        if (forest && of_networks) continue;
        if (strcmp(value_of(first, one, fixed[i]), value_of(second, other, fixed[i])) != 0) return false;
    }
    if (knows_alpha(one) && knows_alpha(other) && one->cell.alpha != other->cell.alpha) return false;
    return !pretrains(one) || !pretrains(other) || one->cell.pretrain_epochs == other->cell.pretrain_epochs;
}

/* The distinct values of an option among the members, separated by commas, for members that use it. */
static void write_values(FILE *to, const lab_record *const *members, size_t count, const char *option)
{
    const field *which = lab_field(option);
    char buffer[FIELD_CAPACITY], other[FIELD_CAPACITY];
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const char *value = field_text(buffer, members[i], which);
        bool fresh = value[0] && !lab_option_means_nothing(&members[i]->cell, which);
        for (size_t j = 0; j < i && fresh; j++)
            fresh = lab_option_means_nothing(&members[j]->cell, which) ||
                    strcmp(field_text(other, members[j], which), value) != 0;
        if (fresh) fprintf(to, "%s%s", any ? "," : "", value);
        any |= fresh;
    }
}

/* " --normal-class 1,2" or, without a separate argument, " --set weight=prior,equal"; nothing for the
 * default. */
static puad_status write_list(FILE *to, const lab_record *const *members, size_t count, const char *option,
                              const char *argument)
{
    AUTO_FREE char *values = NULL;
    size_t size = 0;
    char buffer[FIELD_CAPACITY];
    lab_record standard = {.cell = lab_cell_standard()};
    FILE *stream = text_stream_open(&values, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a report");
    write_values(stream, members, count, option);
    if (!text_stream_close(stream, &values)) FAIL(PUAD_MEMORY, "no memory for a report");
    bool needed = argument && strcmp(option, "alpha") != 0;
    if (!values[0] || (!needed && strcmp(values, field_text(buffer, &standard, lab_field(option))) == 0))
        return PUAD_OK;
    AUTO_ARENA arena words = {0};
    const char *word;
    /* ledgers are untrusted, and commands are copied: quote for the shell */
    TRY(arena_shell_word(&words, &word, values));
    if (argument)
        fprintf(to, " %s %s", argument, word);
    else
        fprintf(to, " --set %s=%s", option, word);
    return PUAD_OK;
}

/* " --dataset-file FILE --classes 1,2/0": the ledger does not record the path of the file. */
static puad_status write_file(FILE *to, const lab_record *const *members, size_t count, arena *memory)
{
    AUTO_FREE char *values = NULL;
    size_t size = 0;
    const char *classes, *word;
    FILE *stream = text_stream_open(&values, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a report");
    write_values(stream, members, count, "normal");
    if (!text_stream_close(stream, &values)) FAIL(PUAD_MEMORY, "no memory for a report");
    TRY(arena_print(memory, &classes, "%s/%s", values, members[0]->cell.unseen));
    TRY(arena_shell_word(memory, &word, classes));
    fprintf(to, " --dataset-file FILE --classes %s", word);
    return PUAD_OK;
}

static puad_status write_command(FILE *to, const lab_record *const *members, size_t count, const char *ledger)
{
    static const char *const singles[] = {"objective", "normals", "hidden",   "labeled", "network",
                                          "sampler",   "extra",   "protocol", "share"};
    const lab_record *first = members[0], *distance = NULL;
    long long epochs = 0;
    for (size_t i = 0; i < count; i++) {
        if (members[i]->cell.epochs > epochs) epochs = members[i]->cell.epochs;
        if (pretrains(members[i])) distance = members[i];
    }
    AUTO_ARENA arena words = {0};
    const char *set, *unseen;
    bool file = set_is_of_file(first->cell.dataset), library = strchr(first->cell.objective, '@') != NULL;
    TRY(arena_shell_word(&words, &set, first->cell.dataset));
    TRY(arena_shell_word(&words, &unseen, first->cell.unseen));
    fprintf(to, "puad lab run --ledger %s", ledger);
    if (file)
        TRY(write_file(to, members, count, &words));
    else
        fprintf(to, " --datasets %s", set);
    if (library) fputs(" --objective-plugin LIBRARY", to);
    for (size_t i = file; i < COUNT(lists); i++)
        TRY(write_list(to, members, count, lists[i].option, lists[i].argument));
    if (epochs) fprintf(to, " --epochs %lld", epochs);
    if (distance && distance->cell.pretrain_epochs != epochs)
        fprintf(to, " --pretrain-epochs %lld", distance->cell.pretrain_epochs);
    if (first->cell.patience) fprintf(to, " --patience %lld", first->cell.patience);
    for (size_t i = 0; i < COUNT(sets); i++) TRY(write_list(to, members, count, sets[i], NULL));
    for (size_t i = library; i < COUNT(singles); i++) TRY(write_list(to, members, 1, singles[i], NULL));
    if (file || library)
        fprintf(to, " # %s%s%s%s%s", file ? "FILE: " : "", file ? first->cell.dataset : "",
                file && library ? ", " : "", library ? "LIBRARY: " : "",
                library ? first->cell.objective : "");
    if (!lab_unseen_is_own(&first->cell)) fprintf(to, " --set unseen=%s", unseen);
    fputc('\n', to);
    return PUAD_OK;
}

/* Experiments that set all options begin a command before those that can join several: methods without
 * alpha, without pretraining, without epochs. Sweeps over alpha come late, so that those do not join them. */
enum { TURNS = 7 };

static int turn_of(const lab_record *record)
{
    if (record->cell.epochs == 0) return TURNS - 1;
    int first = !knows_alpha(record) ? 2 : record->cell.alpha == lab_cell_standard().alpha ? 0 : 4;
    return first + !pretrains(record);
}

static puad_status write_all(FILE *to, arena *memory, const lab_record *records, size_t count,
                             const char *ledger)
{
    bool *reported;
    const lab_record **members;
    TRY(arena_new(memory, &reported, count, sizeof *reported));
    TRY(arena_new(memory, &members, count, sizeof *members));
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < count; i++) {
            size_t found = 0;
            if (reported[i] || turn_of(&records[i]) != turn) continue;
            for (size_t j = 0; j < count; j++)
                if (!reported[j] && one_command(&records[i], &records[j])) {
                    members[found++] = &records[j];
                    reported[j] = true;
                }
            TRY(write_command(to, members, found, ledger));
        }
    return PUAD_OK;
}

puad_status report_commands(const char **out, arena *memory, const lab_record *records, size_t count,
                            const char *ledger)
{
    AUTO_FREE char *text = NULL;
    size_t size = 0;
    FILE *stream = text_stream_open(&text, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a report");
    puad_status status = write_all(stream, memory, records, count, ledger);
    bool whole = text_stream_close(stream, &text);
    TRY(status);
    *out = whole ? arena_text(memory, text) : NULL;
    if (!*out) FAIL(PUAD_MEMORY, "no memory for a report");
    return PUAD_OK;
}
