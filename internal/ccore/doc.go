// Package ccore binds the C core of the extension (pgext/core), so that Go
// computes distances with the very kernels that the server uses.
//
// It serves three ends: exact nearest neighbours as ground truth for approximate
// searches, graphs of nearest neighbours as the server builds and walks them,
// and a fuzz test of every kernel against float64.
//
// cgo compiles the C sources from their place in the tree through the one-line
// files core_*.c: there is no second copy and no library to install. The go
// command does not watch files outside of a package's folder, so after a change
// in pgext/core a cached build is stale. A build that must not be sets the
// sources' checksum in CGO_CFLAGS, which is part of the cache key:
//
//	CGO_CFLAGS="-O2 -g -DCORE_SUM=$(cat pgext/core/*.[ch] | cksum | cut -d' ' -f1)" go test ./internal/ccore
package ccore
