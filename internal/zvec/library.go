package zvec

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include "api.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// ErrNoLibrary says that the library is not there or is not what it must be.
var ErrNoLibrary = errors.New("zvec library not usable")

// Library is the loaded library.
type Library struct {
	api *C.zv_api
}

// Load loads the library from a path, or, where that has no slash, from where
// the system looks for libraries. Warnings of the library go to files in logDir
// when this process loads it for the first time, later values have no effect.
// The error is ErrNoLibrary when there is no such library, or none with the
// functions that this package needs.
func Load(path, logDir string) (*Library, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoLibrary, C.GoString(C.dlerror()))
	}
	var missing *C.char
	api := C.zv_bind(handle, &missing)
	if api == nil {
		return nil, fmt.Errorf("%w: %s has no %s", ErrNoLibrary, path, C.GoString(missing))
	}
	dir := C.CString(logDir)
	defer C.free(unsafe.Pointer(dir))
	lib := &Library{api: api}
	err := call("load zvec", func(text *C.char) C.int { return C.zv_initialize(api, dir, text) })
	if err != nil {
		return nil, err
	}
	return lib, nil
}

// Version is what the library calls itself.
func (l *Library) Version() string { return C.GoString(C.zv_version(l.api)) }

// call runs a function of the C side and turns its code into an error.
func call(doing string, f func(text *C.char) C.int) error {
	var text [C.ZV_ERROR_SIZE]C.char
	if f(&text[0]) != 0 {
		return fmt.Errorf("%s: %s", doing, C.GoString(&text[0]))
	}
	return nil
}
