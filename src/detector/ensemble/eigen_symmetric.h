/* Eigenvalues and eigenvectors of a symmetric matrix. */
#ifndef DETECTOR_ENSEMBLE_EIGEN_SYMMETRIC_H
#define DETECTOR_ENSEMBLE_EIGEN_SYMMETRIC_H

#include "base/memory.h"

/* Of the n x n matrix, which is overwritten: values[n] in descending order, and vectors of length 1 as
 * rows in the same order. Reflections reduce the matrix to tridiagonal form, shifted rotations to diagonal
 * form. */
puad_status symmetric_solve(double *values, double *vectors, double *matrix, size_t n);

#endif
