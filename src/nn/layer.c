/* Names of a layer's parameters and state. */
#include "nn/layer.h"

size_t layer_tensor_size(const layer_tensor *tensor)
{
    size_t size = 1;
    for (int i = 0; i < tensor->dimensions; i++) size *= tensor->shape[i];
    return size;
}

size_t layer_tensors(const layer *self, layer_tensor out[LAYER_TENSORS_MAX], size_t *out_parameters,
                     size_t *out_state)
{
    size_t count = self->type->tensors ? self->type->tensors(self, out) : 0;
    *out_parameters = *out_state = 0;
    for (size_t i = 0; i < count; i++)
        *(out[i].state ? out_state : out_parameters) += layer_tensor_size(&out[i]);
    return count;
}
