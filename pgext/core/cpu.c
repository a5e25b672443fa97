/*
 * cpu.c
 *	  Probe CPU features and the operating system's register state.
 *
 * __builtin_cpu_supports would do on x86, but its answer for the operating
 * system's part differs between compilers and their run-time libraries; three
 * instructions of our own do not. Nothing is remembered here: dist.c asks once.
 */
#include "cpu.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* CPUID leaf 1, ECX */
#define CPUID_1_ECX_FMA			(1u << 12)
#define CPUID_1_ECX_OSXSAVE		(1u << 27)
#define CPUID_1_ECX_AVX			(1u << 28)

/* CPUID leaf 7 subleaf 0, EBX */
#define CPUID_7_EBX_AVX2		(1u << 5)

/* XCR0: the operating system saves XMM and the upper halves of YMM */
#define XCR0_XMM_YMM			0x6u

/* Read XCR0. Faults unless CPUID reports OSXSAVE. */
static uint32_t
read_xcr0(void)
{
	uint32_t	low;
	uint32_t	high;

	__asm__ volatile ("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

bool
cpu_has_avx2_fma(void)
{
	const unsigned int need = CPUID_1_ECX_FMA | CPUID_1_ECX_OSXSAVE |
		CPUID_1_ECX_AVX;
	unsigned int eax;
	unsigned int ebx;
	unsigned int ecx;
	unsigned int edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & need) != need)
		return false;
	if ((read_xcr0() & XCR0_XMM_YMM) != XCR0_XMM_YMM)
		return false;
	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
		(ebx & CPUID_7_EBX_AVX2) != 0;
}

#else							/* !__x86_64__ */

bool
cpu_has_avx2_fma(void)
{
	return false;
}

#endif							/* __x86_64__ */
