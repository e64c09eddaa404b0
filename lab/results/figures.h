/* Figures out of a ledger's records: AUROC over an option, training curves, a table as bars. Everything a
 * figure points to lies in `memory`. */
#ifndef LAB_RESULTS_FIGURES_H
#define LAB_RESULTS_FIGURES_H

#include "lab/ledger/record_filter.h"
#include "lab/results/paper.h"
#include "lab/results/result_table.h"
#include "plot/plot.h"

/* AUROC against an option of sweeps.def, a panel per data set, a curve per method and setting: mean over
 * normal classes and seeds, one standard deviation as band. Over `hidden`, runs whose alpha is the true share
 * of the unlabeled rows (alpha_U) and those where it is the share of all training rows are curves of their
 * own. `query->swept` is set here. */
puad_status figure_sweep(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                         const char *option, anomalies which, const record_query *query);

/* Loss and validation loss of each record over the epochs; the records must have been read with their
 * histories. At most FIGURE_CURVES_MOST, further ones are left out, and the title says so; those without a
 * history too. */
enum { FIGURE_CURVES_MOST = 24 };
puad_status figure_training(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                            const record_query *query);

/* A table as bars with the paper's beside, a panel per data set. */
puad_status figure_bars(plot_figure *out, arena *memory, const lab_table *table);

/* The AUROC after each epoch of the records that have a curve (lab/run/epoch_curve.h), a panel per data set,
 * a line per method and setting: mean over normal classes and seeds, one standard deviation as band. The
 * records must have been read with their histories. */
puad_status figure_epochs(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                          anomalies which, const record_query *query);

/* "normal class 1, seed 0", or how many there are of each. */
puad_status figure_name_runs(const char **out, arena *memory, const selection *from);

/* The mean of AUROCs, and one standard deviation around it as far as an AUROC can be: 0 to 1. */
double figure_band(double *out_low, double *out_high, const double *values, size_t count);

/* These panels show the same range of AUROC, so that they can be compared; their series have low and high. */
void figure_share_axis(plot_panel *panels, size_t count);

/* "AUROC", or of which anomalies. */
puad_status figure_name_axis(const char **out, arena *memory, anomalies which);

#endif
