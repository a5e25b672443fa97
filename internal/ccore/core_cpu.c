/* Compiled here by cgo; see doc.go. */
#include "../../pgext/core/cpu.c"
