/* Compiled here by cgo; see doc.go. */
#include "../../pgext/core/hnsw_keys.c"
