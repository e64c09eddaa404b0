/* Any bytes as a CSV file of published results, of ADBench (first byte even) or of the paper (odd):
 * rejected, or all numbers are finite and all strings present. */
#include "fuzz_file.h"
#include "lab/results/adbench_table.h"
#include "lab/results/paper.h"

#include <math.h>
#include <stdlib.h>

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_shares(const published_table *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const published_row *row = &found->rows[i];
        require(row->dataset && row->model && row->value >= 0 && row->value <= 1);
        require(row->percent >= 0 && row->percent <= 100);
    }
}

static void check_paper(const paper_table *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const paper_row *row = &found->rows[i];
        require(isfinite(row->mean));
        require(paper_find(found, row->which, row->dataset, row->method) != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1) return 0;
    const char *path = fuzz_file(bytes + 1, size - 1);
    AUTO_ARENA arena memory = {0};
    published_table shares = {0};
    paper_table paper = {0};
    if (!path) return 0;
    if (bytes[0] % 2 == 0 && published_read(&shares, &memory, path) == PUAD_OK) check_shares(&shares);
    if (bytes[0] % 2 && paper_read(&paper, &memory, path) == PUAD_OK) check_paper(&paper);
    return 0;
}
