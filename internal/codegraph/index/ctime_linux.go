package index

import (
	"io/fs"
	"syscall"
)

// changeTime is when anything of a file changed, in nanoseconds: its content, or
// who may read it. No program can set it back.
func changeTime(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctim.Nano()
	}
	return 0
}
