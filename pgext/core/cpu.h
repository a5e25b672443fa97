/*
 * cpu.h
 *	  What this processor and this operating system let us execute.
 *
 * A feature counts only when both agree: the CPU must have the instructions
 * and the operating system must save the registers they use across a context
 * switch. A virtual machine or an old kernel may offer one without the other.
 */
#ifndef CPU_H
#define CPU_H

#include "core.h"

/* AVX2, FMA and F16C, with the YMM registers saved by the operating system. */
extern bool cpu_has_avx2(void);

/* AVX-512 F, BW, DQ and VL, with ZMM and mask registers saved; and AVX2. */
extern bool cpu_has_avx512(void);

/* The same, and AVX512-VNNI. */
extern bool cpu_has_avx512_vnni(void);

/* The dot product instructions of ARMv8.2. Every aarch64 CPU has the rest. */
extern bool cpu_has_neon_dotprod(void);

#endif							/* CPU_H */
