package evidence

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// TextSearch finds fragments by PostgreSQL's own full-text search: a tsvector of each
// fragment's terms with a GIN index, ranked by ts_rank. It is what the lists of an
// index are measured against, and answers do without it. Terms are the same ones as in
// the lists; a field of BM25F is a weight of ts_rank, of which there are four.
type TextSearch struct {
	conn  *pgx.Conn
	stems stems
}

const (
	textTable     = "evidence_text"
	textStatement = "evidence_text_best"
)

// textSQL gets a parsed query, and parses none itself.
var textSQL = fmt.Sprintf(`SELECT fragment, ts_rank(lexemes, $1::tsquery) FROM %s
WHERE lexemes @@ $1::tsquery ORDER BY 2 DESC, 1 LIMIT %d`, textTable, lexicalRows)

// textWeight are the weights of fields.
var textWeight = [fieldEnd]byte{fieldName: 'A', fieldInner: 'B', fieldDoc: 'C', fieldPath: 'C', fieldBody: 'D'}

// Limits of a tsvector.
const (
	lastPosition     = 1<<14 - 1
	positionsALexeme = 255
)

// BuildTextSearch makes the table of fragments' terms and its GIN index, in a session
// outside of a transaction. Fragments are numbered as by BuildFrom.
func BuildTextSearch(ctx context.Context, conn *pgx.Conn, fragments []Fragment) (*TextSearch, error) {
	t := &TextSearch{conn: conn, stems: stems{}}
	l := &loader{conn: conn}
	if err := l.exec(ctx, "CREATE TEMP TABLE evidence_text_load (fragment int4, lexemes text)"); err != nil {
		return nil, fmt.Errorf("make text search: %w", err)
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"pg_temp", "evidence_text_load"}, []string{"fragment", "lexemes"},
		pgx.CopyFromSlice(len(fragments), func(i int) ([]any, error) {
			return []any{int32(i + 1), lexemes(&fragments[i])}, nil
		}))
	if err != nil {
		return nil, fmt.Errorf("store terms of text search: %w", err)
	}
	// As in the tables of an index nothing is stored out of line that need not be, or
	// compressed: ts_rank reads every vector that matches.
	err = l.exec(ctx, "CREATE TABLE "+textTable+" (fragment int4 NOT NULL, lexemes tsvector NOT NULL) WITH (toast_tuple_target = 8160)",
		"ALTER TABLE "+textTable+" ALTER lexemes SET STORAGE EXTERNAL",
		"INSERT INTO "+textTable+" SELECT fragment, lexemes::tsvector FROM pg_temp.evidence_text_load ORDER BY fragment",
		"DROP TABLE pg_temp.evidence_text_load",
		"CREATE INDEX ON "+textTable+" USING gin (lexemes)",
		"VACUUM (ANALYZE) "+textTable)
	if err != nil {
		return nil, fmt.Errorf("make text search: %w", err)
	}
	if _, err := conn.Prepare(ctx, textStatement, textSQL); err != nil {
		return nil, fmt.Errorf("prepare text search: %w", err)
	}
	return t, nil
}

// Drop removes the table and the session's statement.
func (t *TextSearch) Drop(ctx context.Context) error {
	if err := t.conn.Deallocate(ctx, textStatement); err != nil {
		return fmt.Errorf("drop text search: %w", err)
	}
	if _, err := t.conn.Exec(ctx, "DROP TABLE "+textTable); err != nil {
		return fmt.Errorf("drop text search: %w", err)
	}
	return nil
}

// Best are the fragments that ts_rank puts first for a question's terms and symbols.
func (t *TextSearch) Best(ctx context.Context, text string) ([]int32, error) {
	q := parseQuestion(text, t.stems)
	terms, _, _ := q.lookups()
	for i := range terms {
		terms[i] = quotedLexeme(terms[i])
	}
	rows, err := t.conn.Query(ctx, textStatement, strings.Join(terms, " | "))
	if err != nil {
		return nil, fmt.Errorf("search text: %w", err)
	}
	ids, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (int32, error) {
		var id int32
		var rank float32
		err := row.Scan(&id, &rank)
		return id, err
	})
	if err != nil {
		return nil, fmt.Errorf("search text: %w", err)
	}
	return ids, nil
}

// ByTerms are the fragments that the lists put first for a question's terms and
// symbols: the lexical stage of an answer alone.
func (x *Index) ByTerms(ctx context.Context, text string) ([]int32, error) {
	q := parseQuestion(text, x.stems)
	terms, weights, symbols := q.lookups()
	rows, err := x.conn.Query(ctx, listsStatement, terms)
	if err != nil {
		return nil, fmt.Errorf("find by terms: %w", err)
	}
	held := lists{}
	if err := held.read(rows); err != nil {
		return nil, fmt.Errorf("find by terms: %w", err)
	}
	var ids []int32
	for _, s := range held.best(terms, weights, symbols, lexicalRows) {
		ids = append(ids, s.id)
	}
	return ids, nil
}

// lexemes writes a fragment's terms as a tsvector. Each occurrence has a position,
// field after field, for ts_rank counts positions; where the terms stood is not told.
func lexemes(f *Fragment) string {
	found := map[string][]string{}
	at := 0
	add := func(term string, in field, times int) {
		for range times {
			at = min(at+1, lastPosition)
			if len(found[term]) < positionsALexeme {
				found[term] = append(found[term], strconv.Itoa(at)+string(textWeight[in]))
			}
		}
	}
	for in, b := range f.bags() {
		for _, term := range slices.Sorted(maps.Keys(b)) {
			add(term, field(in), b[term])
		}
	}
	names := f.symbols()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		add(clip(symbolMark+name), names[name], 1)
	}
	var s strings.Builder
	for _, term := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&s, "%s:%s ", quotedLexeme(term), strings.Join(found[term], ","))
	}
	return s.String()
}

func quotedLexeme(term string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(term) + "'"
}
