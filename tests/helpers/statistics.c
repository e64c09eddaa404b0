/* For scripts: each line of standard input is answered by one line.
 *     t T DEGREES            the two-sided p
 *     paired N A.. B..       t and p
 *     spread N A..           mean and standard deviation */
#include "lab/results/statistics.h"

#include <stdio.h>
#include <string.h>

static size_t read_numbers(double *out, size_t max)
{
    size_t count = 0;
    while (count < max && scanf("%lf", &out[count]) == 1) count++;
    return count;
}

int main(void)
{
    static double numbers[20000];
    char what[16];
    while (scanf("%15s", what) == 1) {
        size_t count;
        if (strcmp(what, "t") == 0 && read_numbers(numbers, 2) == 2) {
            printf("%.17g\n", student_t_two_sided(numbers[0], numbers[1]));
        } else if (strcmp(what, "paired") == 0 && scanf("%zu", &count) == 1 && count <= 10000 &&
                   read_numbers(numbers, 2 * count) == 2 * count) {
            paired_test test = statistics_paired(numbers, numbers + count, count);
            printf("%.17g %.17g\n", test.t, test.p);
        } else if (strcmp(what, "spread") == 0 && scanf("%zu", &count) == 1 && count <= 10000 &&
                   read_numbers(numbers, count) == count) {
            printf("%.17g %.17g\n", statistics_mean(numbers, count), statistics_deviation(numbers, count));
        } else {
            return 1;
        }
    }
    return 0;
}
