-- COPY of svec in text, csv and binary.

CREATE TABLE t (id int, v svec(3), many svec[]);
INSERT INTO t VALUES (1, '[0,0,0]', NULL), (2, '[1,2.5,-3]', '{"[1]","[2,3]",NULL}'),
	(3, '[3.4028235e38,-1e-45,0.1]', '{}'), (4, NULL, '{{"[1]"},{"[2]"}}');
COPY t TO stdout;
COPY t TO stdout WITH (FORMAT csv);

CREATE TABLE back (LIKE t);
COPY back FROM stdin;
1	[0,0,0]	\N
2	[1,2.5,-3]	{"[1]","[2,3]",NULL}
\.
COPY back FROM stdin WITH (FORMAT csv);
3,"[3.4028235e+38,-1e-45,0.1]",{}
4,,"{{""[1]""},{""[2]""}}"
\.
(TABLE t EXCEPT TABLE back) UNION ALL (TABLE back EXCEPT TABLE t);

-- one bad line and nothing is loaded
COPY back FROM stdin;
5	[1,2,3]	\N
6	[1,2,NaN]	\N
\.
COPY back FROM stdin;
7	[1,2,3]	{"[Infinity]"}
\.
COPY back FROM stdin;
8	[1,2]	\N
\.
COPY back FROM stdin;
9	[1,,2]	\N
\.
SELECT count(*) FROM back;

TRUNCATE back;
\copy t TO 'results/svec_copy.bin' WITH (FORMAT binary)
\copy back FROM 'results/svec_copy.bin' WITH (FORMAT binary)
(TABLE t EXCEPT TABLE back) UNION ALL (TABLE back EXCEPT TABLE t);
SELECT count(*) FROM back;

-- the modifier holds for binary too
CREATE TABLE narrow (id int, v svec(2), many svec[]);
\copy narrow FROM 'results/svec_copy.bin' WITH (FORMAT binary)

DROP TABLE t, back, narrow;
