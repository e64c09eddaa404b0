/* Any bytes as the first sheet of a workbook and as its shared strings: members of a zip archive made
 * here, so that the fuzzer need not guess checksums. */
#include "fuzz_file.h"
#include "io/stream.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 700, ROOM = 1 << 20 };

static unsigned char archive[ROOM + 8192], directory[4096];
static size_t archive_used, directory_used, members;

static void put(unsigned char *to, size_t *used, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) to[(*used)++] = (unsigned char)(value >> (8 * i));
}

static void header(unsigned char *to, size_t *used, uint32_t sum, size_t size, size_t name)
{
    put(to, used, 0, 8); /* flags, method (stored), time */
    put(to, used, sum, 4);
    put(to, used, size, 4);
    put(to, used, size, 4);
    put(to, used, name, 2);
    put(to, used, 0, 2);
}

static void add(const char *name, const void *bytes, size_t size)
{
    size_t place = archive_used, length = strlen(name);
    uint32_t sum = (uint32_t)crc32(0, bytes, (uInt)size);
    put(archive, &archive_used, 0x04034b50, 4);
    put(archive, &archive_used, 20, 2);
    header(archive, &archive_used, sum, size, length);
    memcpy(archive + archive_used, name, length);
    archive_used += length;
    memcpy(archive + archive_used, bytes, size);
    archive_used += size;
    put(directory, &directory_used, 0x02014b50, 4);
    put(directory, &directory_used, 20 | 20 << 16, 4);
    header(directory, &directory_used, sum, size, length);
    put(directory, &directory_used, 0, 8);
    put(directory, &directory_used, 0, 2);
    put(directory, &directory_used, place, 4);
    memcpy(directory + directory_used, name, length);
    directory_used += length;
    members++;
}

static void finish(void)
{
    size_t place = archive_used;
    memcpy(archive + archive_used, directory, directory_used);
    archive_used += directory_used;
    put(archive, &archive_used, 0x06054b50, 4);
    put(archive, &archive_used, 0, 4);
    put(archive, &archive_used, members | members << 16, 4);
    put(archive, &archive_used, directory_used, 4);
    put(archive, &archive_used, place, 4);
    put(archive, &archive_used, 0, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char book[] = "<workbook><sheets><sheet name='a' r:id='r1'/></sheets></workbook>",
                      links[] = "<Relationships><Relationship Id='r1' Target='sheet.xml'/></Relationships>",
                      styles[] =
                          "<styleSheet><cellXfs><xf numFmtId='0'/><xf numFmtId='22'/></cellXfs></styleSheet>";
    if (size < 2 || size > ROOM) return 0;
    archive_used = directory_used = members = 0;
    size_t texts = bytes[0] * (size - 1) / 256; /* the first byte sets the size of the shared strings */
    add("[Content_Types].xml", "", 0);
    add("xl/workbook.xml", book, sizeof book - 1);
    add("xl/_rels/workbook.xml.rels", links, sizeof links - 1);
    add("xl/styles.xml", styles, sizeof styles - 1);
    add("xl/sharedStrings.xml", bytes + 1, texts);
    add("xl/sheet.xml", bytes + 1 + texts, size - 1 - texts);
    finish();
    fuzz_read_stream(archive, archive_used, PIECE);
    return 0;
}
