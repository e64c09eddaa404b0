/* Named datasets: the location of their official files, and their rows as stored (before any resizing), in
 * an official training and an official test part with a class number for each row. */
#ifndef LAB_SETS_SET_H
#define LAB_SETS_SET_H

#include "dataset/dataset.h"

typedef enum set_part { PART_TRAIN, PART_TEST, PART_COUNT } set_part;

/* Classes as a bit set. */
typedef uint64_t class_bits;
#define ONE(class) ((class_bits)1 << (class))
#define SPAN(first, last) ((ONE((last) + 1) - 1) & ~(ONE(first) - 1))

struct set_row;
struct raw_set;

typedef struct set_reader {
    bool generated;
    bool seeded; /* the rows depend on the seed of set_read */
    bool named;  /* classes have only names, no numbers: those of a user's file (file_set.h) */
    /* Fixed sizes of the training set; zeros for the paper's 4500 normal, 250 hidden and 250 labeled
     * anomalous rows. */
    size_t normal, hidden, labeled;
    /* The path of the set in a data folder: a file or a folder, on the heap. The failure message names the
     * paths tried. NULL for generated sets. */
    puad_status (*locate)(char **out_path, const struct set_row *about, const char *folder);
    puad_status (*read)(struct raw_set *out, const struct set_row *about, const char *folder);
} set_reader;

typedef struct set_row {
    const char *name;
    const set_reader *reader;
    int class_count;
    class_bits normals; /* each is the normal class of an experiment */
    const char *group_name;
    class_bits group; /* or the classes of the single normal group with this name */
    class_bits unseen;
    const char *title;
    const char *class_names; /* separated by '|' */
} set_row;

/* All rows of sets.def. */
const set_row *sets_all(size_t *out_count);
puad_status set_find(const set_row **out, const char *name);

/* The possible normal classes of a set, as in the paper. */
enum { SET_CELLS_MAX = 64 };
typedef struct set_cell {
    char name[32]; /* the class's number, or the group's name */
    class_bits normal;
} set_cell;
size_t set_cells(set_cell out[SET_CELLS_MAX], const set_row *about);

/* Parses classes: numbers, class names or the group's name, separated by commas. */
puad_status set_parse_classes(class_bits *out, const set_row *about, const char *text);

/* The name of a class, copied into `out`. */
void set_class_name(char *out, size_t capacity, const set_row *about, int class);

/* The folder that holds one folder per dataset: the given one, else $PUAD_DATA, else puad/ in the user's
 * data folder. On the heap. */
puad_status sets_folder(char **out, const char *given);

/* Whether the set's files are in the folder; *out_path (may be NULL) is their path, on the heap, "" for
 * generated sets. */
bool set_is_present(char **out_path, const set_row *about, const char *folder);

typedef struct raw_part {
    size_t rows;
    int32_t *classes; /* one per row, each below class_count; owned */
    uint8_t *pixels;  /* rows x height x width x channels, channels last; owned; NULL for generated sets */
} raw_part;

typedef struct raw_set {
    const set_row *about;
    bool image; /* otherwise a row is `channels` floats */
    int height, width, channels;
    raw_part parts[PART_COUNT];
    uint64_t seed; /* of a generated set */
    /* Generated sets create a row on demand: pixels, or floats. */
    void (*draw)(const struct raw_set *set, void *out, set_part part, size_t row);
} raw_set;

/* Reads or generates a set; `seed` is used only if the reader is `seeded` (toy). */
puad_status set_read(raw_set *out, const set_row *about, const char *folder, uint64_t seed);
void raw_set_free(raw_set *owner); /* {0} is fine */
#define AUTO_RAW_SET __attribute__((cleanup(raw_set_free)))

size_t raw_set_row_size(const raw_set *set); /* numbers per row as stored */

/* One row as stored: uint8 pixels, or floats if the set has no images. `out` has capacity
 * raw_set_row_size. */
void raw_set_row(void *out, const raw_set *set, set_part part, size_t row);

/* Rows `rows[0..count)` of a part as a dataset: images resized to side x side in [0, 1], with their
 * classes. A NULL `rows` means the first `count`. */
puad_status raw_set_rows(dataset *out, const raw_set *set, set_part part, const uint32_t *rows, size_t count,
                         int side);

#endif
