/* The kernels built for AVX2 with fused multiply-add. */
#if defined(__x86_64__)
#define ISA avx2
#define LANES 8
#define TILE 6
#include "kernels/body.inl"
#endif
