package result

import (
	"bufio"
	"cmp"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine fills the part of an environment that needs no server. What the
// system does not tell is "unknown". stamped is the commit that the build was
// given; empty: what the Go tool stamped.
func Machine(stamped string) Env {
	memoryKB, _, _ := strings.Cut(field("/proc/meminfo", "MemTotal"), " ")
	kb, err := strconv.ParseInt(memoryKB, 10, 64)
	if err != nil {
		kb = 0
	}
	load, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	load1, err := strconv.ParseFloat(load, 64)
	if err != nil {
		load1 = 0
	}
	return Env{
		Commit: known(cmp.Or(stamped, commit())), GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Kernel: known(firstLine("/proc/sys/kernel/osrelease")), CPU: cpuName(content("/proc/cpuinfo")),
		Cores: runtime.NumCPU(), MemoryMB: kb / 1024, Load1: load1,
	}
}

// commit is what the Go tool stamped into the binary; a trailing + marks
// changes that were not committed.
func commit() string {
	revision, dirty := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+"
			}
		}
	}
	return revision + dirty
}

func known(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// field returns the value of the first "name : value" line of a file.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func firstLine(path string) string {
	line, _, _ := strings.Cut(content(path), "\n")
	return line
}

// content is "" for a file that cannot be read.
func content(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
