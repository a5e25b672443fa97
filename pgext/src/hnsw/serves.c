/*
 * serves.c
 *	  Can an index answer for this order and snapshot? What the planner checks
 *	  of an index before it offers a scan of it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_index.h"
#include "utils/rel.h"

#include "hnsw/am.h"
#include "hnsw/distance.h"
#include "hnsw/scan/seedscan.h"
#include "hnsw/value.h"

bool
seedscan_serves(Relation index, AttrNumber column, DistMetric metric, Snapshot snapshot)
{
	Form_pg_index form = index->rd_index;
	HnswType	type;
	DistMetric	of;

	if (!hnsw_is_hnsw_index(index) || !form->indisvalid || !form->indislive ||
		form->indkey.values[0] != column ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL))
		return false;
	if (form->indcheckxmin &&
		!TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
							   snapshot->xmin))
		return false;
	return OidIsValid(index_getprocid(index, 1, 1)) &&
		hnsw_distance_metric(index_getprocinfo(index, 1, 1)->fn_addr, &type, &of) &&
		of == metric;
}

uint32
seedscan_dim(Relation index)
{
	return (uint32) TupleDescAttr(RelationGetDescr(index), 0)->atttypmod;
}
