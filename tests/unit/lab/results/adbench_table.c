/* Published results alongside a table by label fraction: reading their file, and rejecting invalid ones. */
#include "lab/results/adbench_table.h"

#include "base/file.h"
#include "test.h"

#define HEADER "table,metric,labeled_anomaly_pct,dataset,model,value\n"

static const char *write_text(const char *text)
{
    const char *path = test_path("published.csv");
    if (file_write(path, text, strlen(text)) != PUAD_OK) abort();
    return path;
}

TEST(published_figures_are_read)
{
    AUTO_ARENA arena memory = {0};
    published_table found;
    CHECK_OK(published_read(&found, &memory,
                            write_text(HEADER "D1,AUCROC,1.0,cardio,XGBOD,91.25\nD2,AUCPR,5,fault,REPEN,N/A\n"
                                              "D3,AUCPR,100,\"a, b\",REPEN,0\n")));
    CHECK_INT(found.count, 2);
    CHECK_TEXT(found.rows[0].dataset, "cardio");
    CHECK_NEAR(found.rows[0].percent, 1, 0);
    CHECK_NEAR(found.rows[0].value, 0.9125, 1e-12);
    CHECK(found.rows[0].auroc && !found.rows[1].auroc);
    CHECK_TEXT(found.rows[1].dataset, "a, b");
}

TEST(a_value_that_is_not_a_percentage_is_rejected_with_its_line)
{
    static const char *const wrong[] = {"nan,cardio,XGBOD,91", "inf,cardio,XGBOD,91", "-1,cardio,XGBOD,91",
                                        "170,cardio,XGBOD,91", ",cardio,XGBOD,91",    "1,cardio,XGBOD,101",
                                        "1,cardio,XGBOD,nan",  "1,cardio,XGBOD,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        AUTO_ARENA arena memory = {0};
        published_table found;
        char text[200];
        snprintf(text, sizeof text, HEADER "D,AUCROC,1,fault,XGBOD,50\nD,AUCROC,%s\n", wrong[i]);
        CHECK_FAILS(published_read(&found, &memory, write_text(text)), PUAD_FORMAT, "published.csv:3");
    }
}

TEST(very_many_models_are_refused_at_once)
{
    enum { MODELS = 200000 };
    AUTO_ARENA arena memory = {0};
    published_table found;
    grid made;
    lab_record record = {lab_cell_standard(), lab_result_unknown()};
    FILE *to = fopen(test_path("models.csv"), "w");
    REQUIRE(to != NULL);
    fputs(HEADER, to);
    for (int i = 0; i < MODELS; i++) fprintf(to, "D,AUCROC,1,cardio,model%d,50\n", i);
    fclose(to);
    record.cell.dataset = "cardio@00000000";
    record.cell.method = "if";
    record.cell.protocol = "adbench";
    record.cell.share = 0.01;
    record.result.auroc = record.result.auprc = 0.5;
    CHECK_OK(published_read(&found, &memory, test_path("models.csv")));
    CHECK_INT(found.count, MODELS);
    CHECK_FAILS(few_labels_grid(&made, &memory, &record, 1, &(record_query){0}, &found), PUAD_INVALID,
                "1000");
    found.count = 1000;
    CHECK_OK(few_labels_grid(&made, &memory, &record, 1, &(record_query){0}, &found));
}
