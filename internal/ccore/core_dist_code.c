/* Compiled here by cgo; see doc.go. */
#include "../../pgext/core/dist_code.c"
