package embed

import "testing"

func TestTellsMeaning(t *testing.T) {
	hash, err := NewHash(Lexical, 8)
	if err != nil {
		t.Fatal(err)
	}
	cached, err := OpenCache(t.TempDir(), hash)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cached.Close(); err != nil {
			t.Error(err)
		}
	}()
	if TellsMeaning(hash) || TellsMeaning(cached) {
		t.Error("a hash tells what a text means")
	}
	if !TellsMeaning(struct{ Embedder }{hash}) {
		t.Error("an embedder that is no hash does not")
	}
}
