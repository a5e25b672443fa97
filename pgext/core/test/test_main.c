/*
 * test_main.c
 *	  Run all cases of the core; `first` ends with the first one that fails,
 *	  `accuracy` prints the table of the README.
 *
 * Dispatch comes first: it must see a process in which nothing has asked for
 * kernels yet.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

CheckState	check_state;

static bool end_with_first;

void
check_run_case(const char *name, void (*function) (void))
{
	check_state.complaints = 0;
	function();
	if (check_state.complaints == 0)
		check_state.passed++;
	else
	{
		check_state.failed++;
		printf("FAILED %s: %d checks\n", name, check_state.complaints);
		if (end_with_first)
			exit(1);
	}
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "accuracy") == 0)
	{
		print_accuracy();
		return 0;
	}
	end_with_first = argc == 2 && strcmp(argv[1], "first") == 0;
	test_dispatch();
	test_kernels();
	test_dist();
	test_convert();
	test_code();
	test_topk();
	test_keysearch();
	test_hnsw_form();
	test_hnsw_walk();
	test_hnsw_graph();
	test_hnsw_image();
	test_sketch();
	test_sketch_walk();
	printf("%d passed, %d failed\n", check_state.passed, check_state.failed);
	return check_state.failed == 0 ? 0 : 1;
}
