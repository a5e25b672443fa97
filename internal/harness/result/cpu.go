package result

import (
	"fmt"
	"strings"
)

// cpuName is the processor in /proc/cpuinfo: its model name, or what an ARM64
// kernel has instead, the numbers of its maker and design.
func cpuName(cpuinfo string) string {
	fields := map[string]string{}
	for line := range strings.Lines(cpuinfo) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			break // an empty line ends the first processor
		}
		fields[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if name := fields["model name"]; name != "" {
		return name
	}
	maker, part := fields["CPU implementer"], fields["CPU part"]
	if maker == "" || part == "" {
		return "unknown"
	}
	numbers := fmt.Sprintf("implementer %s, part %s, variant %s", maker, part, fields["CPU variant"])
	if name := armDesign(maker, part); name != "" {
		return name + " (" + numbers + ")"
	}
	return numbers
}

// armDesign names the server designs that clouds offer; "" for others.
func armDesign(maker, part string) string {
	return map[string]string{
		"0x41/0xd0c": "ARM Neoverse-N1",
		"0x41/0xd40": "ARM Neoverse-V1",
		"0x41/0xd49": "ARM Neoverse-N2",
		"0x41/0xd4f": "ARM Neoverse-V2",
		"0x41/0xd08": "ARM Cortex-A72",
		"0xc0/0xac3": "Ampere-1",
		"0xc0/0xac4": "Ampere-1a",
	}[maker+"/"+part]
}
