/* Householder reflections, then implicit QR steps. Vectors are stored as rows, so that all loops run along
 * rows. */
#include "detector/ensemble/eigen_symmetric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_VALUE = 60 };

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double weight, const double *source, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += weight * source[i];
}

/* Reduces column k below the diagonal to one number: A becomes H A H, and the vectors H V, with H = 1 -
 * scale v v'. `buffer` has 2 n numbers. */
static void reflect(double *matrix, double *vectors, size_t n, size_t k, double *buffer)
{
    size_t first = k + 1, size = n - first;
    double *v = buffer, *w = buffer + n, squares = 0;
    for (size_t i = 0; i < size; i++) {
        v[i] = matrix[(first + i) * n + k];
        squares += v[i] * v[i];
    }
    double length = sqrt(squares), target = v[0] > 0 ? -length : length;
    if (!(squares - v[0] * v[0] > 0)) return; /* already reduced */
    v[0] -= target;
    double scale = 2 / product(v, v, size);
    memset(w, 0, size * sizeof *w);
    for (size_t i = 0; i < size; i++) add(w, scale * v[i], matrix + (first + i) * n + first, size);
    add(w, -scale / 2 * product(w, v, size), v, size);
    for (size_t i = 0; i < size; i++) {
        double *row = matrix + (first + i) * n + first;
        add(row, -v[i], w, size);
        add(row, -w[i], v, size);
    }
    for (size_t i = 0; i < size; i++)
        matrix[(first + i) * n + k] = matrix[k * n + first + i] = i ? 0 : target;
    memset(w, 0, n * sizeof *w);
    for (size_t i = 0; i < size; i++) add(w, scale * v[i], vectors + (first + i) * n, n);
    for (size_t i = 0; i < size; i++) add(vectors + (first + i) * n, -v[i], w, n);
}

/* One QR step on rows low ... high of the tridiagonal matrix d, e. */
static void turn(double *d, double *e, double *vectors, size_t n, size_t low, size_t high)
{
    double half = (d[high - 1] - d[high]) / 2, last = e[high - 1];
    double shift = d[high] - last * last / (half + copysign(hypot(half, last), half));
    double x = d[low] - shift, z = e[low];
    for (size_t k = low; k < high; k++) {
        double length = hypot(x, z), c = length > 0 ? x / length : 1, s = length > 0 ? z / length : 0;
        double a = d[k], b = e[k], g = d[k + 1], *up = vectors + k * n, *down = up + n;
        if (k > low) e[k - 1] = length;
        d[k] = c * c * a + 2 * c * s * b + s * s * g;
        d[k + 1] = s * s * a - 2 * c * s * b + c * c * g;
        e[k] = c * s * (g - a) + (c * c - s * s) * b;
        if (k + 1 < high) {
            x = e[k];
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        for (size_t i = 0; i < n; i++) {
            double above = up[i], below = down[i];
            up[i] = c * above + s * below;
            down[i] = c * below - s * above;
        }
    }
}

static puad_status settle(double *d, double *e, double *vectors, size_t n)
{
    size_t high = n - 1, steps = 0;
    while (high > 0) {
        for (size_t k = 0; k < high; k++)
            if (fabs(e[k]) <= DBL_EPSILON * (fabs(d[k]) + fabs(d[k + 1])) || fabs(e[k]) < DBL_MIN) e[k] = 0;
        if (e[high - 1] == 0) {
            high--;
            continue;
        }
        size_t low = high - 1;
        while (low > 0 && e[low - 1] != 0) low--;
        if (++steps > STEPS_A_VALUE * n)
            FAIL(PUAD_NUMERIC, "the principal axes of the rows did not converge");
        turn(d, e, vectors, n, low, high);
    }
    return PUAD_OK;
}

static void swap_rows(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

puad_status symmetric_solve(double *values, double *vectors, double *matrix, size_t n)
{
    AUTO_FREE double *buffer = NULL;
    if (n == 0) return PUAD_OK;
    TRY(memory_new(&buffer, 2 * n, sizeof *buffer, "principal axes"));
    memset(vectors, 0, n * n * sizeof *vectors);
    for (size_t i = 0; i < n; i++) vectors[i * n + i] = 1;
    for (size_t k = 0; k + 2 < n; k++) reflect(matrix, vectors, n, k, buffer);
    for (size_t i = 0; i < n; i++) values[i] = matrix[i * n + i];
    for (size_t i = 0; i + 1 < n; i++) buffer[i] = matrix[(i + 1) * n + i];
    TRY(settle(values, buffer, vectors, n));
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < n; k++)
            if (values[k] > values[best]) best = k;
        if (best == i) continue;
        swap_rows(&values[i], &values[best], 1);
        swap_rows(vectors + i * n, vectors + best * n, n);
    }
    return PUAD_OK;
}
