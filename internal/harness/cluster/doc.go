// Package cluster starts, crashes and removes throw-away PostgreSQL servers.
//
// A cluster is one directory with a data directory, a unix socket and a log; it
// never listens on TCP and trusts its socket. The postmaster is a direct child
// of this process and gets an immediate shutdown from the kernel when this
// process dies in any way, so nothing is left running after a panic. Only
// processes that a Cluster started are ever signalled.
//
// PostgreSQL refuses to run as root: under root, every server program runs as
// Config.OSUser, which must exist.
package cluster
