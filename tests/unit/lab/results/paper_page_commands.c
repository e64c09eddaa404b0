/* The commands on a report's page can be copied into a shell, whatever the ledger says. */
#include "lab/results/paper_page_groups.h"

#include "test.h"

TEST(values_of_a_manipulated_ledger_are_quoted_for_the_shell)
{
    AUTO_ARENA arena memory = {0};
    lab_record record = {lab_cell_standard(), lab_result_unknown()};
    const char *text = NULL;
    record.cell.dataset = "mnist$(touch x)";
    record.cell.method = "pusvdd";
    record.cell.normal = "1`touch y`";
    record.cell.epochs = 10;
    CHECK_OK(report_commands(&text, &memory, &record, 1, "lab.db"));
    CHECK(strstr(text, "--datasets 'mnist$(touch x)'"));
    CHECK(strstr(text, "'1`touch y`'"));
    record.cell.dataset = "mnist";
    record.cell.unseen = "3 & touch z";
    CHECK_OK(report_commands(&text, &memory, &record, 1, "lab.db"));
    CHECK(strstr(text, "unseen='3 & touch z'"));
}
