/* Values of library structs; all 0 past the end of a list. */
#ifndef CLI_LIBRARY_VALUES_H
#define CLI_LIBRARY_VALUES_H

#include <puad/advanced.h>

#define VALUE_OF(name, type, parameters, fill)                                                               \
    static inline type name parameters                                                                       \
    {                                                                                                        \
        type out = {.struct_size = sizeof out};                                                              \
        (void)(fill); /* writes nothing if it fails */                                                       \
        return out;                                                                                          \
    }

VALUE_OF(option_at, puad_option, (size_t index), puad_option_at(&out, index))
VALUE_OF(method_at, puad_method, (size_t index), puad_method_at(&out, index))
VALUE_OF(network_at, puad_network, (size_t index), puad_network_at(&out, index))
VALUE_OF(info_of, puad_model_info, (const puad_detector *model), puad_detector_info(model, &out))
VALUE_OF(epoch_at, puad_epoch, (const puad_detector *model, puad_phase phase, size_t index),
         puad_detector_epoch(model, &out, phase, index))
VALUE_OF(roc_metrics, puad_roc_metrics, (const puad_roc *curve), puad_roc_summary(curve, &out))
VALUE_OF(roc_point, puad_roc_point, (const puad_roc *curve, size_t index), puad_roc_at(curve, &out, index))
VALUE_OF(decided, puad_decider_summary, (const puad_decider *decider), puad_decider_state(decider, &out))
VALUE_OF(block_of, puad_block, (const puad_stream *stream), puad_stream_block(stream, &out))

VALUE_OF(dataset_of, puad_dataset_rows_info, (const puad_dataset *data), puad_dataset_info(data, &out))
VALUE_OF(profile_of, puad_profile_info, (const puad_profile *found), puad_profile_input(found, &out))
VALUE_OF(profile_at, puad_profile_column, (const puad_profile *found, size_t index),
         puad_profile_column_at(found, &out, index))
VALUE_OF(prior_of, puad_prior_evidence, (const puad_prior *prior), puad_prior_result(prior, &out))
VALUE_OF(calibration_of, puad_calibration, (const puad_detector *model),
         puad_detector_calibration(model, &out))

VALUE_OF(operating_of, puad_operating_info, (const puad_operating *table),
         puad_operating_summary(table, &out))
VALUE_OF(operating_point, puad_operating_point, (const puad_operating *table, size_t index),
         puad_operating_at(table, &out, index))

#undef VALUE_OF
#endif
