/* Figures from a ledger's records: AUROC over an option, training curves, a table as bars. All data of a
 * figure is in `memory`. */
#ifndef LAB_RESULTS_FIGURES_H
#define LAB_RESULTS_FIGURES_H

#include "lab/ledger/record_filter.h"
#include "lab/results/paper.h"
#include "lab/results/result_table.h"
#include "plot/plot.h"

/* AUROC against an option of sweeps.def, a panel per dataset, a curve per method and setting: mean over
 * normal classes and seeds, one standard deviation as band. Over `hidden`, runs whose alpha is the true
 * fraction of the unlabeled rows (alpha_U) and those where it is the fraction of all training rows are
 * separate curves. Sets `query->swept`. */
puad_status figure_sweep(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                         const char *option, anomalies which, const record_query *query);

/* Loss and validation loss of each record over the epochs; the records must have been read with their
 * histories. At most FIGURE_CURVES_MAX are drawn, and the title states how many are omitted; records
 * without a history are omitted too. */
enum { FIGURE_CURVES_MAX = 24 };
puad_status figure_training(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                            const record_query *query);

/* A table as bars alongside the paper's, a panel per dataset. */
puad_status figure_bars(plot_figure *out, arena *memory, const lab_table *table);

/* The AUROC after each epoch of the records that have a curve (lab/run/epoch_curve.h), a panel per
 * dataset, a line per method and setting: mean over normal classes and seeds, one standard deviation as
 * band. The records must have been read with their histories. */
puad_status figure_epochs(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                          anomalies which, const record_query *query);

/* "normal class 1, seed 0", or the number of each. */
puad_status figure_name_runs(const char **out, arena *memory, const selection *subset);

/* The mean of AUROC values, and one standard deviation around it, clipped to 0 to 1. */
double figure_band(double *out_low, double *out_high, const double *values, size_t count);

/* Gives these panels the same range of AUROC, so that they can be compared; their series have low and
 * high. */
void figure_share_axis(plot_panel *panels, size_t count);

/* "AUROC", or the anomalies it is about. */
puad_status figure_name_axis(const char **out, arena *memory, anomalies which);

#endif
