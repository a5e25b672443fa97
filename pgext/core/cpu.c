/*
 * cpu.c
 *	  Probe CPU features and the operating system's register state.
 *
 * __builtin_cpu_supports would do on x86, but its answer for the operating
 * system's part differs between compilers and their run-time libraries; three
 * instructions of our own do not. On aarch64 the operating system alone can
 * tell. Nothing is remembered here: dist.c asks once.
 */
#include "cpu.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* CPUID leaf 1, ECX */
#define CPUID_1_ECX_FMA			(1u << 12)
#define CPUID_1_ECX_OSXSAVE		(1u << 27)
#define CPUID_1_ECX_AVX			(1u << 28)
#define CPUID_1_ECX_F16C		(1u << 29)

/* CPUID leaf 7 subleaf 0, EBX */
#define CPUID_7_EBX_AVX2		(1u << 5)
#define CPUID_7_EBX_AVX512F		(1u << 16)
#define CPUID_7_EBX_AVX512DQ	(1u << 17)
#define CPUID_7_EBX_AVX512BW	(1u << 30)
#define CPUID_7_EBX_AVX512VL	(1u << 31)

/* CPUID leaf 7 subleaf 0, ECX */
#define CPUID_7_ECX_AVX512VNNI	(1u << 11)

/* XCR0: the operating system saves XMM and the upper halves of YMM */
#define XCR0_XMM_YMM			0x6u
/* and mask registers, the upper halves of ZMM, the upper sixteen ZMM */
#define XCR0_XMM_YMM_ZMM		0xE6u

/* Read XCR0. Faults unless CPUID reports OSXSAVE. */
static uint32_t
read_xcr0(void)
{
	uint32_t	low;
	uint32_t	high;

	__asm__ volatile ("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* Are all these bits of leaf 1 and leaf 7 set, and this state saved? */
static bool
has_all(unsigned int leaf1_ecx, unsigned int leaf7_ebx, unsigned int leaf7_ecx,
		uint32_t xcr0)
{
	unsigned int eax;
	unsigned int ebx;
	unsigned int ecx;
	unsigned int edx;

	leaf1_ecx |= CPUID_1_ECX_OSXSAVE;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & leaf1_ecx) != leaf1_ecx)
		return false;
	if ((read_xcr0() & xcr0) != xcr0)
		return false;
	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
		(ebx & leaf7_ebx) == leaf7_ebx && (ecx & leaf7_ecx) == leaf7_ecx;
}

#define LEAF1_AVX2		(CPUID_1_ECX_FMA | CPUID_1_ECX_AVX | CPUID_1_ECX_F16C)
#define LEAF7_AVX512	(CPUID_7_EBX_AVX2 | CPUID_7_EBX_AVX512F | \
						 CPUID_7_EBX_AVX512DQ | CPUID_7_EBX_AVX512BW | \
						 CPUID_7_EBX_AVX512VL)

bool
cpu_has_avx2(void)
{
	return has_all(LEAF1_AVX2, CPUID_7_EBX_AVX2, 0, XCR0_XMM_YMM);
}

bool
cpu_has_avx512(void)
{
	return has_all(LEAF1_AVX2, LEAF7_AVX512, 0, XCR0_XMM_YMM_ZMM);
}

bool
cpu_has_avx512_vnni(void)
{
	return has_all(LEAF1_AVX2, LEAF7_AVX512, CPUID_7_ECX_AVX512VNNI, XCR0_XMM_YMM_ZMM);
}

bool
cpu_has_neon_dotprod(void)
{
	return false;
}

#else							/* !__x86_64__ */

bool
cpu_has_avx2(void)
{
	return false;
}

bool
cpu_has_avx512(void)
{
	return false;
}

bool
cpu_has_avx512_vnni(void)
{
	return false;
}

#if defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

#define HWCAP_DOTPROD	(1ul << 20)

bool
cpu_has_neon_dotprod(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_DOTPROD) != 0;
}

#else

/* Apple's and others' compilers promise what their targets all have. */
bool
cpu_has_neon_dotprod(void)
{
#if defined(__ARM_FEATURE_DOTPROD)
	return true;
#else
	return false;
#endif
}

#endif							/* __aarch64__ && __linux__ */

#endif							/* __x86_64__ */
