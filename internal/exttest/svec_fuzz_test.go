package exttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sortedheap/internal/pgtest"
)

// Texts near the border of what a vector may be; what is tried is made of them.
var vectorTexts = []string{
	"[1,2,3]", " [ 1 , -2.5 ,3e4 ] ", "[]", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1];", "[1]x",
	"[nan]", "[NaN,1]", "[inf]", "[-Infinity]", "[1e39]", "[-1e39]", "[1e-50]", "[4e38,1]", "[65504]", "[65520]", "[6e-8]",
	"[0x1p3]", "[1e]", "[1e+]", "[--1]", "[+1]", "[.5]", "[5.]", "[.]", "[0]", "[-0]", "[\x7f]", "[\u00e9]", "{1,2}", "(1,2)", "", " ",
	"[" + strings.Repeat("1,", 15999) + "1]", "[" + strings.Repeat("1,", 16000) + "1]",
	"[" + strings.Repeat("9", 4000) + "]", "[0." + strings.Repeat("0", 4000) + "1]", strings.Repeat("[", 5000),
}

// Classes of errors that bad input may end in: of data, of a limit, of a value out
// of range, and of text that is not in the server's encoding.
var inputErrors = []string{"22", "54"}

// tryVectorText reads a text as a vector of each type, and where it is one, tries all
// operators and functions of the type on it. The session must live on.
func tryVectorText(t *testing.T, conn *pgx.Conn, text string) {
	t.Helper()
	for _, kind := range []string{"svec", "hsvec"} {
		var again string
		err := conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT $1::text::%s::text`, kind), text).Scan(&again)
		if err != nil {
			state := sqlState(err)
			if len(state) != 5 || !strings.Contains(strings.Join(inputErrors, " "), state[:2]) {
				t.Fatalf("%.80q as %s: %v", text, kind, err)
			}
			continue
		}
		var same bool
		if err := conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT $1::text::%[1]s = $2::text::%[1]s`, kind), text, again).Scan(&same); err != nil || !same {
			t.Fatalf("%.80q as %s is written as %.80q: %v", text, kind, again, err)
		}
		var ignored [9]string
		err = conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT (a <-> b)::text, (a <=> b)::text, (a <#> b)::text, (a <+> b)::text,
				(a < b)::text, (a = b)::text, length((a || b)::text)::text, length((a + b)::text)::text, length((a - b)::text)::text
			FROM (SELECT $1::text::%[1]s AS a, $2::text::%[1]s AS b) s`, kind), text, again).Scan(
			&ignored[0], &ignored[1], &ignored[2], &ignored[3], &ignored[4], &ignored[5], &ignored[6], &ignored[7], &ignored[8])
		if err != nil && sqlState(err)[:2] != "22" && sqlState(err)[:2] != "54" {
			t.Fatalf("operators of %s on %.80q: %v", kind, text, err)
		}
	}
}

// mutated is a text made of others: cut, joined, with characters changed.
func mutated(random *rand.Rand, texts []string) string {
	const letters = "[]{}(),.+-eE0123456789xnaif \t\n\"'\\;\u00e9\x7f"
	runes := []rune(texts[random.IntN(len(texts))])
	for range 1 + random.IntN(4) {
		at := random.IntN(len(runes) + 1)
		switch random.IntN(4) {
		case 0:
			runes = append(runes[:at:at], runes[min(at+1+random.IntN(3), len(runes)):]...)
		case 1:
			runes = append(runes[:at:at], append([]rune{[]rune(letters)[random.IntN(len([]rune(letters)))]}, runes[at:]...)...)
		case 2:
			other := []rune(texts[random.IntN(len(texts))])
			runes = append(runes[:at:at], other[random.IntN(len(other)+1):]...)
		case 3:
			if at < len(runes) {
				runes[at] = []rune(letters)[random.IntN(len([]rune(letters)))]
			}
		}
	}
	return string(runes)
}

// No text crashes a vector type: it is a vector, which is read again as it was
// written and which all operators take, or an error of the input.
func TestVectorTextNeverCrashes(t *testing.T) {
	c := pgtest.Start(t)
	conn := pgtest.Connect(t, c, "postgres")
	random := rand.New(rand.NewPCG(1, 2))
	var short []string
	for _, text := range vectorTexts {
		tryVectorText(t, conn, text)
		if len(text) < 100 {
			short = append(short, text)
		}
	}
	for range 1000 {
		tryVectorText(t, conn, mutated(random, short))
	}
}

// FuzzVectorText is the same for `go test -fuzz`.
func FuzzVectorText(f *testing.F) {
	c := pgtest.Start(f)
	conn := pgtest.Connect(f, c, "postgres")
	for _, text := range vectorTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { tryVectorText(t, conn, text) })
}
