#!/usr/bin/env bash
#
# test.sh
#   Runs every test of the tree, part by part, and prints what each part took.
#   Ends with one line, 'N passed, N failed, N skipped', summed over the parts;
#   exits 1 when anything failed. The build is installed into the PostgreSQL
#   that PG_CONFIG names; servers are throw-away ones.
#
#   The whole output of a part is in tmp_check/test/PART.log.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

if ! PG_CONFIG=$(scripts/bootstrap.sh pg_config) || ! GO=$(scripts/bootstrap.sh go); then
	echo "test.sh: no PostgreSQL or no Go here, run scripts/bootstrap.sh" >&2
	exit 1
fi
export PG_CONFIG GO SORTED_HEAP_REQUIRE_PG=1
readonly LOGS=tmp_check/test
mkdir -p "$LOGS"
rm -f "$LOGS"/*.log

passed=0 failed=0 skipped=0
budget=()

# How a part's log is counted: each prints "PASSED FAILED SKIPPED".

# One check, that holds or not; test.sh knows from the exit code.
count_one() { echo 0 0 0; }

# The C unit tests' own closing line.
count_unit() {
	awk '/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3 } END { print p+0, f+0, 0 }' "$1"
}

# The same, a line for each mutant caught, or one line "skipped: REASON".
count_optional() {
	awk '/^[0-9]+ passed, [0-9]+ failed/ { p += $1; f += $3 } /^caught: / { p++ } /^skipped: / { s++ }
		END { print p+0, f+0, s+0 }' "$1"
}

# pg_regress up to PostgreSQL 15 writes "test NAME ... ok", later ones TAP.
count_regress() {
	awk '/^(test| ) +[^ ].* \.\.\. +ok / || /^ok [0-9]+ / { p++ }
		/^(test| ) +[^ ].* \.\.\. +FAILED/ || /^not ok [0-9]+ / { f++ }
		END { print p+0, f+0, 0 }' "$1"
}

# go test -v, sub-tests included.
count_go() {
	awk '/^ *--- PASS: / { p++ } /^ *--- FAIL: / { f++ } /^ *--- SKIP: / { s++ }
		END { print p+0, f+0, s+0 }' "$1"
}

# What of a part's output is worth a line on the terminal.
show_all() { cat; }
show_regress() { grep -vE '^((SET|(ALTER|CREATE|DROP) DATABASE|CREATE EXTENSION)$|===*( |$)|$)'; }
show_go() { grep -vE '^(=== | *--- PASS|PASS$|testing: warning: no tests)|\[no test files\]$'; }

# part NAME COUNT SHOW COMMAND...
part() {
	local name=$1 count=$2 show=$3 begun=$SECONDS code p f s
	shift 3
	printf '== %s: %s\n' "$name" "$*"
	"$@" 2>&1 | tee "$LOGS/$name.log" | "$show"
	code=${PIPESTATUS[0]}
	read -r p f s < <("$count" "$LOGS/$name.log")
	# The exit code has the last word: a crash is a failure, and so is a suite
	# that says nothing.
	if ((code != 0 && f == 0)); then
		f=1
	elif ((code == 0 && p + f + s == 0)); then
		if [[ $count == count_one ]]; then p=1; else f=1; fi
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	budget+=("$(printf '%-14s %5d s  %5d passed  %3d failed  %3d skipped' \
		"$name" $((SECONDS - begun)) "$p" "$f" "$s")")
	((code == 0))
}

gofmt_check() {
	local files
	files=$("$("$GO" env GOROOT)/bin/gofmt" -l cmd internal) || return 1
	[[ -z $files ]] || {
		printf 'not formatted by gofmt: %s\n' "$files"
		return 1
	}
}

# clang does not know every warning that a PostgreSQL built by gcc turns off.
build() {
	local flags=-Werror
	[[ ${CC:-} != *clang* ]] || flags+=' -Wno-unknown-warning-option'
	make -s -j2 build COPT="$flags" && make -s install
}

against_server() { bin/withserver -pg-config "$PG_CONFIG" "$@"; }

# The SQL reference is what the catalog says.
docs_check() {
	make -s docs SQL_REFERENCE="$LOGS/sql-reference.md" || return
	diff -u docs/sql-reference.md "$LOGS/sql-reference.md" && return
	echo 'docs/sql-reference.md is not what the catalog says, run make docs'
	return 1
}

# The NEON kernels on an x86 machine; on aarch64 the core's own tests run them.
neon_check() {
	if [[ $(uname -m) == aarch64 ]]; then
		echo 'skipped: the core tests ran the NEON kernels natively'
	elif ! command -v aarch64-linux-gnu-gcc >/dev/null; then
		echo 'skipped: no aarch64-linux-gnu-gcc'
	elif ! command -v qemu-aarch64-static >/dev/null; then
		echo 'skipped: no qemu-aarch64-static'
	else
		make -s -C pgext/core neon
	fi
}

# Broken tails of kernels must fail the tests.
mutants_check() {
	if grep -qsw avx2 /proc/cpuinfo; then
		make -s -C pgext/core mutants
	else
		echo 'skipped: the mutants are of AVX2 kernels'
	fi
}

part structure count_one show_all scripts/structure-check.sh
part gofmt count_one show_all gofmt_check
part core count_unit show_all make -s -C pgext/core check
part neon count_optional show_all neon_check
part mutants count_optional show_all mutants_check
if part build count_one show_all build; then
	part regress count_regress show_regress against_server \
		make -s -C pgext installcheck PG_CONFIG="$PG_CONFIG" ISOLATION=
	part isolation count_regress show_regress against_server \
		make -s -C pgext installcheck PG_CONFIG="$PG_CONFIG" REGRESS=
	part docs count_one show_all docs_check
	part vet count_one show_all "$GO" vet ./...
	part go count_go show_go "$GO" test -v -count=1 -timeout 15m ./...
fi

printf '\n%s\n' "budget (whole output in $LOGS):"
printf '  %s\n' "${budget[@]}"
printf '  %-14s %5d s\n\n' total "$SECONDS"
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
((failed == 0))
