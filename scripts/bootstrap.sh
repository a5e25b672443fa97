#!/usr/bin/env bash
#
# bootstrap.sh
#   Brings a Debian or Ubuntu machine to the point where `make bench` and
#   `make test` can run, through the distribution's package manager.
#
#   scripts/bootstrap.sh             install what is missing (root or sudo)
#   scripts/bootstrap.sh lint        the same for `make lint` and `make fmt`
#   scripts/bootstrap.sh browser     as without a word, and Chromium for the test of report pages
#   scripts/bootstrap.sh server      only a compiler, PostgreSQL and pgvector
#   scripts/bootstrap.sh pg_config   print the pg_config that the build uses
#   scripts/bootstrap.sh go          print the go command that the build uses
#   scripts/bootstrap.sh mirror      print the Debian mirror that the machine uses
#   scripts/bootstrap.sh sources     fetch the source of ninja, which published figures are
#                                    of, into .cache/sources (root or sudo)
#
# What it promises:
#   - it says each thing it installs, and is silent when nothing is missing;
#   - it creates, starts and changes no PostgreSQL cluster of the machine;
#   - it edits no apt source: a package of another suite is fetched with
#     sources, lists and caches of its own, given on apt's command line;
#   - it takes the mirror from the machine's own sources.
#
# PG_CONFIG, when set, names the PostgreSQL to build for; otherwise the newest
# supported one that is installed is taken, and the distribution's when there
# is none.
set -euo pipefail

readonly SUPPORTED_PG="18 17 16 15"
# The first Go that fetches the version named in go.mod by itself.
readonly MIN_GO_MINOR=21
# Debian's suite whose source package of pgvector is built where the machine's
# own suite has no package of it.
readonly PGVECTOR_SUITE=trixie
# Source packages that carry pg_bsd_indent, and the suites that have them.
readonly PGINDENT_SOURCES="postgresql-17 postgresql-18"
readonly PGINDENT_SUITES="trixie forky"
# The source package that `benchgraph note` asks questions of, and a suite that has it.
readonly NINJA_VERSION=1.12.1
readonly NINJA_SUITE=trixie

say() { printf 'bootstrap: %s\n' "$*" >&2; }

die() {
	say "$*"
	exit 1
}

# --- what is there ----------------------------------------------------------

# The PostgreSQL major version behind a pg_config, or nothing.
pg_major() {
	"$1" --version 2>/dev/null | sed -n 's/^PostgreSQL \([0-9][0-9]*\).*/\1/p'
}

# Does this pg_config have a server to run and headers to build against?
pg_complete() {
	[[ -x "$("$1" --bindir)/postgres" && -f "$("$1" --includedir-server)/postgres.h" &&
	-f "$("$1" --pgxs)" ]]
}

# pg_config of the newest supported installation that is complete.
find_pg_config() {
	local version candidate
	if [[ -n ${PG_CONFIG:-} ]]; then
		command -v "$PG_CONFIG"
		return
	fi
	for version in $SUPPORTED_PG; do
		candidate=/usr/lib/postgresql/$version/bin/pg_config
		if [[ -x $candidate ]] && pg_complete "$candidate"; then
			printf '%s\n' "$candidate"
			return
		fi
	done
	candidate=$(command -v pg_config) || return 1
	[[ " $SUPPORTED_PG " == *" $(pg_major "$candidate") "* ]] && pg_complete "$candidate" &&
		printf '%s\n' "$candidate"
}

# The minor version of a Go 1.x command, or 0.
go_minor() {
	local version
	version=$(cd / && GOTOOLCHAIN=local "$1" version 2>/dev/null) || version=
	version=$(sed -n 's/^go version go1\.\([0-9][0-9]*\).*/\1/p' <<<"$version")
	printf '%s\n' "${version:-0}"
}

# The first Go that is new enough: on the PATH, then where packages and the
# release archive put it.
find_go() {
	local candidate
	for candidate in $(type -ap go) /usr/local/go/bin/go \
		$(compgen -G '/usr/lib/go-*/bin/go' | sort -rV); do
		if [[ -x $candidate ]] && (($(go_minor "$candidate") >= MIN_GO_MINOR)); then
			printf '%s\n' "$candidate"
			return
		fi
	done
	return 1
}

have_compiler() {
	command -v gcc >/dev/null && command -v make >/dev/null && [[ -f /usr/include/stdio.h ]]
}

have_certificates() { [[ -s /etc/ssl/certs/ca-certificates.crt || -n ${SSL_CERT_FILE:-} ]]; }

have_pgvector() { [[ -f "$("$1" --sharedir)/extension/vector.control" ]]; }

# --- apt --------------------------------------------------------------------

# Run as root; apt_refresh has made sure that we are or can be.
as_root() {
	if ((EUID == 0)); then
		"$@"
	else
		sudo "$@"
	fi
}

# A directory for what must not outlive this run.
scratch=
make_scratch() {
	[[ -z $scratch ]] || return 0
	scratch=$(mktemp -d)
	chmod 755 "$scratch" # apt downloads as a user of its own
}

# What a package prints while it installs is of interest when it fails.
apt_root() {
	make_scratch
	as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq -o Dpkg::Use-Pty=0 \
		-o DPkg::Lock::Timeout=300 "$@" \
		>"$scratch/apt.log" 2>&1 </dev/null || {
		cat "$scratch/apt.log" >&2
		return 1
	}
}

# Lists are refreshed once, before the first look into them.
apt_lists_fresh=
apt_refresh() {
	[[ -z $apt_lists_fresh ]] || return 0
	command -v apt-get >/dev/null ||
		die "there is no apt-get here. Install gcc, make, PostgreSQL ${SUPPORTED_PG##* } or later" \
			"with its server headers, pgvector, and Go 1.$MIN_GO_MINOR or later, then run this again."
	((EUID == 0)) || command -v sudo >/dev/null ||
		die "packages are missing; run this as root, or install sudo"
	say "reading the package lists (apt-get update)"
	apt_root update || say "apt-get update reported an error; trying with the lists at hand"
	apt_lists_fresh=1
}

# The version that apt would install, or nothing.
apt_candidate() {
	LC_ALL=C apt-cache policy "$1" 2>/dev/null |
		sed -n 's/^ *Candidate: \([^(].*\)/\1/p'
}

apt_install() {
	say "installing $*"
	apt_root install -y --no-install-recommends "$@"
}

clean_up() {
	[[ -z ${cluster_dropin:-} ]] || as_root rm -f "$cluster_dropin"
	[[ -z $scratch ]] || as_root rm -rf "$scratch"
}

# The name of this release, such as bookworm.
codename() {
	# shellcheck disable=SC1091 # the machine's file, not ours
	(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
}

# The mirror that this machine gets its own Debian release from.
debian_mirror() {
	# shellcheck disable=SC2016 # the dollars are apt's
	apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(CREATED_BY) $(REPO_URI)' |
		awk -v suite="$(codename)" \
			'$1 == "Debian" && $2 == suite && $3 == "main" && $4 == "Packages" { print $5; exit }'
}

# private_lists SOURCE-LINE...: fetch lists of other suites. %o in a line stands
# for its options, %m for the mirror.
private_lists() {
	local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg options=
	mirror=$(debian_mirror)
	[[ -n $mirror ]] || return 1
	[[ ! -f $keyring ]] || options="[signed-by=$keyring]"
	make_scratch
	rm -rf "$scratch/apt"
	mkdir -p "$scratch/apt/lists/partial"
	printf '%s\n' "$@" | sed -e "s|%o|$options|" -e "s|%m|$mirror|" >"$scratch/apt/sources.list"
	private_apt apt_root update
}

# private_apt COMMAND ARGUMENT...: COMMAND with apt pointed at those lists.
private_apt() {
	local command=$1
	shift
	"$command" -o Dir::Etc::sourcelist="$scratch/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::lists="$scratch/apt/lists" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}

# Download the first upstream archive of a list of source packages that can be had,
# from the suites of another list; prints the archive. apt checks it.
fetch_source() {
	local packages=$1 suites=$2 suite package lines=()
	for suite in $suites; do
		lines+=("deb-src %o %m $suite main")
	done
	private_lists "${lines[@]}" || return 1
	for package in $packages; do
		# apt reads the scratch directory as the caller, not as its own user.
		(cd "$scratch" && private_apt apt-get -qq -o APT::Sandbox::User=root \
			source --download-only --tar-only "$package") >"$scratch/apt.log" 2>&1 || continue
		compgen -G "$scratch/${package}_*.orig.tar.*" | head -n 1
		return
	done
	cat "$scratch/apt.log" >&2
	return 1
}

# --- PostgreSQL -------------------------------------------------------------

# Debian's server packages create a cluster, and start it where there is an
# init. We want the programs only: a drop-in says so while we install.
cluster_dropin=
forbid_cluster() {
	local directory=/etc/postgresql-common/createcluster.d
	as_root mkdir -p "$directory"
	cluster_dropin=$directory/zz-sorted-heap-bootstrap.conf
	echo 'create_main_cluster = false' | as_root tee "$cluster_dropin" >/dev/null
}

# The major version to install packages of: the one that PG_CONFIG names, the
# newest one whose server is here already, or the newest the distribution has.
choose_pg_version() {
	local version
	if [[ ${PG_CONFIG:-} =~ ^/usr/lib/postgresql/([0-9]+)/ ]]; then
		printf '%s\n' "${BASH_REMATCH[1]}"
		return
	fi
	for version in $SUPPORTED_PG; do
		if [[ -x /usr/lib/postgresql/$version/bin/postgres ]]; then
			printf '%s\n' "$version"
			return
		fi
	done
	for version in $SUPPORTED_PG; do
		if [[ -n $(apt_candidate "postgresql-$version") &&
		-n $(apt_candidate "postgresql-server-dev-$version") ]]; then
			printf '%s\n' "$version"
			return
		fi
	done
	return 1
}

ensure_postgres() {
	local version
	if config=$(find_pg_config) && pg_complete "$config"; then
		return
	fi
	if [[ -n ${PG_CONFIG:-} && $PG_CONFIG != /usr/lib/postgresql/* ]]; then
		die "PG_CONFIG=$PG_CONFIG has no server or no server headers"
	fi
	apt_refresh
	version=$(choose_pg_version) ||
		die "this distribution has no PostgreSQL $SUPPORTED_PG;" \
			"add the PostgreSQL project's own apt repository, or set PG_CONFIG"
	forbid_cluster
	apt_install "postgresql-$version" "postgresql-server-dev-$version"
	config=/usr/lib/postgresql/$version/bin/pg_config
	pg_complete "$config" || die "postgresql-$version is installed but incomplete"
}

# --- pgvector, the rival of the benchmarks ----------------------------------

# Build pgvector from the source package of a newer Debian. bitcode is left
# out: the benchmarks run without JIT.
build_pgvector() {
	local config=$1 archive
	apt_refresh
	apt_install debian-archive-keyring || return 1
	archive=$(fetch_source pgvector "$PGVECTOR_SUITE") || return 1
	say "building $(basename "$archive") of Debian $PGVECTOR_SUITE"
	mkdir "$scratch/pgvector"
	tar -xzf "$archive" -C "$scratch/pgvector" --strip-components=1 || return 1
	make -s -j2 -C "$scratch/pgvector" PG_CONFIG="$config" with_llvm=no >/dev/null || return 1
	as_root make -s -C "$scratch/pgvector" PG_CONFIG="$config" with_llvm=no install >/dev/null
}

# A machine without pgvector still runs everything else, and the benchmark's
# table has a row that says so.
ensure_pgvector() {
	local package
	package=postgresql-$(pg_major "$config")-pgvector
	! have_pgvector "$config" || return 0
	apt_refresh
	if [[ $config == /usr/lib/postgresql/* && -n $(apt_candidate "$package") ]]; then
		apt_install "$package"
	elif ! build_pgvector "$config"; then
		say "pgvector is not to be had here: its rows in the benchmark will say that it is missing"
	fi
}

# --- Go ---------------------------------------------------------------------

# Is the version of a golang-go package new enough?
go_package_is_new() { [[ $1 =~ ^[0-9]+:1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= MIN_GO_MINOR)); }

# The newest versioned Go package of this distribution, such as golang-1.23-go.
newest_go_package() {
	local package
	package=$(apt-cache pkgnames golang-1. | grep -E '^golang-1\.[0-9]+-go$' | sort -rV | head -n 1)
	[[ $package =~ ^golang-1\.([0-9]+)-go$ ]] && ((BASH_REMATCH[1] >= MIN_GO_MINOR)) &&
		printf '%s\n' "$package"
}

ensure_go() {
	local suite package
	! find_go >/dev/null || return 0
	apt_refresh
	suite=$(codename)
	if go_package_is_new "$(apt_candidate golang-go)"; then
		apt_install golang-go
	elif package=$(newest_go_package); then
		apt_install "$package"
	elif private_lists "deb %o %m $suite main" "deb %o %m $suite-backports main"; then
		say "installing golang-go from $suite-backports"
		private_apt apt_root install -y --no-install-recommends -t "$suite-backports" \
			golang-go
	fi
	find_go >/dev/null ||
		die "needs Go 1.$MIN_GO_MINOR or later (it fetches the version that go.mod names):" \
			"install it from your distribution or from the Go project's downloads"
}

# --- tests of another architecture's kernels ---------------------------------

# A machine without these runs everything else, and the test counts a skip.
ensure_emulator() {
	[[ $(uname -m) == x86_64 ]] || return 0
	! command -v aarch64-linux-gnu-gcc >/dev/null ||
		! command -v qemu-aarch64-static >/dev/null || return 0
	apt_refresh
	apt_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static ||
		say "no cross compiler or emulator here: the tests of NEON kernels will be skipped"
}

# --- a browser ---------------------------------------------------------------

# Some 200 MB, so only where it is asked for. A machine without runs everything
# else, and the test of pages counts a skip.
ensure_browser() {
	local name
	for name in chromium chromium-browser google-chrome; do
		! command -v "$name" >/dev/null || return 0
	done
	apt_refresh
	# Ubuntu's package fetches a snap, which containers cannot run.
	if [[ -z $(apt_candidate chromium) ]] || ! apt_install chromium; then
		say "no Chromium to be had here: the test of report pages will be skipped"
	fi
}

# --- formatters --------------------------------------------------------------

# pgindent needs pg_bsd_indent. Server development packages carry both since
# PostgreSQL 17; before that they are built into bin/ from a newer Debian's
# sources, with the machine's own PostgreSQL headers.
ensure_pgindent() {
	local target=bin/pgindent archive library
	! compgen -G '/usr/lib/postgresql/*/bin/pg_bsd_indent' >/dev/null || return 0
	[[ ! -x $target/pg_bsd_indent ]] || return 0
	apt_refresh
	apt_install bzip2 debian-archive-keyring
	archive=$(fetch_source "$PGINDENT_SOURCES" "$PGINDENT_SUITES") ||
		die "the source of pg_bsd_indent is not to be had here"
	say "building pg_bsd_indent from $(basename "$archive")"
	mkdir -p "$scratch/indent" "$target"
	tar -xf "$archive" -C "$scratch/indent" --strip-components=3 --wildcards \
		'*/src/tools/pg_bsd_indent/*' '*/src/tools/pgindent/*'
	library=$(dirname "$("$config" --pgxs)")/../../..
	# Headers before PostgreSQL 18 have no word for pg_noreturn.
	gcc -O2 -w -D_GNU_SOURCE '-Dpg_noreturn=__attribute__((noreturn))' -I"$("$config" --includedir-server)" -I"$scratch/indent/pg_bsd_indent" \
		-o "$target/pg_bsd_indent" "$scratch"/indent/pg_bsd_indent/*.c \
		-L"$library" -lpgcommon -lpgport
	cp "$scratch/indent/pgindent/pgindent" "$target/"
}

ensure_linters() {
	local packages=()
	command -v shellcheck >/dev/null || packages+=(shellcheck)
	command -v perl >/dev/null || packages+=(perl)
	((${#packages[@]} == 0)) || {
		apt_refresh
		apt_install "${packages[@]}"
	}
	ensure_pgindent
}

fetch_ninja() {
	local target=.cache/sources archive
	if [[ ! -d $target/ninja-$NINJA_VERSION/src ]]; then
		make_scratch
		archive=$(fetch_source ninja-build "$NINJA_SUITE") || die "the source of ninja is not to be had here"
		[[ $archive == *_$NINJA_VERSION.orig.tar.* ]] || die "$NINJA_SUITE has another ninja than $NINJA_VERSION: $(basename "$archive")"
		mkdir -p "$target"
		tar -xf "$archive" -C "$scratch"
		mv "$scratch/ninja-$NINJA_VERSION" "$target/"
	fi
	say "ninja's source is in $target/ninja-$NINJA_VERSION"
}

main() {
	local config packages=() lint="" server="" browser=""
	cd "$(dirname "$0")/.."
	case ${1:-} in
	pg_config) find_pg_config && exit || exit 1 ;;
	go) find_go && exit || exit 1 ;;
	mirror) debian_mirror && exit || exit 1 ;;
	lint) lint=1 ;;
	server) server=1 ;;
	browser) browser=1 ;;
	sources | "") ;;
	*) die "usage: bootstrap.sh [lint|server|browser|pg_config|go|mirror|sources]" ;;
	esac
	trap clean_up EXIT
	if [[ ${1:-} == sources ]]; then
		fetch_ninja
		return
	fi
	have_compiler || packages+=(gcc libc6-dev make)
	[[ -n $server ]] || have_certificates || packages+=(ca-certificates)
	if ((${#packages[@]} > 0)); then
		apt_refresh
		apt_install "${packages[@]}"
	fi
	ensure_postgres
	ensure_pgvector
	[[ -z $server ]] || return 0
	ensure_go
	ensure_emulator
	[[ -z $lint ]] || ensure_linters
	[[ -z $browser ]] || ensure_browser
}

main "$@"
