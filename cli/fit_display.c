/* Shows the progress of a training. */
#include "cli/fit_display.h"

#include "cli/common/spinner.h"

#include <math.h>
#include <stdio.h>

fit_display fit_display_begin(const invocation *call)
{
    return (fit_display){.phase = -1,
                         .epochs = is_given(call, "epochs") ? (size_t)value_of(call, "epochs")->integer : 0,
                         .quiet = is_given(call, "quiet")};
}

void fit_display_end(fit_display *display)
{
    if (display->phase >= 0) progress_end(&display->bar);
}

puad_answer fit_display_show(void *context, const puad_progress *now)
{
    fit_display *display = context;
    if (isnan(now->train_loss) && now->batch == now->batches) { /* models of a cross-fitting */
        activity_report((double)(now->epoch + 1) / (double)now->epochs);
        return PUAD_GO_ON;
    }
    if (display->phase < 0) display->bar = progress_begin("training", 0, display->quiet);
    if (display->phase == 1 && !now->pretraining) display->before = display->bar.done;
    display->phase = now->pretraining;
    if (now->pretraining) display->seconds = now->seconds;
    progress *bar = &display->bar;
    size_t later = display->epochs ? display->epochs : now->epochs; /* of training */
    /* Epochs of both phases; during pretraining the other phase is assumed to be as long. */
    bar->total = display->before + now->epochs + (now->pretraining ? later : 0);
    double part = now->epochs && now->batches
                      ? ((double)now->epoch + (double)now->batch / (double)now->batches) / (double)now->epochs
                      : 0;
    double all =
        now->pretraining ? (double)(now->epochs + later) / (double)(now->epochs ? now->epochs : 1) : 1;
    double seconds = part > 0 ? now->seconds * all / part : 0;
    bar->share =
        part > 0
            ? now->pretraining ? part / all : (display->seconds + now->seconds) / (display->seconds + seconds)
            : 0;
    char valid[32] = "-"; /* unknown before the end of the first epoch */
    if (!isnan(now->valid_loss)) snprintf(valid, sizeof valid, "%.4g", now->valid_loss);
    progress_update(bar, display->before + now->epoch + (now->batch == now->batches),
                    "%sloss %.4g validation %s best %zu", now->pretraining ? "pretraining, " : "",
                    now->train_loss, valid, now->best_epoch);
    return PUAD_GO_ON;
}
