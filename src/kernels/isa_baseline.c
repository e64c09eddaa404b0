/* The kernels built for what every x86-64 (SSE2) or 64-bit ARM (NEON) has. */
#define ISA baseline
#define LANES 4
#define TILE 6
#include "kernels/body.inl"
