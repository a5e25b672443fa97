/*
 * facts.h
 *	  A source of fact rows: one interface over pages and over a query.
 *
 * The engine asks for rows by entity, or for all of them, and gets each with
 * its distance to the query. Which way a source reads is the gate's decision;
 * scores and hops are one code above both.
 */
#ifndef FACTS_H
#define FACTS_H

#include "dist.h"
#include "graph/columns.h"
#include "graph/gate.h"
#include "utils/snapshot.h"

/* What of a row a hop wants besides entity, relation and target: bits. */
typedef int FactWant;

#define FACT_WANT_KEYS 0
#define FACT_WANT_DISTANCE 1	/* the distance to the query */
#define FACT_WANT_EMBEDDING 2
#define FACT_WANT_PAYLOAD 4
#define FACT_WANT_WHOLE (FACT_WANT_EMBEDDING | FACT_WANT_PAYLOAD)

/* Which rows a hop follows. */
typedef struct FactFilter
{
	bool		any;			/* every relation, also a null one */
	int16		relation;
} FactFilter;

/* One expansion. */
typedef struct FactHop
{
	const int32 *seeds;			/* ascending, without duplicates */
	size_t		nseeds;
	FactFilter	filter;
	uint64		limit;			/* stop after so many rows; 0 = no limit */
	FactWant	want;
} FactHop;

/* A row, valid during the sink's call. */
typedef struct FactRow
{
	FactKey		key;
	bool		ranked;			/* distance holds: embedding neither null nor
								 * of zero norm */
	double		distance;
	uint64		ref;			/* for payload(), see keep() */
	Datum		embedding;		/* where wanted, perhaps toasted */
	bool		halves;			/* it is hsvec, not svec */
	Datum		payload;		/* likewise */
	bool		embedding_null;
	bool		payload_null;
} FactRow;

typedef void (*FactSink) (void *state, const FactRow *row);

/* Gets one column of a row. */
typedef void (*FactSure) (void *state, bool isnull, int32 id);

/* Which rows nearest to the query are wanted, and who gets them. */
typedef struct FactNearest
{
	const FactFilter *filter;
	uint32		count;			/* at least 1 */
	FactSink	sink;			/* gets rows with their distance */

	/*
	 * NULL, or gets of rows that are certainly among the nearest only one
	 * column, and the sink gets rows for the other places. All of these come
	 * first.
	 */
	FactSure	sure;
	FactColumn	id;				/* FACT_ENTITY or FACT_TARGET */
	void	   *state;
} FactNearest;

/* How the vector index was asked, where it was. */
typedef struct FactSearch
{
	const char *name;			/* where its graph was read; NULL: it was not */
	uint64		compared;		/* nodes */
	uint64		rows;			/* read for their exact distance */
	double		ms;				/* without these */
} FactSearch;

typedef struct FactSource FactSource;

struct FactSource
{
	/* Rows of the hop's seeds, in physical order. */
	void		(*expand) (FactSource *source, const FactHop *hop,
						   FactSink sink, void *state);

	/*
	 * The same at the caller's pace; both NULL where there is no such way.
	 * Each next() gives the rows of one page, perhaps none, which stay good
	 * until the one after; false when there are no more pages. One expansion
	 * at a time: the next start(), expand() or close() ends it.
	 */
	void		(*start) (FactSource *source, const FactHop *hop);
	bool		(*next) (FactSource *source, FactSink sink, void *state);
	/* Every row that passes the filter, with its distance. */
	void		(*scan) (FactSource *source, const FactFilter *filter,
						 FactSink sink, void *state);

	/*
	 * Rows nearest to the query that pass the filter: as many as are wanted,
	 * or all there are, and rows as far away as the last of them, in no
	 * particular order. Returns how they were found, a literal; NULL when
	 * there is no way but scan(), in which case what was given so far is to
	 * be forgotten.
	 */
	const char *(*nearest) (FactSource *source, const FactNearest *want);
	/* Remember the row now given to a sink; returns what payload() wants. */
	uint64		(*keep) (FactSource *source, const FactRow *row);
	/* Forget a kept row. */
	void		(*drop) (FactSource *source, uint64 ref);
	/* The payload of a kept row, a copy in the current memory context. */
	Datum		(*payload) (FactSource *source, uint64 ref, bool *isnull);
	/* Release everything but memory. */
	void		(*close) (FactSource *source);

	const char *access;			/* how hops found rows so far; a literal */
	const DistQuery *query;		/* what distances are to; NULL without one */
	bool		halves;			/* stored embeddings are hsvec */
	uint64		pages;			/* heap pages read so far */
	FactSearch	search;
};

/* Over the pages of a table whose rows the caller may all see. */
extern FactSource *facts_open_pages(RelGate *gate, const FactColumns *columns,
									Snapshot snapshot, const DistQuery *query);

/* Through queries run as the current user, with policies and children. */
extern FactSource *facts_open_query(RelGate *gate, const FactColumns *columns,
									Snapshot snapshot, const DistQuery *query);

/*
 * Distance of a stored embedding, hsvec when `halves` says so, to the query;
 * false when it has none. Reads inline values in place, so `value` must stay
 * put, and no buffer lock may be held. Error when dimensions differ.
 */
extern bool facts_distance(const DistQuery *query, bool halves,
						   struct varlena *value, double *distance);

/* A stored hsvec as an svec, in the current memory context. */
extern Datum facts_widen(Datum embedding);

static inline bool
facts_passes(const FactFilter *filter, const FactKey *key)
{
	return filter->any ||
		(key->relation == filter->relation &&
		 (key->nulls & FACT_NULL(FACT_RELATION)) == 0);
}

#endif							/* FACTS_H */
