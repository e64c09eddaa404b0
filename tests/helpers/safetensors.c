/* For scripts. "write PATH" writes a sample container; "read PATH" prints everything in one, a line per text
 * and tensor: its bytes in hexadecimal, so that a script can compare them with its own. */
#include "io/safetensors.h"

#include <stdio.h>
#include <string.h>

static puad_status write_sample(const char *path)
{
    AUTO_SAFETENSORS safetensors file = {0};
    static const float weights[] = {1.5f, -2, 3e-20f, 4, 5, 6};
    static const int64_t counts[] = {-1, 1LL << 40};
    static const unsigned char marks[] = {0, 255, 7};
    static const double exact[] = {0.1};
    TRY(safetensors_add(&file, "marks", TENSOR_U8, marks, 1, (size_t[]){3}));
    TRY(safetensors_add(&file, "weights", TENSOR_F32, weights, 2, (size_t[]){2, 3}));
    TRY(safetensors_add(&file, "counts", TENSOR_I64, counts, 1, (size_t[]){2}));
    TRY(safetensors_add(&file, "exact", TENSOR_F64, exact, 0, NULL));
    TRY(safetensors_add(&file, "nothing", TENSOR_F32, NULL, 2, (size_t[]){0, 3}));
    TRY(safetensors_add_text(&file, "method", "pusvdd"));
    TRY(safetensors_add_text(&file, "note", "quotes \" and \\ and \n and \xc3\xa4"));
    return safetensors_write(&file, path, true);
}

static puad_status print_all(const char *path)
{
    AUTO_SAFETENSORS safetensors file = {0};
    TRY(safetensors_open(&file, path, 1 << 30));
    for (size_t i = 0; i < file.text_count; i++) {
        printf("text %s ", file.texts[i].key);
        for (const char *c = file.texts[i].text; *c; c++) printf("%02x", (unsigned char)*c);
        printf("\n");
    }
    for (size_t i = 0; i < file.tensor_count; i++) {
        const stored_tensor *tensor = &file.tensors[i];
        printf("tensor %s %s", tensor->name, tensor_type_name(tensor->type));
        for (int d = 0; d < tensor->dimensions; d++) printf(" %zu", tensor->shape[d]);
        printf(" : ");
        for (size_t b = 0; b < tensor->bytes; b++) printf("%02x", ((const unsigned char *)tensor->data)[b]);
        printf("\n");
    }
    return PUAD_OK;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    puad_status status = strcmp(argv[1], "write") == 0 ? write_sample(argv[2]) : print_all(argv[2]);
    if (status != PUAD_OK) fprintf(stderr, "%s\n", puad_last_error());
    return status != PUAD_OK;
}
