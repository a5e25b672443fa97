#!/usr/bin/env bash
#
# sources.sh [DIR]
#   Fetches the source package of ninja into DIR/ninja-VERSION (default
#   .cache/sources): a source tree for `benchgraph run code`, and the one that
#   published figures are set beside. Prints the path of its folder src.
#
#   apt fetches it, from the mirror of this machine or MIRROR, of Debian release
#   SUITE (trixie, whose ninja is 1.12.1), and checks its signature. Nothing of the
#   system's apt changes, and nobody need be root. A tree that is there stays.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly version=1.12.1
readonly suite=${SUITE:-trixie}
readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg
target=${1:-.cache/sources}

die() {
	printf 'sources.sh: %s\n' "$*" >&2
	exit 1
}

mkdir -p "$target"
target=$(cd "$target" && pwd)
if [[ ! -d $target/ninja-$version/src ]]; then
	mirror=${MIRROR:-$(scripts/bootstrap.sh mirror)}
	[[ -n $mirror ]] || die "apt names no Debian mirror here; set MIRROR to one"
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	mkdir -p "$scratch"/{lists/partial,cache/archives/partial,parts}
	options=
	[[ ! -f $keyring ]] || options="[signed-by=$keyring] "
	printf 'deb-src %s%s %s main\n' "$options" "$mirror" "$suite" >"$scratch/sources.list"
	apt=(apt-get -q -o "Dir::Etc::SourceList=$scratch/sources.list" -o "Dir::Etc::SourceParts=$scratch/parts"
		-o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache" -o "APT::Sandbox::User=$(id -un)")
	"${apt[@]}" update >"$scratch/log" 2>&1 || die "apt-get update: $(tail -3 "$scratch/log")"
	(cd "$scratch" && "${apt[@]}" source --download-only --tar-only ninja-build >>"$scratch/log" 2>&1) ||
		die "apt-get source ninja-build: $(tail -3 "$scratch/log")"
	archive=$scratch/ninja-build_$version.orig.tar.gz
	[[ -f $archive ]] || die "$suite has another version than $version: $(cd "$scratch" && ls ./*.orig.tar.*)"
	tar -xzf "$archive" -C "$scratch"
	[[ -d $scratch/ninja-$version/src ]] || die "the archive has no folder ninja-$version/src"
	mv "$scratch/ninja-$version" "$target/"
fi
printf '%s\n' "$target/ninja-$version/src"
