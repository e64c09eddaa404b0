/* Eigenvalues and eigenvectors of a symmetric matrix. */
#ifndef DETECTOR_ENSEMBLE_EIGEN_SYMMETRIC_H
#define DETECTOR_ENSEMBLE_EIGEN_SYMMETRIC_H

#include "base/memory.h"

/* Of the n x n matrix, which is destroyed: values[n], the largest first, and vectors, whose rows have length
 * 1 and belong to the values. The matrix is brought to three diagonals by reflections, and these to one by
 * rotations with shifts. */
puad_status symmetric_solve(double *values, double *vectors, double *matrix, size_t n);

#endif
