#!/usr/bin/env bash
#
# pgindent.sh
#   Formats the C sources in place with PostgreSQL's pgindent and the committed
#   pgext/typedefs.list.
#
#   scripts/pgindent.sh             format
#   scripts/pgindent.sh --check     show what would change, exit 2 if anything
#   scripts/pgindent.sh --typedefs  write typedefs.list anew: of the names that
#                                   the built library's debug information and
#                                   our own sources define, those that our
#                                   sources use
set -euo pipefail
cd "$(dirname "$0")/.."
readonly TYPEDEFS=pgext/typedefs.list

mapfile -t sources < <(find pgext/core pgext/src -name '*.[ch]' | sort)

# Typedef names of the library (PostgreSQL's and ours), then those of sources
# that are not in it, such as core's tests.
defined_names() {
	objdump -Wi pgext/sorted_heap.so | awk '
		/DW_TAG_/ { typedef = /DW_TAG_typedef/ }
		typedef && /DW_AT_name/ { print $NF; typedef = 0 }'
	sed -nE 's/^\} ([A-Za-z_][A-Za-z0-9_]*);$/\1/p
		s/^typedef .*[ *]([A-Za-z_][A-Za-z0-9_]*);$/\1/p
		s/^typedef .*\(\*([A-Za-z_][A-Za-z0-9_]*)\) *\(.*/\1/p' "${sources[@]}"
}

write_typedefs() {
	[[ -f pgext/sorted_heap.so ]] || {
		echo "pgindent.sh: no pgext/sorted_heap.so, run make build" >&2
		exit 1
	}
	export LC_ALL=C
	comm -12 <(defined_names | sort -u) \
		<(grep -ohE '[A-Za-z_][A-Za-z0-9_]*' "${sources[@]}" | sort -u) >"$TYPEDEFS"
}

mode=()
case ${1:-} in
--check) mode=(--check --diff) ;;
--typedefs)
	write_typedefs
	exit
	;;
esac
for tools in bin/pgindent /usr/lib/postgresql/{18,17}/bin; do
	[[ ! -x $tools/pg_bsd_indent ]] || break
done
[[ -x $tools/pg_bsd_indent && -f $tools/pgindent ]] || {
	echo "pgindent.sh: no pg_bsd_indent here, run scripts/bootstrap.sh lint" >&2
	exit 1
}

# pg_bsd_indent takes hexadecimal floats, function attributes and assembler
# apart; the files that live on them are laid out by hand.
mapfile -t formatted < <(printf '%s\n' "${sources[@]}" |
	grep -vE '^pgext/core/(cpu\.c|dist_[a-z0-9]+\.c|test/|bench/)')
exec perl "$tools/pgindent" "${mode[@]}" --indent="$tools/pg_bsd_indent" \
	--typedefs="$TYPEDEFS" "${formatted[@]}"
