/* Numbers through JSON and back. */
#include "base/json.h"
#include "base/rng.h"
#include "test.h"

TEST(doubles_come_back_bit_for_bit_printed_or_not)
{
    rng draw = rng_make(3, rng_stream("json test", 0));
    for (int i = 0; i < 20000; i++) {
        double value = rng_normal(&draw) * pow(10, (double)rng_below(&draw, 40) - 20), direct = 0,
               printed = 0;
        cJSON *object = cJSON_CreateObject();
        REQUIRE(json_add_double(object, "v", value));
        char *text = cJSON_PrintUnformatted(object);
        cJSON *again = cJSON_Parse(text);
        CHECK(json_get_double(&direct, object, "v") && direct == value);
        CHECK(json_get_double(&printed, again, "v") && printed == value);
        cJSON_Delete(object);
        cJSON_Delete(again);
        free(text);
    }
}

TEST(what_is_not_a_number_is_not_read_as_one)
{
    double value = 5;
    cJSON *object = cJSON_CreateObject();
    json_add_double(object, "nan", NAN);
    json_add_double(object, "inf", INFINITY);
    cJSON_AddStringToObject(object, "text", "1");
    CHECK(!json_get_double(&value, object, "nan"));
    CHECK(!json_get_double(&value, object, "inf"));
    CHECK(!json_get_double(&value, object, "text"));
    CHECK(!json_get_double(&value, object, "absent"));
    cJSON_Delete(object);
}

TEST(an_incomplete_object_cannot_be_printed)
{
    cJSON *object = cJSON_CreateObject(), *inner = cJSON_AddObjectToObject(object, "inner");
    char *text = json_text_of(object, false);
    CHECK_TEXT(text, "{\"inner\":{}}");
    free(text);
    CHECK(!cJSON_AddItemToObject(inner, "lost", NULL)); /* as when there was no memory for it */
    CHECK(json_text_of(object, false) == NULL);
    cJSON_Delete(object);
    CHECK(json_text_of(NULL, true) == NULL);
}

TEST(invalid_json_is_named)
{
    cJSON *object = NULL;
    CHECK_FAILS(json_parse(&object, "{\"a\":", "recipe"), PUAD_FORMAT, "'recipe'", "JSON");
    CHECK_OK(json_parse(&object, "{\"a\":1}", "recipe"));
    cJSON_Delete(object);
}

TEST(printed_json_is_valid_utf8)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", "caf\xe9");
    char *text = json_text_of(object, false);
    CHECK_TEXT(text, "{\"name\":\"caf\xef\xbf\xbd\"}");
    free(text);
    cJSON_Delete(object);
}
