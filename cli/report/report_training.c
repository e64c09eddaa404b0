/* How training went, every setting, and the command that repeats it. */
#include "base/json.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static puad_status add_history(page *on, report *of, puad_phase phase, const char *title)
{
    size_t count = puad_history_count(of->model, phase);
    double *x, *train, *valid;
    if (!count) return PUAD_OK;
    TRY(arena_new(&of->memory, &x, count, sizeof *x));
    TRY(arena_new(&of->memory, &train, count, sizeof *x));
    TRY(arena_new(&of->memory, &valid, count, sizeof *x));
    for (size_t i = 0; i < count; i++) {
        x[i] = puad_history_epoch(of->model, phase, i);
        train[i] = puad_history_train_loss(of->model, phase, i);
        valid[i] = puad_history_valid_loss(of->model, phase, i);
    }
    const plot_series series[] = {{.name = "training loss", .x = x, .y = train, .count = count},
                                  {.name = "validation loss", .x = x, .y = valid, .count = count}};
    const plot_rule best = {true, puad_detector_number(of->model, "best_epoch"), "kept"};
    const plot_panel panel = {.kind = PLOT_CURVES,
                              .title = title,
                              .x = {.label = "epoch", .whole = true},
                              .y = {.label = "loss"},
                              .series = series,
                              .series_count = 2,
                              .rules = &best,
                              .rule_count = phase == PUAD_PHASE_TRAINING};
    const plot_figure figure = {.panels = &panel, .panel_count = 1, .panel_width = 520, .panel_height = 240};
    page_add_figure(on, &figure, NULL);
    return PUAD_OK;
}

puad_status report_add_training(page *on, report *of)
{
    char text[256];
    page_section(on, "The model");
    page_text(on, "Method %s: %s.", puad_detector_text(of->model, "method"),
              puad_detector_text(of->model, "title"));
    const char *lines[16];
    size_t count = 0;
    while (count < sizeof lines / sizeof *lines &&
           puad_detector_part(text, sizeof text, of->model, count) == PUAD_OK && *text) {
        size_t name = strcspn(text, " "); /* "forest       1200 trees ..." */
        lines[count] = report_text(of, "%.*s: %s", (int)name, text, text + name + strspn(text + name, " "));
        count++;
    }
    if (count) page_list(on, lines, count);
    TRY(add_history(on, of, PUAD_PHASE_PRETRAINING, "pre-training"));
    return add_history(on, of, PUAD_PHASE_TRAINING, "training");
}

/* The command line as one types it. */
static puad_status command_line(const char **out, report *of)
{
    TRY(arena_print(&of->memory, out, "puad"));
    for (char *const *word = of->call->words + 1; *word; word++) {
        const char *quoted;
        TRY(arena_shell_word(&of->memory, &quoted, *word));
        TRY(arena_print(&of->memory, out, "%s %s", *out, quoted));
    }
    return PUAD_OK;
}

puad_status report_add_settings(page *on, report *of)
{
    static const char *const headings[] = {"setting", "value"};
    page_cell(*cells)[2];
    size_t rows = 0;
    TRY(arena_new(&of->memory, &cells, puad_option_count(), sizeof *cells));
    const char *line;
    char text[512], date[64];
    time_t now = time(NULL);
    struct tm at;
    page_section(on, "Settings, and how to repeat it");
    if (of->command)
        line = of->command;
    else
        TRY(command_line(&line, of));
    page_code(on, line);
    for (size_t i = 0; i < puad_option_count(); i++) {
        const char *name = puad_option_name(i);
        puad_option_group group = puad_option_group_of(i);
        if (group != PUAD_GROUP_FIT && group != PUAD_GROUP_METHOD && group != PUAD_GROUP_COMMON) continue;
        if (strcmp(name, "threads") == 0 || strcmp(name, "set") == 0) continue;
        if (puad_detector_option(text, sizeof text, of->model, name) != PUAD_OK || !*text) continue;
        cells[rows][0] = (page_cell){.text = name};
        cells[rows++][1] = (page_cell){.text = report_text(of, "%s", text)};
    }
    page_fold(on, "Every setting of the training");
    page_add_table(on, &(page_table){.headings = headings, .columns = 2, .rows = rows, .cells = cells[0]});
    page_unfold(on);
    if (of->command || !gmtime_r(&now, &at) || !strftime(date, sizeof date, ", %Y-%m-%d %H:%M UTC", &at))
        date[0] = 0;
    page_text(on,
              "puad %s%s. "
              "The same command on the same files gives the same figures, whatever the number of threads.",
              puad_version(), date);
    return PUAD_OK;
}
