package plain_test

import (
	"strings"
	"testing"

	"sortedheap/internal/codegraph/query/plain"
)

func TestField(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"ordinary", "Größe.php", "Größe.php"},
		{"escape sequence", "a\x1b[31mred\x07", "a[31mred"},
		{"eight-bit control", "a\u009b31mb", "a31mb"},
		{"lines", "a\nNODE fake\r\tb", "aNODE fakeb"},
		{"direction of writing", "a\u202egnp.exe", "agnp.exe"},
		{"line separators", "a\u2028b\u2029c", "abc"},
		{"not UTF-8", "a\xff\xfeb", "ab"},
		{"long", strings.Repeat("é", 300), strings.Repeat("é", 256)},
		{"as long as may be", strings.Repeat("é", 256), strings.Repeat("é", 256)},
	} {
		if got := plain.Field(c.text); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.text, got, c.want)
		}
	}
	if got := plain.Lines("a\x1b\n\tb\r"); got != "a\n\tb" {
		t.Errorf("lines give %q", got)
	}
}
