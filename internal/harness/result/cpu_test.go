package result

import "testing"

func TestCPUName(t *testing.T) {
	const arm = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n" +
		"CPU variant\t: 0x3\nCPU part\t: "
	for cpuinfo, want := range map[string]string{
		"processor\t: 0\nmodel name\t: A CPU @ 2GHz\n\nprocessor\t: 1\nmodel name\t: another\n": "A CPU @ 2GHz",
		arm + "0xd0c\nCPU revision\t: 1\n\nprocessor\t: 1\n":                                    "ARM Neoverse-N1 (implementer 0x41, part 0xd0c, variant 0x3)",
		arm + "0xfff\n": "implementer 0x41, part 0xfff, variant 0x3",
		"":              "unknown",
	} {
		if got := cpuName(cpuinfo); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
