/*
 * check.h
 *	  A test case is a function; a check that fails marks the running case.
 *
 * One failed check prints one line with its place and values; a case prints at
 * most MAX_COMPLAINTS of them, so that a wrong kernel does not bury the rest.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>

#define MAX_COMPLAINTS 5

typedef struct CheckState
{
	int			passed;
	int			failed;
	int			complaints;		/* of the running case */
} CheckState;

extern CheckState check_state;	/* in test_main.c */

#define CHECK(condition, ...) \
	do \
	{ \
		if (!(condition) && check_state.complaints++ < MAX_COMPLAINTS) \
		{ \
			printf("  %s:%d: not true: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

#define RUN_CASE(function) check_run_case(#function, function)

extern void check_run_case(const char *name, void (*function) (void));

/* The cases of each file, in the order in which main calls them. */
extern void test_dispatch(void);
extern void test_kernels(void);
extern void test_dist(void);
extern void test_convert(void);
extern void test_code(void);
extern void test_topk(void);
extern void test_keysearch(void);
extern void test_hnsw_form(void);
extern void test_hnsw_walk(void);
extern void test_hnsw_graph(void);
extern void test_hnsw_image(void);
extern void test_sketch(void);
extern void test_sketch_walk(void);

/* Print the measured errors as a table instead of testing. */
extern void print_accuracy(void);

#endif							/* CHECK_H */
