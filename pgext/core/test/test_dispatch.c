/*
 * test_dispatch.c
 *	  Which kernels are chosen, once, whoever asks first.
 *
 * The choice lasts for a process, so each case asks in a child of its own.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "../cpu.h"
#include "../dist.h"

#define THREADS 8

/* Does a fresh process with SORTED_HEAP_ISA = setting choose `isa`? */
static bool
child_chooses(const char *setting, const char *isa)
{
	int			status = 1;
	pid_t		child = fork();

	if (child == 0)
	{
		if (setting == NULL)
			unsetenv("SORTED_HEAP_ISA");
		else
			setenv("SORTED_HEAP_ISA", setting, 1);
		_exit(strcmp(dist_kernels()->isa, isa) == 0 ? 0 : 1);
	}
	return child > 0 && waitpid(child, &status, 0) == child &&
		WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The compiler's run-time library probes by code of its own. */
static void
probe_agrees_with_compiler(void)
{
#if defined(__x86_64__)
	bool		avx512;

	__builtin_cpu_init();
	CHECK(cpu_has_avx2() == (__builtin_cpu_supports("avx2") &&
							 __builtin_cpu_supports("fma")), "AVX2 and FMA");
	avx512 = cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl");
	CHECK(cpu_has_avx512() == avx512, "AVX-512");
	CHECK(cpu_has_avx512_vnni() == (avx512 && __builtin_cpu_supports("avx512vnni")),
		  "AVX512-VNNI");
	CHECK(!cpu_has_neon_dotprod(), "not this architecture");
#else
	CHECK(!cpu_has_avx2(), "not this architecture");
	CHECK(!cpu_has_avx512(), "not this architecture");
	CHECK(!cpu_has_avx512_vnni(), "not this architecture");
#endif
}

static bool
can_run(const char *isa)
{
#if defined(__x86_64__)
	if (strcmp(isa, "avx512vnni") == 0)
		return cpu_has_avx512_vnni();
	if (strcmp(isa, "avx512") == 0)
		return cpu_has_avx512();
	if (strcmp(isa, "avx2") == 0)
		return cpu_has_avx2();
#elif defined(__aarch64__)
	if (strcmp(isa, "neondot") == 0)
		return cpu_has_neon_dotprod();
	if (strcmp(isa, "neon") == 0)
		return true;
#endif
	return strcmp(isa, "scalar") == 0;
}

static void
environment_limits_choice(void)
{
	const char *best = NULL;

	for (int i = 0; dist_isa_names[i] != NULL; i++)
	{
		const char *isa = dist_isa_names[i];

		if (best == NULL && can_run(isa))
			best = isa;
		CHECK(child_chooses(isa, can_run(isa) ? isa : "scalar"), "%s", isa);
	}
	CHECK(child_chooses(NULL, best), "unset, %s", best);
	CHECK(child_chooses("", best), "empty, %s", best);
	CHECK(child_chooses("AVX2", "scalar"), "a name that no table has");
}

static void *
ask_for_kernels(void *result)
{
	*(const DistKernels **) result = dist_kernels();
	return NULL;
}

static void
first_callers_agree(void)
{
	const DistKernels *seen[THREADS] = {NULL};
	pthread_t	threads[THREADS];
	int			started = 0;

	while (started < THREADS &&
		   pthread_create(&threads[started], NULL, ask_for_kernels,
						  &seen[started]) == 0)
		started++;
	CHECK(started == THREADS, "only %d threads", started);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < started; i++)
		CHECK(seen[i] == dist_kernels(), "thread %d", i);
}

static void
tables_carry_their_names(void)
{
	CHECK(dist_kernels_isa("") == NULL, "empty name");
	CHECK(dist_kernels_isa("sse9") == NULL, "no such set");
	for (int i = 0; dist_isa_names[i] != NULL; i++)
	{
		const char *isa = dist_isa_names[i];
		const DistKernels *k = dist_kernels_isa(isa);

		CHECK((k != NULL) == can_run(isa), "%s", isa);
		CHECK(k == NULL || strcmp(k->isa, isa) == 0, "%s", isa);
	}
}

void
test_dispatch(void)
{
	RUN_CASE(probe_agrees_with_compiler);
	RUN_CASE(environment_limits_choice);
	RUN_CASE(first_callers_agree);
	RUN_CASE(tables_carry_their_names);
}
