package childproc

import (
	"fmt"
	"os"
	"strings"
)

// StartOf is when a process started, in clock ticks since the machine did; "" when
// there is no such process. With it a pid names one process for ever.
func StartOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name in parentheses may hold blanks and parentheses.
	at := strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[at+1:]))
	const startTime = 19 // field 22 of proc(5), counted from the state
	if len(fields) <= startTime || fields[0] == "Z" {
		return ""
	}
	return fields[startTime]
}
