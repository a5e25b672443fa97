package index

import "testing"

func TestCorpusName(t *testing.T) {
	for _, c := range []struct{ root, module, want string }{
		{"/src/v5@v5.13.0", "github.com/jackc/pgx/v5", "pgx/v5"},
		{"/src/pgx", "example.org/pgx", "pgx"},
		{"/src/ninja", "", "ninja"},
		{"/src/v", "v", "v"},
		{"/src/v2", "v2", "v2"},
	} {
		if got := corpusName(c.root, c.module); got != c.want {
			t.Errorf("%s of module %q is called %q, want %q", c.root, c.module, got, c.want)
		}
	}
}
