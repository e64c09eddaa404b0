/* Progress of a training: whole epochs and one estimate of the time over both phases. */
#ifndef CLI_FIT_DISPLAY_H
#define CLI_FIT_DISPLAY_H

#include "cli/common/command.h"
#include "cli/common/progress.h"

#include <puad/detector.h>

typedef struct fit_display {
    progress bar;
    int phase;      /* pre-training or not; -1 before the first */
    size_t before;  /* epochs of pre-training */
    size_t epochs;  /* of training as given; 0: as many as of pre-training */
    double seconds; /* of pre-training */
    bool quiet;
} fit_display;

/* For a command with --epochs and --quiet. */
fit_display fit_display_begin(const invocation *call);
void fit_display_end(fit_display *display);

/* A puad_progress_call; its context is the display. It always goes on. */
puad_answer fit_display_show(void *display, const puad_progress *now);

#endif
