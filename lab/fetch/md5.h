/* MD5 (RFC 1321), the digest that dataset authors publish. It detects corruption, not tampering. */
#ifndef LAB_FETCH_MD5_H
#define LAB_FETCH_MD5_H

#include <stddef.h>
#include <stdint.h>

typedef struct md5 {
    uint32_t state[4];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
} md5;

md5 md5_begin(void);
void md5_add(md5 *sum, const void *bytes, size_t size);
void md5_end(char out[33], md5 *sum); /* as a hexadecimal string */

#endif
