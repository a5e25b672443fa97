-- Writes the SQL reference of the extension from its catalog entries and their
-- comments; `make docs` runs it. Everything is ordered by name in C collation
-- and reads the same on every supported PostgreSQL.
SET client_min_messages = warning;
CREATE EXTENSION sorted_heap;

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid
FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
WHERE d.refclassid = 'pg_extension'::regclass
  AND d.deptype = 'e' AND e.extname = 'sorted_heap';

\qecho '# SQL reference'
\qecho ''
\qecho 'Written by `make docs` from the catalog of the installed extension; do not edit.'
\qecho ''
\qecho '## Types'
\qecho ''
SELECT format('- `%s`%s', t.typname, ': ' || obj_description(t.oid, 'pg_type'))
FROM member m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
WHERE t.typcategory <> 'A' AND t.typtype IN ('b', 'd', 'e')
ORDER BY t.typname COLLATE "C";

\qecho ''
\qecho '## Access methods'
\qecho ''
SELECT format('- %s `%s`%s',
              CASE a.amtype WHEN 't' THEN 'table' ELSE 'index' END,
              a.amname, ': ' || obj_description(a.oid, 'pg_am'))
FROM member m JOIN pg_am a ON m.classid = 'pg_am'::regclass AND m.objid = a.oid
ORDER BY a.amname COLLATE "C";

\qecho ''
\qecho '## Operators'
\qecho ''
\qecho '| operator | left | right | result | function | comment |'
\qecho '|---|---|---|---|---|---|'
SELECT format('| `%s` | %s | %s | %s | `%s` | %s |',
              replace(o.oprname, '|', '\|'),
              CASE WHEN o.oprleft = 0 THEN '' ELSE format_type(o.oprleft, NULL) END,
              format_type(o.oprright, NULL), format_type(o.oprresult, NULL),
              p.proname, obj_description(o.oid, 'pg_operator'))
FROM member m
  JOIN pg_operator o ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid
  JOIN pg_proc p ON p.oid = o.oprcode
ORDER BY o.oprname COLLATE "C", format_type(o.oprleft, NULL) COLLATE "C",
         format_type(o.oprright, NULL) COLLATE "C";

\qecho ''
\qecho '## Operator classes'
\qecho ''
SELECT format('- `%s` for %s%s', c.opcname, a.amname,
              CASE WHEN c.opcdefault THEN ', default' ELSE '' END)
FROM member m
  JOIN pg_opclass c ON m.classid = 'pg_opclass'::regclass AND m.objid = c.oid
  JOIN pg_am a ON a.oid = c.opcmethod
ORDER BY c.opcname COLLATE "C", a.amname COLLATE "C";

\qecho ''
\qecho '## Casts'
\qecho ''
SELECT format('- %s to %s, %s', format_type(c.castsource, NULL),
              format_type(c.casttarget, NULL),
              CASE c.castcontext WHEN 'i' THEN 'implicit' WHEN 'a' THEN 'in assignment'
                                 ELSE 'explicit' END)
FROM member m JOIN pg_cast c ON m.classid = 'pg_cast'::regclass AND m.objid = c.oid
ORDER BY format_type(c.castsource, NULL) COLLATE "C",
         format_type(c.casttarget, NULL) COLLATE "C";

\qecho ''
\qecho '## Functions, procedures and aggregates'
\qecho ''
\qecho 'Without the functions that carry a type, an operator, a cast or an access method.'
\qecho ''
SELECT format(E'- `%s(%s)`%s%s', p.proname, pg_get_function_arguments(p.oid),
              CASE WHEN p.prokind = 'p' THEN ' (procedure)'
                   ELSE ' → `' || pg_get_function_result(p.oid) || '`' END,
              ': ' || obj_description(p.oid, 'pg_proc'))
FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
WHERE NOT EXISTS (SELECT FROM pg_type t
                  WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend,
                                  t.typmodin, t.typmodout))
  AND NOT EXISTS (SELECT FROM pg_operator o WHERE p.oid = o.oprcode)
  AND NOT EXISTS (SELECT FROM pg_amproc a WHERE p.oid = a.amproc)
  AND NOT EXISTS (SELECT FROM pg_cast c WHERE p.oid = c.castfunc)
  AND NOT EXISTS (SELECT FROM pg_proc f WHERE p.oid = f.prosupport)
  AND NOT EXISTS (SELECT FROM pg_am a WHERE p.oid = a.amhandler)
  AND NOT EXISTS (SELECT FROM pg_aggregate a
                  WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn,
                                  a.aggserialfn, a.aggdeserialfn))
ORDER BY p.proname COLLATE "C", pg_get_function_arguments(p.oid) COLLATE "C";

\qecho ''
\qecho '## Settings'
\qecho ''
SELECT format('- `%s` (%s, default `%s`): %s', name, vartype, boot_val, short_desc)
FROM pg_settings
WHERE name LIKE 'sorted\_heap.%' OR name LIKE 'sorted\_hnsw.%'
ORDER BY name COLLATE "C";
