#!/usr/bin/env bash
#
# structure-check.sh
#   Checks the rules of the tree that a compiler does not:
#
#   - a C file includes only headers that its layer may use (the table below);
#   - core/ includes nothing of src/, nothing of PostgreSQL, and no header that
#     brings in files, errno or non-local jumps;
#   - PG_VERSION_NUM appears in compat.h alone;
#   - a C file has at most 800 lines, a Go file 500, a function 80;
#   - no tracked file holds the marks of a conflict that a merge left;
#   - a tracked file that begins with "#!" is executable, for a clone gets it so.
#
#   Go's import directions are depguard's, in .golangci.yml. Prints one line a
#   fault; exits 1 when there is any.
set -euo pipefail
cd "$(dirname "$0")/.."

# layer: what it may include, as layers or as single headers. "base" is what
# lies in src/ itself but module.c: compat.h, status.h, guc.h, tablemaps.h. Core's tests and
# micro-benchmarks are programs around core, so stdio is theirs.
readonly EDGES="
core:     core
coretest: core coretest
base:     core base
types:    core base types
tableam:  core base types tableam
zone:     core base types zone pageread.h
hnsw:     core base types hnsw
graph:    core base types graph pageread.h zonemap.h seedscan.h
planner:  core base types tableam zone hnsw graph planner
module:   core base types tableam zone hnsw graph planner
"
readonly FORBIDDEN_IN_CORE="stdio.h errno.h malloc.h signal.h setjmp.h unistd.h"

# shellcheck disable=SC2016 # the dollars are awk's
readonly PROGRAM='
function fault(text) { print FILENAME ":" FNR ": " text; faults++ }

function layer_of(path)
{
	if (path ~ /^pgext\/core\/(test|bench)\//) return "coretest"
	if (path ~ /^pgext\/core\//) return "core"
	if (path == "pgext/src/module.c") return "module"
	if (path !~ /^pgext\/src\//) return ""
	sub(/^pgext\/src\//, "", path)
	return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "base"
}

# Our file that an include names: beside the includer, on the include path, or,
# where it names no folder, anywhere in the tree.
function resolve(header,    dir)
{
	dir = FILENAME
	sub(/[^\/]*$/, "", dir)
	while (header ~ /^\.\.\//) {
		sub(/^\.\.\//, "", header)
		sub(/[^\/]*\/$/, "", dir)
	}
	if ((dir header) in ours) return dir header
	if (("pgext/src/" header) in ours) return "pgext/src/" header
	if (("pgext/core/" header) in ours) return "pgext/core/" header
	return header ~ /\// ? "" : by_name[header]
}

function check_include(header, quoted,    target, name)
{
	if (!quoted) {
		if (layer == "core" && index(forbidden, " " header " "))
			fault("core may not include <" header ">")
		return
	}
	target = resolve(header)
	name = target
	sub(/.*\//, "", name)
	if (target == "") {
		if (layer ~ /^core/)
			fault("core includes \"" header "\", which is not its own")
	} else if (!index(allowed[layer], " " layer_of(target) " ") &&
			   !index(allowed[layer], " " name " "))
		fault(layer " may not include \"" header "\" of " layer_of(target))
}


BEGIN {
	count = split(edges, row, "\n")
	for (i = 1; i <= count; i++)
		if (split(row[i], part, ":") == 2) {
			gsub(/ +/, " ", part[2])
			allowed[part[1]] = part[2] " "
		}
	for (i = 1; i < ARGC; i++)
		if (ARGV[i] ~ /^pgext\/.*\.[ch]$/) {
			ours[ARGV[i]] = 1
			name = ARGV[i]
			sub(/.*\//, "", name)
			by_name[name] = ARGV[i]
		}
}

FNR == 1 {
	layer = layer_of(FILENAME)
	is_c = FILENAME ~ /\.[ch]$/
	limit = is_c ? 800 : 500
	begun = 0
	if (layer != "" && !(layer in allowed))
		fault("layer \"" layer "\" is not in the table of scripts/structure-check.sh")
}

FNR == limit + 1 { fault("the file has more than " limit " lines") }

layer != "" && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
	quoted = $0 ~ /include[ \t]*"/
	header = $0
	sub(/^[^"<]*["<]/, "", header)
	sub(/[">].*/, "", header)
	check_include(header, quoted)
}

layer != "" && /PG_VERSION_NUM/ && FILENAME != "pgext/src/compat.h" {
	fault("PG_VERSION_NUM belongs in compat.h")
}

# A function body opens and closes in column one, in pgindent as in gofmt.
(is_c && /^\{/) || (!is_c && /^func .*\{$/) { begun = FNR }

/^\}/ {
	if (begun && /^\}[ \t]*$/ && FNR - begun - 1 > 80)
		fault("a function of " FNR - begun - 1 " lines ends here, the limit is 80")
	begun = 0
}

END { exit faults > 0 }
'

mapfile -t files < <(find pgext cmd internal -name '*.[ch]' -o -name '*.go' 2>/dev/null |
	grep -v '/testdata/' | sort)
status=0
awk -v edges="$EDGES" -v forbidden=" $FORBIDDEN_IN_CORE " "$PROGRAM" "${files[@]}" || status=1

# The middle line of a conflict, seven equals signs, also underlines headings;
# the outer ones mean nothing else. git grep says 1 where it finds nothing.
found=0
marks=$(git grep -nIE '^(<{7}|>{7}|[|]{7})( |$)') || found=$?
case $found in
0)
	printf '%s\n' "$marks" | sed 's/$/  (mark of a merge conflict)/'
	status=1
	;;
1) ;;
*)
	echo "git grep for conflict marks ended with status $found" >&2
	status=1
	;;
esac

while IFS=$'\t' read -r mode path; do
	[[ $mode != 100644* || $(head -c 2 "$path" | tr -d '\0') != '#!' ]] || {
		echo "$path: begins with #!, but git does not hold it as executable"
		status=1
	}
done < <(git grep -lIE '^#!' | xargs -d '\n' -r git ls-files -s --)
exit "$status"
