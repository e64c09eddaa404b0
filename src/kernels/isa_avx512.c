/* The kernels built for AVX-512. */
#if defined(__x86_64__)
#define ISA avx512
#define LANES 16
#define TILE 12
#include "kernels/body.inl"
#endif
