package evidence

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	pgxvec "github.com/pgvector/pgvector-go/pgx"
)

// The tables of an index lie in the schema that new tables are made in. Fragment
// numbers are those of the order of loading, from 1.
//
//   - evidence_fragments: a row for each fragment, with its numbers and its
//     references to others packed, see figures and packReferences.
//   - evidence_postings: a row for each term and 256 of its postings, part 0
//     those of greatest impact; sorted by term; packed, see packPostings.
//   - evidence_vectors: the fragments' embeddings, with their vector index.
//   - evidence_terms: what terms say most about a fragment, where the embedder tells
//     what texts mean; else it is empty.
//   - evidence_about: one row that says what the index was made from.
var tables = []string{"evidence_fragments", "evidence_postings", "evidence_vectors", "evidence_terms", "evidence_about"}

// postingsPerPart is how many postings lie in a row. Answers read part 0 of each
// term, so this bounds what a term costs, however common it is.
const postingsPerPart = 256

func createTables(dim int) []string {
	return []string{
		`CREATE TABLE evidence_fragments (
			fragment int4 NOT NULL, file text NOT NULL, symbol text NOT NULL, kind text NOT NULL, head text NOT NULL,
			figures bytea NOT NULL, refs bytea NOT NULL, body text NOT NULL,
			PRIMARY KEY (fragment)) USING sorted_heap`,
		`ALTER TABLE evidence_fragments SET (toast_tuple_target = 8160)`,
		`ALTER TABLE evidence_fragments ALTER body SET STORAGE EXTERNAL`,
		`CREATE TABLE evidence_postings (
			term text COLLATE "C" NOT NULL, part int2 NOT NULL, holders int4 NOT NULL,
			postings bytea NOT NULL,
			PRIMARY KEY (term, part)) USING sorted_heap`,
		`ALTER TABLE evidence_postings SET (toast_tuple_target = 8160)`,
		`ALTER TABLE evidence_postings ALTER postings SET STORAGE PLAIN`,
		fmt.Sprintf(`CREATE TABLE evidence_vectors (
			fragment int4 NOT NULL, embedding svec(%d) NOT NULL, PRIMARY KEY (fragment)) USING sorted_heap`, dim),
		`ALTER TABLE evidence_vectors SET (toast_tuple_target = 8160)`,
		`CREATE TABLE evidence_terms (
			fragment int4 NOT NULL, terms text[] NOT NULL, impacts real[] NOT NULL, PRIMARY KEY (fragment)) USING sorted_heap`,
		`CREATE TABLE evidence_about (
			fragments int4 NOT NULL, files int4 NOT NULL, terms int4 NOT NULL, postings int8 NOT NULL,
			edges int8 NOT NULL, embedder text NOT NULL, dim int4 NOT NULL)`,
	}
}

var createIndexes = []string{
	`CREATE INDEX evidence_vectors_near ON evidence_vectors USING sorted_hnsw (embedding) INCLUDE (fragment)`,
}

// registerVector lets a session send and read svec in binary: it has pgvector's
// wire format.
func registerVector(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT 'svec'::regtype::oid").Scan(&oid); err != nil {
		return fmt.Errorf("look up type svec: %w", err)
	}
	conn.TypeMap().RegisterType(&pgtype.Type{Name: "svec", OID: oid, Codec: pgxvec.VectorCodec{}})
	return nil
}
