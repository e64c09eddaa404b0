/* The kernels with the shapes of AVX-512, built for AVX2: slower than avx2, but tests of those shapes run
 * on any machine. */
#if defined(__x86_64__)
#define ISA wide
#define LANES 16
#define TILE 12
#include "kernels/body.inl"
#endif
