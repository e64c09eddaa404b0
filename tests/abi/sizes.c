/* Sizes, last members and last constants of what the public headers define; abi.sh compares them with
 * sizes.txt. */
#include <puad/puad.h>
#include <stddef.h>
#include <stdio.h>

int main(void)
{
#define SIZE(type, last) printf(#type " %zu, " #last " at %zu\n", sizeof(type), offsetof(type, last))
    SIZE(puad_audit_plan, seed);
    SIZE(puad_audit_row, label);
    SIZE(puad_audit_estimate, high);
    SIZE(puad_audit_result, alpha);
    SIZE(puad_audit_point, recall);
    SIZE(puad_progress, seconds);
    SIZE(puad_own_head, context);
    SIZE(puad_warning, text);
    SIZE(puad_losses, pos_slope);
    SIZE(puad_loss_pair, context);
    SIZE(puad_objective_options, training_normals);
    SIZE(puad_loss_weights, pos);
    SIZE(puad_objective_batch, scratch);
    SIZE(puad_objective, context);
    SIZE(puad_criterion, options);
    SIZE(puad_figure, raw);
    SIZE(puad_ranks, context);
#define VALUE(name) printf(#name " %d\n", (int)name)
    VALUE(PUAD_OK);
    VALUE(PUAD_CANCELLED);
    VALUE(PUAD_OPTION_CHOICE);
    VALUE(PUAD_GROUP_ANSWERS);
    VALUE(PUAD_ABORT);
    VALUE(PUAD_WARNING);
    VALUE(PUAD_LABEL_NORMAL);
    VALUE(PUAD_LABEL_ANOMALY);
    VALUE(PUAD_ESTIMATES_RISK);
    VALUE(PUAD_PRIOR_AUROC_HIGH);
    VALUE(PUAD_PROFILE_MOST);
    VALUE(PUAD_COLUMN_DISTINCT);
    VALUE(PUAD_COLUMN_CATEGORY);
    VALUE(PUAD_OPERATING_F1);
    VALUE(PUAD_OPERATING_POINTS_MOST);
    VALUE(PUAD_DECIDES_FDR);
    VALUE(PUAD_PHASE_TRAINING);
    VALUE(PUAD_WEIGHT_EQUAL);
    VALUE(PUAD_BALANCE_POOLED);
    return 0;
}
