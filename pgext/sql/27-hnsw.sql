-- Graphs of nearest neighbours: index access method sorted_hnsw and its operator
-- classes for vectors.

CREATE FUNCTION sorted_hnsw_handler(internal) RETURNS index_am_handler
	AS 'MODULE_PATHNAME' LANGUAGE C;

CREATE ACCESS METHOD sorted_hnsw TYPE INDEX HANDLER sorted_hnsw_handler;

COMMENT ON ACCESS METHOD sorted_hnsw IS
	'nearest vectors by a graph of neighbours, with filters in the walk';

-- The support function is the operator's own: it names the metric.

CREATE OPERATOR CLASS svec_cosine_ops
	DEFAULT FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <=> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 svec_cosine_distance(svec, svec);

CREATE OPERATOR CLASS svec_l2_ops
	FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <-> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 l2_distance(svec, svec);

CREATE OPERATOR CLASS svec_ip_ops
	FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <#> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 svec_negative_inner_product(svec, svec);

CREATE OPERATOR CLASS svec_l1_ops
	FOR TYPE svec USING sorted_hnsw AS
	OPERATOR 1 <+> (svec, svec) FOR ORDER BY float_ops,
	FUNCTION 1 l1_distance(svec, svec);

CREATE OPERATOR CLASS hsvec_cosine_ops
	DEFAULT FOR TYPE hsvec USING sorted_hnsw AS
	OPERATOR 1 <=> (hsvec, hsvec) FOR ORDER BY float_ops,
	FUNCTION 1 hsvec_cosine_distance(hsvec, hsvec);

CREATE OPERATOR CLASS hsvec_l2_ops
	FOR TYPE hsvec USING sorted_hnsw AS
	OPERATOR 1 <-> (hsvec, hsvec) FOR ORDER BY float_ops,
	FUNCTION 1 l2_distance(hsvec, hsvec);

CREATE OPERATOR CLASS hsvec_ip_ops
	FOR TYPE hsvec USING sorted_hnsw AS
	OPERATOR 1 <#> (hsvec, hsvec) FOR ORDER BY float_ops,
	FUNCTION 1 hsvec_negative_inner_product(hsvec, hsvec);

CREATE OPERATOR CLASS hsvec_l1_ops
	FOR TYPE hsvec USING sorted_hnsw AS
	OPERATOR 1 <+> (hsvec, hsvec) FOR ORDER BY float_ops,
	FUNCTION 1 l1_distance(hsvec, hsvec);
