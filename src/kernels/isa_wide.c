/* The kernels built for the shapes of AVX-512 on an AVX2 machine: slower than avx2, there to test those
 * shapes anywhere. */
#if defined(__x86_64__)
#define ISA wide
#define LANES 16
#define TILE 12
#include "kernels/body.inl"
#endif
