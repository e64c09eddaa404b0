/* The instruction set that the kernels use on this machine. */
#ifndef CLI_BENCH_INSTRUCTION_SET_H
#define CLI_BENCH_INSTRUCTION_SET_H

/* "avx512"; PUAD_ISA chooses another. */
const char *instruction_set_name(void);

#endif
