/* The kernels built for the baseline of x86-64 (SSE2) and 64-bit ARM (NEON). */
#define ISA baseline
#define LANES 4
#define TILE 6
#include "kernels/body.inl"
