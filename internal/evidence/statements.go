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
	annStatement     = "evidence_ann"
	lexicalStatement = "evidence_lexical"
	fetchStatement   = "evidence_fetch"
)

// statements are all that an answer runs. Limits are written out, for the planner
// takes a parameter for a tenth of the table.
var statements = []struct{ name, sql string }{
	{annStatement, fmt.Sprintf(`SELECT fragment, embedding <=> $1::svec
FROM evidence_vectors ORDER BY embedding <=> $1::svec LIMIT %d`, annRows)},

	{lexicalStatement, fmt.Sprintf(`SELECT fragment,
	coalesce(sum(impact) FILTER (WHERE NOT symbol), 0), coalesce(sum(impact) FILTER (WHERE symbol), 0)
FROM (SELECT unnest(p.fragments) AS fragment, unnest(p.impacts) * q.weight AS impact, q.symbol
	FROM unnest($1::text[], $2::real[], $3::bool[]) q(term, weight, symbol)
	JOIN evidence_postings p ON p.term = q.term AND p.part = 0) held
GROUP BY fragment ORDER BY sum(impact) DESC, fragment LIMIT %d`, lexicalRows)},

	{fetchStatement, fmt.Sprintf(`WITH rescued AS (
	SELECT e.target_id AS fragment,
		sum(s.weight * CASE e.relation_id WHEN 1 THEN 1.0 WHEN 2 THEN 0.4 WHEN 3 THEN 0.5 WHEN 4 THEN 0.2 ELSE 0.4 END) AS weight
	FROM sorted_heap_expand_ids('evidence_edges', $3::int4[]) e
	JOIN unnest($1::int4[], $2::real[]) s(fragment, weight) ON s.fragment = e.entity_id
	GROUP BY e.target_id ORDER BY 2 DESC, 1 LIMIT %d)
SELECT f.fragment, coalesce(r.weight, 0), f.file, f.start_line, f.end_line, f.symbol, f.kind, f.cut, f.head, f.lead, f.rarity,
	f.line_tokens, f.body
FROM (SELECT unnest($1::int4[]) AS fragment UNION SELECT fragment FROM rescued) w
JOIN evidence_fragments f USING (fragment) LEFT JOIN rescued r USING (fragment)`, rescueRows)},
}
