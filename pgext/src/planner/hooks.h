/*
 * hooks.h
 *	  Installs the planner hooks, once, from _PG_init.
 */
#ifndef PLANNER_HOOKS_H
#define PLANNER_HOOKS_H

extern void planner_hooks_init(void);

#endif							/* PLANNER_HOOKS_H */
