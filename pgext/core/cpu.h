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

/* AVX2 and FMA, with the YMM registers saved by the operating system. */
extern bool cpu_has_avx2_fma(void);

#endif							/* CPU_H */
