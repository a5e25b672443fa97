package evidence

// weights are the numbers by which candidates are ranked and lines chosen. They
// were found on the development halves of the question files.
type weights struct {
	// Reciprocal rank fusion: each list in which a fragment stands adds its
	// weight, less the lower it stands: half at rank damping + 2.
	damping               float64
	symbol, terms, vector float64
	// alone is what the vector's list weighs for a question without a symbol.
	alone float64
	// meaning is what the list by terms of near fragments weighs, where there is one.
	meaning float64
	// reference is what the best reference of a seed adds; blind the share of it
	// that a fragment without a word of the question gets.
	reference, blind float64
	// cite is the share of a score that goes on to the candidates that a fragment
	// names, all together; citeBlind as blind.
	cite, citeBlind float64
	// What remains of the score of a test, of a type, of lines that define nothing,
	// and of a fragment whose name a better one has.
	test, typ, notes, again float64
	// part is how far a part of a function comes up to the best part of it.
	part float64
	// wholeShare of the budget goes to whole fragments, of which none may take more
	// than wholeLargest; then lines are chosen one by one.
	wholeShare, wholeLargest float64
	// What a line shows is worth 1 for a rare word of the question; for a name
	// that it asks for, for one that is defined in a candidate, and for any other
	// name. seenAgain is what remains of that the second time.
	asked, defined, other, seenAgain float64
	// Powers of a fragment's score and of a line's cost in tokens.
	scorePower, costPower float64
}

func defaultWeights() weights {
	return weights{
		damping: 18.5, symbol: 2.25, terms: 1.5, vector: 0.5, alone: 1, meaning: 1.5,
		reference: 2.25, blind: 0.75, cite: 0.75, citeBlind: 0.25,
		test: 0.35, typ: 0.4, notes: 0.5, again: 0.3, part: 0.6,
		wholeShare: 0.33, wholeLargest: 0.2,
		asked: 1, defined: 0.6, other: 0.75, seenAgain: 0.2,
		scorePower: 0.67, costPower: 0.5,
	}
}
