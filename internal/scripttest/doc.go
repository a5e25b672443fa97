// Package scripttest has the tests of programs in scripts/ that need a partner: a
// shell has no good way to kill one of two processes at the right moment.
package scripttest
