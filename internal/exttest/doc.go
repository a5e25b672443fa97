// Package exttest tests the extension sorted_heap from the outside, on servers
// of its own: what needs a client library, a restart, a crash or a second
// server. What plain SQL can show is tested under pgext/test.
package exttest
