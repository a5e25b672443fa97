package evidence

import "fmt"

// How much each stage takes.
const (
	annRows     = 48 // fragments near the question's vector
	lexicalRows = 64 // fragments by terms
	fetchRows   = 36 // seeds whose rows are fetched
	rescueSeeds = 12 // seeds whose references are followed
	rescueRows  = 40 // fragments found that way
)

// Names of the prepared statements.
const (
	annStatement   = "evidence_ann"
	listsStatement = "evidence_lists"
	bestStatement  = "evidence_best"
	restStatement  = "evidence_rest"
)

// statements are all that an answer runs, and each is a scan of a key and nothing
// more: sums over a few hundred rows cost the server many times what reading them
// does, and the client next to nothing. Limits are written out, for the planner
// takes a parameter for a tenth of the table.
var statements = []struct{ name, sql string }{
	{annStatement, fmt.Sprintf(`SELECT fragment, embedding <=> $1::svec
FROM evidence_vectors ORDER BY embedding <=> $1::svec LIMIT %d`, annRows)},

	{listsStatement, `SELECT term, postings FROM evidence_postings WHERE term = ANY ($1::text[]) AND part = 0`},

	{bestStatement, `SELECT ` + fragmentColumns + `, refs FROM evidence_fragments WHERE fragment = ANY ($1::int4[])`},

	{restStatement, `SELECT ` + fragmentColumns + ` FROM evidence_fragments WHERE fragment = ANY ($1::int4[])`},
}

const fragmentColumns = "fragment, file, symbol, kind, head, figures, body"
