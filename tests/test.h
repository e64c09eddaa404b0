/* A small test framework: TEST(name) { CHECK(...); } registers itself; the file is a program that runs all
 * its tests, prints each failure with its place, and ends with "N passed, N failed". A name on the command
 * line runs only the tests whose name contains it. SKIP(reason) ends a test that cannot run here and
 * prints why. The program exits with 1 if a test failed or none ran, else with 77 if a test was skipped
 * (ctest reports it as skipped), else with 0. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <math.h>
#include <puad/puad.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_case {
    const char *name;
    void (*body)(void);
    struct test_case *next;
} test_case;

static test_case *test_first, **test_last = &test_first;
static int test_failures;        /* of the running test */
static const char *test_skipped; /* reason why the running test is skipped */

#define TEST(name)                                                                                           \
    static void test_##name(void);                                                                           \
    static test_case case_##name = {#name, test_##name, NULL};                                               \
    __attribute__((constructor)) static void register_##name(void)                                           \
    {                                                                                                        \
        *test_last = &case_##name;                                                                           \
        test_last = &case_##name.next;                                                                       \
    }                                                                                                        \
    static void test_##name(void)

#define TEST_FAIL(...)                                                                                       \
    (test_failures++, printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), printf("\n"))

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) TEST_FAIL("not true: %s", #condition);                                             \
    } while (0)

/* Ends the test if the condition fails; for preconditions. */
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            TEST_FAIL("not true: %s (last error: %s)", #condition, puad_last_error());                       \
            return;                                                                                          \
        }                                                                                                    \
    } while (0)

#define CHECK_OK(call) REQUIRE((call) == PUAD_OK)

#define CHECK_INT(actual, expected)                                                                          \
    do {                                                                                                     \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                          \
        if (actual_ != expected_) TEST_FAIL("%s is %lld, expected %lld", #actual, actual_, expected_);       \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                              \
    do {                                                                                                     \
        double actual_ = (actual), expected_ = (expected);                                                   \
        if (!(fabs(actual_ - expected_) <= (tolerance)))                                                     \
            TEST_FAIL("%s is %.9g, expected %.9g within %g", #actual, actual_, expected_,                    \
                      (double)(tolerance));                                                                  \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                                         \
    do {                                                                                                     \
        const char *actual_ = (actual), *expected_ = (expected);                                             \
        if (!actual_ || strcmp(actual_, expected_) != 0)                                                     \
            TEST_FAIL("%s is \"%s\", expected \"%s\"", #actual, actual_ ? actual_ : "(null)", expected_);    \
    } while (0)

/* The call must fail with this code and a message that contains each of the following facts: names,
 * values, numbers, places in a file. Sentences are not compared, so that they can be rewritten. */
#define CHECK_FAILS(call, code, ...)                                                                         \
    do {                                                                                                     \
        puad_status status_ = (call);                                                                        \
        if (status_ != (code))                                                                               \
            TEST_FAIL("%s returned %d, expected %d", #call, status_, code);                                  \
        else                                                                                                 \
            test_facts(__FILE__, __LINE__, (const char *const[]){"", ##__VA_ARGS__, NULL});                  \
    } while (0)

static inline void test_facts(const char *file, int line, const char *const *facts)
{
    const char *message = puad_last_error();
    if (!message[0]) test_failures++, printf("%s:%d: no message\n", file, line);
    for (; *facts; facts++)
        if (!strstr(message, *facts))
            test_failures++, printf("%s:%d: message \"%s\" lacks \"%s\"\n", file, line, message, *facts);
}

#define SKIP(reason)                                                                                         \
    do {                                                                                                     \
        test_skipped = (reason);                                                                             \
        return;                                                                                              \
    } while (0)

/* A folder for this program's files, removed at its end. */
static inline const char *test_folder(void)
{
    static char folder[64];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/puad-test-XXXXXX");
        if (!mkdtemp(folder)) abort();
    }
    return folder;
}

static inline const char *test_path(const char *name)
{
    static char paths[8][256];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder(), name);
    return path;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    for (test_case *test = test_first; test; test = test->next) {
        if (argc > 1 && !strstr(test->name, argv[1])) continue;
        test_failures = 0;
        test_skipped = NULL;
        test->body();
        if (test_failures) {
            failed++;
            printf("FAILED %s\n", test->name);
        } else if (test_skipped) {
            skipped++;
            printf("skipped %s: %s\n", test->name, test_skipped);
        } else {
            passed++;
        }
    }
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", test_folder());
    if (system(command) != 0) printf("cannot remove %s\n", test_folder());
    printf("%d passed, %d failed", passed, failed);
    if (skipped) printf(", %d skipped", skipped);
    printf("\n");
    if (failed || !(passed + skipped)) return 1;
    return skipped ? 77 : 0;
}

#endif
