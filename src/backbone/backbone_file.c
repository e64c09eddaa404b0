/* Reads and checks backbone files: the graph's description and its tensors. The runner relies on these
 * checks. */
#include "backbone/graph.h"

#include "base/hash.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "puad-backbone"
#define FORMAT_VERSION "1"

enum { CHANNELS_MAX = 65536 };
static const size_t FILE_MAX = (size_t)1 << 31;

static puad_status get_size(size_t *out, const cJSON *object, const char *key, size_t standard, size_t max)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *out = standard;
    if (!item) return PUAD_OK;
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0 && value <= (double)max) || value != floor(value))
        FAIL(PUAD_FORMAT, "'%s' must be an integer from 0 to %zu", key, max);
    *out = (size_t)value;
    return PUAD_OK;
}

static puad_status get_sizes(size_t *out, const cJSON *list, size_t count, size_t max, const char *key)
{
    if (!cJSON_IsArray(list) || (size_t)cJSON_GetArraySize(list) != count)
        FAIL(PUAD_FORMAT, "'%s' must be a list of %zu numbers", key, count);
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(value >= 0 && value <= (double)max) || value != floor(value))
            FAIL(PUAD_FORMAT, "'%s' must be integers from 0 to %zu", key, max);
        *out++ = (size_t)value;
    }
    return PUAD_OK;
}

static const char *get_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : NULL;
}

static puad_status get_operator(graph_node *node, size_t *inputs, const cJSON *object)
{
    const char *name = get_text(object, "operator");
    if (!name) FAIL(PUAD_FORMAT, "has no 'operator'");
#define OPERATOR(which, count)                                                                               \
    if (strcmp(name, #which) == 0) {                                                                         \
        node->kind = OPERATOR_##which;                                                                       \
        *inputs = (count);                                                                                   \
        return PUAD_OK;                                                                                      \
    }
#include "backbone/operators.def"
#undef OPERATOR
    FAIL(PUAD_FORMAT, "unknown operator '%.40s'", name);
}

static puad_status get_activation(activation *out, const cJSON *object)
{
    const char *name = get_text(object, "activation");
    *out = ACTIVATION_none;
    if (!name) return PUAD_OK;
#define ACTIVATION(which)                                                                                    \
    if (strcmp(name, #which) == 0) {                                                                         \
        *out = ACTIVATION_##which;                                                                           \
        return PUAD_OK;                                                                                      \
    }
#include "backbone/activations.def"
#undef ACTIVATION
    FAIL(PUAD_FORMAT, "unknown activation '%.40s'", name);
}

static puad_status get_padding(graph_node *node, const cJSON *object)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "padding");
    if (!item) return PUAD_OK;
    node->same = cJSON_IsString(item) && strcmp(item->valuestring, "same") == 0;
    if (node->same) return PUAD_OK;
    return get_sizes(node->pad, item, 4, KERNEL_MAX, "padding");
}

/* Copies a tensor, all of whose numbers must be finite. */
static puad_status take_tensor(const float **out, backbone *owner, const stored_tensor *tensor)
{
    float *values = NULL;
    TRY(arena_new(&owner->memory, &values, tensor->count, sizeof(float)));
    memcpy(values, tensor->data, tensor->bytes);
    for (size_t i = 0; i < tensor->count; i++)
        if (!isfinite(values[i])) FAIL(PUAD_FORMAT, "tensor '%s': value %zu is not finite", tensor->name, i);
    *out = values;
    return PUAD_OK;
}

static puad_status read_conv(backbone *owner, graph_node *node, const cJSON *object, const safetensors *file,
                             const char *prefix)
{
    const char *name = get_text(object, "tensor"), *full = NULL;
    if (!name) FAIL(PUAD_FORMAT, "has no 'tensor'");
    TRY(get_size(&node->groups, object, "groups", 1, CHANNELS_MAX));
    if (node->groups == 0 || node->in % node->groups)
        FAIL(PUAD_FORMAT, "has %zu groups of %zu channels", node->groups, node->in);
    node->tensor = arena_text(&owner->memory, name);
    if (!node->tensor) FAIL(PUAD_MEMORY, "no memory for a backbone");
    const stored_tensor *weight = NULL, *bias = NULL;
    size_t shape[4] = {SIZE_MAX, SIZE_MAX, SIZE_MAX, node->in / node->groups};
    TRY(arena_print(&owner->memory, &full, "%s%s.weight", prefix, name));
    TRY(safetensors_require(&weight, file, full, TENSOR_F32, 4, shape));
    node->out = weight->shape[0], node->tall = weight->shape[1], node->wide = weight->shape[2];
    if (node->out == 0 || node->out > CHANNELS_MAX || node->out % node->groups)
        FAIL(PUAD_FORMAT, "tensor '%s' has %zu channels in %zu groups", full, node->out, node->groups);
    if (node->tall == 0 || node->wide == 0 || node->tall > KERNEL_MAX || node->wide > KERNEL_MAX)
        FAIL(PUAD_FORMAT, "tensor '%s' has taps of %zu x %zu", full, node->tall, node->wide);
    TRY(take_tensor(&node->weight, owner, weight));
    TRY(arena_print(&owner->memory, &full, "%s%s.bias", prefix, name));
    TRY(safetensors_require(&bias, file, full, TENSOR_F32, 1, &node->out));
    return take_tensor(&node->bias, owner, bias);
}

static puad_status read_pool(graph_node *node, const cJSON *object)
{
    TRY(get_size(&node->tall, object, "taps", 0, KERNEL_MAX));
    node->wide = node->tall;
    if (node->tall == 0) FAIL(PUAD_FORMAT, "has no 'taps'");
    for (int i = 0; i < 4; i++)
        if (node->pad[i] >= node->tall) FAIL(PUAD_FORMAT, "has a padding of %zu", node->pad[i]);
    return PUAD_OK;
}

static puad_status read_node(backbone *owner, size_t index, const cJSON *object, const safetensors *file,
                             const char *prefix)
{
    graph_node *node = &owner->nodes[index];
    size_t inputs = 0;
    *node = (graph_node){.groups = 1};
    TRY(get_operator(node, &inputs, object));
    TRY(get_activation(&node->activation, object));
    TRY(get_sizes(node->inputs, cJSON_GetObjectItemCaseSensitive(object, "inputs"), inputs, index, "inputs"));
    TRY(get_size(&node->stride, object, "stride", 1, KERNEL_MAX));
    if (node->stride == 0) FAIL(PUAD_FORMAT, "has a stride of 0");
    TRY(get_padding(node, object));
    node->in = node->out = graph_channels(owner, node->inputs[0]);
    if (inputs == 2 && graph_channels(owner, node->inputs[1]) != node->in)
        FAIL(PUAD_FORMAT, "joins %zu and %zu channels", node->in, graph_channels(owner, node->inputs[1]));
    if (node->kind == OPERATOR_conv) return read_conv(owner, node, object, file, prefix);
    if (node->kind == OPERATOR_max_pool || node->kind == OPERATOR_average_pool)
        return read_pool(node, object);
    return PUAD_OK;
}

static puad_status read_nodes(backbone *owner, const cJSON *object, const safetensors *file,
                              const char *prefix)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "nodes"), *item;
    size_t count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (count == 0 || count > NODES_MAX) FAIL(PUAD_FORMAT, "expected 1 to %d 'nodes'", NODES_MAX);
    TRY(arena_new(&owner->memory, &owner->nodes, count, sizeof *owner->nodes));
    cJSON_ArrayForEach(item, list)
    {
        puad_status status = read_node(owner, owner->node_count, item, file, prefix);
        if (status != PUAD_OK) {
            status_prefix("node %zu", owner->node_count);
            return status;
        }
        owner->node_count++;
    }
    return PUAD_OK;
}

static puad_status read_stages(backbone *owner, const cJSON *object)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "stages");
    size_t count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (count == 0 || count > STAGES_MAX) FAIL(PUAD_FORMAT, "expected 1 to %d 'stages'", STAGES_MAX);
    TRY(get_sizes(owner->stages, list, count, owner->node_count, "stages"));
    for (size_t i = 0; i < count; i++) {
        if (owner->stages[i] == 0) FAIL(PUAD_FORMAT, "stage %zu is the image itself", i);
        owner->feature_count += STAGE_STATISTICS * graph_channels(owner, owner->stages[i]);
    }
    owner->stage_count = count;
    size_t channels[STAGES_MAX];
    for (size_t i = 0; i < count; i++) channels[i] = graph_channels(owner, owner->stages[i]);
    return patches_choose(&owner->patches, &owner->memory, channels, count);
}

static puad_status read_pixels(float out[3], const cJSON *object, const char *key, double min)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key), *item;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 3)
        FAIL(PUAD_FORMAT, "'%s' must be a list of 3 numbers", key);
    cJSON_ArrayForEach(item, list)
    {
        double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(value >= min && value <= 1e6)) FAIL(PUAD_FORMAT, "'%s': %g is out of range", key, value);
        *out++ = (float)value;
    }
    return PUAD_OK;
}

void backbone_make_fingerprint(backbone *owner)
{
    uint64_t hash = HASH_START;
    hash = hash_bytes(hash, owner->description, strlen(owner->description));
    for (size_t i = 0; i < owner->node_count; i++) {
        const graph_node *node = &owner->nodes[i];
        if (!node->weight) continue;
        size_t count = node->out * node->tall * node->wide * (node->in / node->groups);
        hash = hash_bytes(hash, node->weight, count * sizeof(float));
        hash = hash_bytes(hash, node->bias, node->out * sizeof(float));
    }
    hash = patches_hash(hash, &owner->patches);
    snprintf(owner->fingerprint, sizeof owner->fingerprint, "%016llx", (unsigned long long)hash);
}

static puad_status read_graph(backbone *owner, const safetensors *file, const char *prefix)
{
    const char *text = NULL;
    AUTO_JSON cJSON *object = NULL;
    TRY(safetensors_require_text(&text, file, "backbone"));
    TRY(json_parse(&object, text, "the description of the backbone"));
    const char *name = get_text(object, "name");
    owner->name = arena_text(&owner->memory, name ? name : "backbone");
    owner->description = arena_text(&owner->memory, text);
    if (!owner->name || !owner->description) FAIL(PUAD_MEMORY, "no memory for a backbone");
    size_t side = 0;
    TRY(get_size(&side, object, "side", 0, BACKBONE_SIDE_MAX));
    if (side < BACKBONE_SIDE_MIN)
        FAIL(PUAD_FORMAT, "'side' must be %d to %d", BACKBONE_SIDE_MIN, BACKBONE_SIDE_MAX);
    owner->side = (int)side;
    TRY(read_pixels(owner->mean, object, "mean", 0));
    TRY(read_pixels(owner->deviation, object, "deviation", 1e-3));
    TRY(read_nodes(owner, object, file, prefix));
    TRY(read_stages(owner, object));
    TRY(patches_read(&owner->patches, file, prefix));
    backbone_make_fingerprint(owner);
    AUTO_ARENA arena scratch = {0};
    graph_shape *shapes = NULL;
    graph_padding *padding = NULL;
    TRY(arena_new(&scratch, &shapes, owner->node_count + 1, sizeof *shapes));
    TRY(arena_new(&scratch, &padding, owner->node_count, sizeof *padding));
    return graph_shapes(shapes, padding, owner, owner->side);
}

puad_status backbone_read(backbone **out, const safetensors *file, const char *prefix)
{
    backbone *owner = NULL;
    TRY(memory_new(&owner, 1, sizeof *owner, "a backbone"));
    puad_status status = read_graph(owner, file, prefix);
    if (status != PUAD_OK) {
        status_prefix("%s: backbone", file->path);
        backbone_free(owner);
        return status;
    }
    *out = owner;
    return PUAD_OK;
}

puad_status backbone_open(backbone **out, const char *path)
{
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(safetensors_open(&file, path, FILE_MAX));
    const char *format = safetensors_text(&file, "format"),
               *version = safetensors_text(&file, "format_version");
    if (!format || strcmp(format, FORMAT_NAME) != 0)
        FAIL(PUAD_FORMAT, "%s: is not a backbone file; tools/import_backbone creates one", path);
    if (!version || strcmp(version, FORMAT_VERSION) != 0)
        FAIL(PUAD_FORMAT, "%s: has format version %.20s, expected %s; import the backbone again", path,
             version ? version : "none", FORMAT_VERSION);
    puad_status status = safetensors_check(&file);
    if (status != PUAD_OK) {
        status_prefix("%s", path);
        return status;
    }
    return backbone_read(out, &file, "");
}

puad_status backbone_write(safetensors *file, const backbone *owner, const char *prefix)
{
    TRY(safetensors_add_text(file, "backbone", owner->description));
    for (size_t i = 0; i < owner->node_count; i++) {
        const graph_node *node = &owner->nodes[i];
        if (node->kind != OPERATOR_conv) continue;
        char name[300];
        size_t shape[4] = {node->out, node->tall, node->wide, node->in / node->groups};
        snprintf(name, sizeof name, "%s%s.weight", prefix, node->tensor);
        TRY(safetensors_add(file, name, TENSOR_F32, node->weight, 4, shape));
        snprintf(name, sizeof name, "%s%s.bias", prefix, node->tensor);
        TRY(safetensors_add(file, name, TENSOR_F32, node->bias, 1, shape));
    }
    return patches_write(file, &owner->patches, prefix);
}

void backbone_free(backbone *owner)
{
    if (!owner || atomic_fetch_sub(&owner->owners, 1) > 0) return;
    arena_free(&owner->memory);
    free(owner);
}

backbone *backbone_share(backbone *owner)
{
    atomic_fetch_add(&owner->owners, 1);
    return owner;
}

void backbone_cleanup(backbone **owner)
{
    backbone_free(*owner);
}

int backbone_side(const backbone *owner)
{
    return owner->side;
}

const char *backbone_fingerprint(const backbone *owner)
{
    return owner->fingerprint;
}

size_t backbone_feature_count(const backbone *owner)
{
    return owner->feature_count;
}

size_t backbone_patch_count(const backbone *owner)
{
    return 2 * owner->patches.count;
}

size_t backbone_patch_stages(const backbone *owner)
{
    return owner->patches.count;
}

bool backbone_patches_learned(const backbone *owner)
{
    return owner->patches.learned;
}
