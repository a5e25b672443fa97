package ann

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"sortedheap/internal/corpus"
)

// system is an engine with an index, as data.
type system struct {
	name      string
	extension string
	method    string // access method of the index
	table     string
	types     map[string]string // of a vector, by Params.Element
	efSearch  string            // the setting
	iterative string            // the setting that lets a filtered search go on
	modes     []string          // its values to measure
	// filterKey: the index holds the filter's column when searches filter.
	filterKey bool
	// walk tells, in the session of a search, how it went through the index; it
	// reads walkFunction, which a server may lack.
	walk, walkFunction string
	options            func(Params) string            // of CREATE INDEX, beside m and ef_construction
	settings           func(Params) map[string]string // of searching sessions
}

func systems() []system {
	return []system{
		{
			name: "pgvector", extension: "vector", method: "hnsw", table: "ann_pgvector",
			types:    map[string]string{"float": "vector", "half": "halfvec"},
			efSearch: "hnsw.ef_search", iterative: "hnsw.iterative_scan", modes: []string{"strict_order", "relaxed_order"},
			options:  func(Params) string { return "" },
			settings: func(Params) map[string]string { return nil },
		},
		{
			name: "sorted_heap", extension: "sorted_heap", method: "sorted_hnsw", table: "ann_sorted_heap",
			types:    map[string]string{"float": "svec", "half": "hsvec"},
			efSearch: "sorted_hnsw.ef_search", iterative: "sorted_hnsw.iterative_scan", modes: []string{"strict", "relaxed"},
			filterKey: true, walkFunction: "sorted_hnsw_scan_stats()",
			walk: `SELECT CASE WHEN last_flat THEN 'flat' ELSE 'graph' END || CASE WHEN last_bounded THEN ', bounded' ELSE '' END
FROM sorted_hnsw_scan_stats() WHERE role = current_user::regrole`,
			options: func(p Params) string {
				if p.Refine == "" {
					return ""
				}
				return ", refine = " + p.Refine
			},
			settings: func(p Params) map[string]string {
				if p.ScanMode == "" {
					return nil
				}
				return map[string]string{"sorted_hnsw.scan_mode": p.ScanMode}
			},
		},
	}
}

// operators of a metric are the same in both extensions, as are the names of
// operator classes behind the type's.
var operators = map[string]string{"cosine": "<=>", "l2": "<->", "ip": "<#>", "l1": "<+>"}

func metricNames() []string { return slices.Sorted(maps.Keys(operators)) }

// createTable makes rows wide enough to keep their vector in line.
func (s *store) createTable(dim int) string {
	return fmt.Sprintf("CREATE TABLE %s (id int4 NOT NULL, bucket int4 NOT NULL, embedding %s(%d) NOT NULL) WITH (toast_tuple_target = 8160)",
		s.table, s.vector, dim)
}

func (s *store) index() string { return s.table + "_ann" }

// createIndex is the index of plain searches, or that of filtered ones.
func (s *store) createIndex(p Params, filtered bool) string {
	columns := fmt.Sprintf("embedding %s_%s_ops", s.vector, p.Metric)
	if filtered && s.filterKey {
		columns += ", bucket"
	}
	return fmt.Sprintf("CREATE INDEX %s ON %s USING %s (%s) WITH (m = %d, ef_construction = %d%s)",
		s.index(), s.table, s.method, columns, p.M, p.EfConstruction, s.options(p))
}

// searchSQL is the statement of every engine: the numbers of the nearest rows,
// among those that a filter of the given percentage leaves; 100 is no filter.
func (s *store) searchSQL(p Params, selectivity float64) string {
	where := ""
	if selectivity < 100 {
		where = fmt.Sprintf(" WHERE bucket < %d", bucketLimit(selectivity))
	}
	return fmt.Sprintf("SELECT id FROM %s%s ORDER BY embedding %s $1 LIMIT %d", s.table, where, operators[p.Metric], p.TopK)
}

// bucketLimit is the filter "bucket < limit" that the given percentage of rows
// passes.
func bucketLimit(selectivity float64) int {
	return int(math.Round(selectivity / 100 * corpus.BucketValues))
}

// withIndex forbids the plans that would not use the index: the subject is the
// index, and what the planner would rather do stands beside it as "exact". Memory
// is ample, since it bounds how far pgvector's iterative scans go.
func withIndex() map[string]string {
	return map[string]string{"jit": "off", "enable_seqscan": "off", "enable_bitmapscan": "off", "enable_sort": "off", "work_mem": "64MB"}
}

// withoutIndex keeps the vector index out; the btree on the filter's column can
// be read by a bitmap scan.
func withoutIndex() map[string]string {
	return map[string]string{"jit": "off", "enable_indexscan": "off", "enable_indexonlyscan": "off"}
}
