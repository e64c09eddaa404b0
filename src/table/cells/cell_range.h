/* Cells that contain a range of numbers: "3 to 4", "5-7 years", "more than 30", "<5", "65+". */
#ifndef TABLE_CELLS_CELL_RANGE_H
#define TABLE_CELLS_CELL_RANGE_H

#include "table/cells/cell_format.h"

typedef struct cell_range {
    bare_number low, high; /* the same number if the range is open */
    text_view unit;        /* "" for none */
} cell_range;

/* Splits a cell into its bounds; false if it is not a range. A single number is not one. The digits of the
 * bounds are not checked. */
bool range_split(cell_range *out, text_view text);

/* The middle of a range, or the bound of an open one; false if the digits are not numbers in this notation or
 * the first bound is not the smaller one. */
bool range_middle(double *out, const cell_range *range, char decimal, char group);

#endif
