// Package corpus generates and loads the fact graphs that the scenarios query.
//
// A corpus is a pure function of its options: the same options give the same
// rows and queries, bit for bit, on every machine.
package corpus

// Fact is one edge of a fact graph: entity -relation-> target, with the text
// that states it and the text's embedding.
type Fact struct {
	Entity    int32
	Relation  int16
	Target    int32
	Embedding []float32 // Dim components, rounded to six decimals
	Payload   string
}

// Query is one question put to a fact graph.
type Query struct {
	Text      string
	Embedding []float32 // Dim components, rounded to six decimals
	Hop1      int16     // relation filter of the first hop
	Hop2      int16     // relation filter of the second hop; 0 for one-hop corpora
	Answer    int32     // target id of the right final fact; 0 when there is no answer key
}

// Facts is a loaded or generated fact graph with its queries.
type Facts struct {
	Name    string
	Dim     int
	Rows    []Fact         // in generator order
	Queries []Query        //
	Params  map[string]any // the options that produced it, for the result file
}
