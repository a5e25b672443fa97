package embed

// TellsMeaning reports whether an embedder's vectors tell what texts mean. Those of
// hashes tell how they are spelled.
func TellsMeaning(e Embedder) bool {
	switch e := e.(type) {
	case *Hash:
		return false
	case *Cached:
		return TellsMeaning(e.Embedder)
	}
	return true
}
