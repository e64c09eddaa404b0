/* Runs a fuzz target without libFuzzer: all files of a folder, then mutated copies, the same for the same
 * seed, for some seconds. `make test` runs every target briefly this way, with any compiler and sanitizer.
 *
 * usage: fuzz-NAME FOLDER SECONDS [INPUT] The current input is in the file INPUT, which remains when the
 * target crashes. */
#include "base/clock.h"
#include "base/rng.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { SEEDS_MAX = 4096, INPUT_MAX = 1 << 20 };

typedef struct seed {
    uint8_t *bytes;
    size_t size;
} seed;

static seed seeds[SEEDS_MAX];
static size_t seed_count;
static uint8_t *at_work; /* INPUT_MAX bytes, mapped to a file if one was named */
static int at_work_file = -1;

static void open_work(const char *path)
{
    at_work_file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0666) : -1;
    if (at_work_file >= 0 && ftruncate(at_work_file, INPUT_MAX) == 0)
        at_work = mmap(NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, at_work_file, 0);
    if (!at_work || at_work == MAP_FAILED) at_work = malloc(INPUT_MAX);
    if (!at_work) exit(2);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_seeds(const char *folder)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, NULL, compare_names);
    for (int i = 0; i < count && seed_count < SEEDS_MAX; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        FILE *in = names[i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
        free(names[i]);
        if (!in) continue;
        seed *into = &seeds[seed_count++];
        into->bytes = malloc(INPUT_MAX);
        if (!into->bytes) exit(2);
        into->size = fread(into->bytes, 1, INPUT_MAX, in);
        fclose(in);
    }
    free(names);
    if (seed_count == 0) {
        fprintf(stderr, "%s: no inputs\n", folder);
        exit(2);
    }
}

static size_t below(rng *draws, size_t max)
{
    return max ? (size_t)rng_below(draws, (uint32_t)max) : 0;
}

/* Mutates the current input; returns its new size. */
static size_t change(size_t size, rng *draws)
{
    static const char marks[] = "{}[]\",:;0123456789eE.-+\\/'=\n\r\t <>&";
    size_t at = below(draws, size ? size : 1), span = 1 + below(draws, size - at < 64 ? size - at + 1 : 64);
    const seed *other = &seeds[below(draws, seed_count)];
    switch (below(draws, 7)) {
    case 0:
        if (size) at_work[at] ^= (uint8_t)(1U << below(draws, 8));
        return size;
    case 1:
        if (size) at_work[at] = (uint8_t)below(draws, 256);
        return size;
    case 2:
        if (size) at_work[at] = (uint8_t)marks[below(draws, sizeof marks - 1)];
        return size;
    case 3: /* remove bytes */
        if (span > size - at) span = size - at;
        memmove(at_work + at, at_work + at + span, size - at - span);
        return size - span;
    case 4: /* duplicate bytes */
        if (span > size - at) span = size - at;
        if (size + span > INPUT_MAX) return size;
        memmove(at_work + at + span, at_work + at, size - at);
        return size + span;
    case 5: /* insert a piece of another input */
        if (other->size == 0 || size == 0) return size;
        if (span > other->size) span = other->size;
        if (span > size - at) span = size - at;
        memcpy(at_work + at, other->bytes + below(draws, other->size - span + 1), span);
        return size;
    default: /* insert a large or small number */
        if (span > 8) span = 8;
        if (span <= size - at) memset(at_work + at, below(draws, 2) ? 0xff : 0, span);
        return size;
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    double end = seconds_now() + atof(argv[2]);
    size_t runs = 0;
    rng draws = rng_make(1, rng_stream("fuzz", 0));
    open_work(argc > 3 ? argv[3] : NULL);
    read_seeds(argv[1]);
    for (; runs < seed_count || seconds_now() < end; runs++) {
        const seed *source = &seeds[runs < seed_count ? runs : below(&draws, seed_count)];
        size_t size = source->size, changes = runs < seed_count ? 0 : 1 + below(&draws, 6);
        memcpy(at_work, source->bytes, size);
        for (size_t i = 0; i < changes; i++) size = change(size, &draws);
        uint8_t *exact = malloc(size ? size : 1); /* so that sanitizers find reads past the end */
        if (!exact) return 2;
        memcpy(exact, at_work, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    for (size_t i = 0; i < seed_count; i++) free(seeds[i].bytes);
    if (at_work_file >= 0) unlink(argv[3]);
    printf("1 passed, 0 failed, %zu inputs\n", runs);
    return 0;
}
