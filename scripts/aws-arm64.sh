#!/usr/bin/env bash
#
# aws-arm64.sh
#   Runs benchgraph on a remote ARM64 machine and brings the results back.
#
#   scripts/aws-arm64.sh [OPTION...] [USER@]HOST run multihop --chains 5000
#   scripts/aws-arm64.sh [OPTION...] [USER@]HOST repeat multihop --builds 3
#   scripts/aws-arm64.sh [OPTION...] --stop [USER@]HOST
#
#   -i FILE       identity file for ssh; ssh never asks, so a passphrase needs an agent
#   -p PORT       port of ssh
#   -k FILE       known_hosts to hold the host to; default: the key of the first
#                 contact, for as long as this run lasts
#   -n NAME       name of the run, a word (default: bench)
#   -o DIR        where results go (default: results/NAME)
#   -d DIR        directory on the host (default: sorted-heap-NAME at home)
#   --any-arch    run on a machine that is no ARM64 too
#   --keep        leave the directory on the host
#   --stop        end the run on the host and remove its directory
#
#   The tree's tracked files go over, as they are in the work tree; on the host
#   they are built after `make deps`, which needs root or sudo without a password.
#   The run does not hang on the connection: when that breaks, this script connects
#   again, and when the script is ended, the same command takes the run up where it
#   is. At the end the host's directory is removed.
#
#   No secret goes over or stays: no agent and no environment is forwarded, no
#   key copied, and a connection string is refused, since it would be in the host's
#   list of processes. Your own known_hosts is not touched.
#
#   Exit codes: benchgraph's own; 2 usage; 75 the host cannot be reached (the same
#   command resumes); 76 building on the host failed or the run died there.
#
# shellcheck disable=SC2317 # functions are called through patiently
set -euo pipefail
cd "$(dirname "$0")/.."

readonly EXIT_USAGE=2 EXIT_LOST=75 EXIT_FAILED=76
# How often, and with how many seconds between, a lost host is tried again.
readonly TRIES=${AWS_ARM64_TRIES:-40} PAUSE=${AWS_ARM64_PAUSE:-15}

say() { printf 'aws-arm64: %s\n' "$*" >&2; }

usage() {
	say "$*"
	say "scripts/aws-arm64.sh [-i KEY] [-p PORT] [-k KNOWN_HOSTS] [-n NAME] [-o DIR] [-d DIR] [--any-arch] [--keep] HOST COMMAND..., or --stop HOST"
	exit "$EXIT_USAGE"
}

# --- the command line -------------------------------------------------------

identity='' port='' known_hosts='' name=bench out='' dir='' any_arch='' keep='' stop='' host=''
while (($# > 0)); do
	case $1 in
	-i | -p | -k | -n | -o | -d)
		(($# > 1)) || usage "$1 needs a value"
		case $1 in
		-i) identity=$2 ;;
		-p) port=$2 ;;
		-k) known_hosts=$2 ;;
		-n) name=$2 ;;
		-o) out=$2 ;;
		-d) dir=$2 ;;
		esac
		shift 2
		;;
	--any-arch) any_arch=1 && shift ;;
	--keep) keep=1 && shift ;;
	--stop) stop=1 && shift ;;
	-*) usage "unknown option $1" ;;
	*) break ;;
	esac
done
(($# > 0)) || usage "name a host"
host=$1
shift
[[ $host =~ ^[A-Za-z0-9_.@:-]+$ && $host != -* ]] || usage "\"$host\" is no host"
[[ $name =~ ^[A-Za-z0-9_-]+$ ]] || usage "-n \"$name\" is no word"
dir=${dir:-sorted-heap-$name}
[[ $dir =~ ^[A-Za-z0-9_./-]+$ && $dir != -* && $dir != *..* && ${dir##*/} == *[A-Za-z0-9]* ]] ||
	usage "-d \"$dir\" is no plain path"
[[ -z $port || $port =~ ^[0-9]+$ ]] || usage "-p \"$port\" is no number"
[[ -z $identity || -r $identity ]] || usage "-i $identity cannot be read"
[[ -z $known_hosts || -r $known_hosts ]] || usage "-k $known_hosts cannot be read"
if [[ -z $stop ]]; then
	(($# > 0)) || usage "say what to run, such as: run multihop"
	[[ $1 == run || $1 == repeat || $1 == sweep ]] || usage "\"$1\" is neither run, repeat nor sweep"
	for argument in "$@"; do
		case $argument in
		--out | --out=*) usage "--out: results go where -o says" ;;
		*://* | *host=* | *password=*) usage "a connection string has no place on another machine; leave --pg to local or container" ;;
		esac
	done
fi
out=${out:-results/$name}

# --- the connection ---------------------------------------------------------

readonly STATE=.cache/aws-arm64/$name
umask 077
mkdir -p "$STATE"
options=(-a -x -T -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=3
	-o ControlPath=none -o ClearAllForwardings=yes -o 'SendEnv=-*' -o LogLevel=ERROR)
if [[ -n $known_hosts ]]; then
	options+=(-o "UserKnownHostsFile=$known_hosts" -o StrictHostKeyChecking=yes)
else
	options+=(-o "UserKnownHostsFile=$STATE/known_hosts" -o StrictHostKeyChecking=accept-new)
fi
[[ -z $identity ]] || options+=(-i "$identity" -o IdentitiesOnly=yes)
[[ -z $port ]] || options+=(-p "$port")

# remote ARGUMENT...: runs the bash program on standard input on the host.
remote() { ssh "${options[@]}" -- "$host" bash -s -- "${@@Q}"; }

# patiently COMMAND...: until it works or fails for a reason other than the
# connection.
tries=$TRIES
patiently() {
	local try=0 code
	while true; do
		code=0
		"$@" || code=$?
		# ssh says 255; the others are an ssh that was killed.
		((code == 255 || code == 137 || code == 143)) || return "$code"
		((++try < tries)) || break
		say "no connection to $host, trying again"
		sleep "$PAUSE"
	done
	say "$host cannot be reached; the same command tries again, or takes the run up"
	exit "$EXIT_LOST"
}

# --- what happens on the host -----------------------------------------------

# Prints the machine, and the state of a run: none, running, ended or dead.
look() {
	remote "$dir" <<'REMOTE'
uname -m
cd "$1" 2>/dev/null || { echo none; exit; }
if [[ -f exit ]]; then echo ended
elif [[ ! -f pid ]]; then echo none
elif grep -qs run.sh "/proc/$(cat pid)/cmdline"; then echo running
else echo dead
fi
cat command 2>/dev/null || true
REMOTE
}

# Files come as an archive: what git tracks, as the work tree has it.
send() {
	git ls-files -z --recurse-submodules | while IFS= read -r -d '' file; do
		[[ ! -e $file && ! -L $file ]] || printf '%s\0' "$file"
	done | tar --null --no-recursion -T - -cz |
		ssh "${options[@]}" -- "$host" "umask 077 && mkdir -p ${dir@Q}/tree && tar -xzf - -C ${dir@Q}/tree"
}

# The run has a session of its own, so that the connection's end is not its end.
# Two starts, the second after a connection that broke too soon, make one run.
start() {
	remote "$dir" "$command" "$commit" "$name" <<'REMOTE'
set -euo pipefail
umask 077
cd "$1"
printf '%s' "$2" >command
cat >run.sh <<RUN
umask 022
cd tree
export GOFLAGS=-ldflags=-X=main.commit=$3
code=0
{ make deps && make -s build && make -s install && mkdir -p results; } || code=76
if ((code == 0)); then
	bin/benchgraph $2 --out results/$4.json || code=\$?
fi
echo \$code >../exit.new
mv ../exit.new ../exit
RUN
mkdir started 2>/dev/null || exit 0
setsid nohup bash run.sh >log 2>&1 </dev/null &
echo $! >pid
REMOTE
}

# The host's log from where ours ends, until the run does.
follow() {
	local from=0
	[[ ! -f $STATE/log ]] || from=$(wc -c <"$STATE/log")
	remote "$dir" "$((from + 1))" <<'REMOTE' | tee -a "$STATE/log"
cd "$1" || exit 1
exec tail -c "+$2" -f --pid="$(cat pid)" log
REMOTE
}

fetch() {
	ssh "${options[@]}" -- "$host" "cd ${dir@Q} && mkdir -p tree/results && tar -czf - -C tree results -C .. exit log" |
		tar -xzf - -C "$STATE"
}

end_run() {
	remote "$dir" <<'REMOTE'
cd "$1" 2>/dev/null || exit 0
if [[ -f pid ]] && grep -qs run.sh "/proc/$(cat pid)/cmdline"; then
	group=$(cat pid)
	kill -TERM -- "-$group" || true
	for ((i = 0; i < 300; i++)); do
		kill -0 -- "-$group" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL -- "-$group" 2>/dev/null || true
fi
REMOTE
}

remove() {
	remote "$dir" <<'REMOTE'
if [[ -d $1/tree ]]; then rm -rf -- "$1"; fi
REMOTE
}

# --- the run ----------------------------------------------------------------

trap 'say "stopped watching; the run on $host goes on, the same command takes it up"; exit 130' INT

if [[ -n $stop ]]; then
	patiently end_run
	patiently remove
	rm -rf "$STATE"
	say "the run is ended and its directory removed"
	exit
fi

command=${*@Q}
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- || commit+=-dirty
# At the first contact a host that does not answer is a mistake.
[[ -f $STATE/log ]] || tries=1
patiently look >"$STATE/seen"
tries=$TRIES
{ read -r machine && read -r state && IFS= read -r -d '' there; } <"$STATE/seen" || true
[[ -n $any_arch || $machine == aarch64 ]] || {
	say "$host is a $machine, not an aarch64; --any-arch runs all the same"
	exit "$EXIT_USAGE"
}
if [[ $state != none && ${there%$'\n'} != "$command" ]]; then
	say "$host has another run of the name $name ($there); --stop ends it, -n gives this one another name"
	exit "$EXIT_USAGE"
fi
case $state in
none)
	: >"$STATE/log"
	say "sending the tree to $host"
	patiently send
	patiently start
	;;
*) say "taking up the run on $host, which is $state" ;;
esac
patiently follow
patiently look >"$STATE/seen"
{ read -r machine && read -r state; } <"$STATE/seen"
if [[ $state != ended ]]; then
	say "the run on $host died; its log is in $STATE/log, --stop clears its directory"
	exit "$EXIT_FAILED"
fi
patiently fetch
[[ -n $keep ]] || patiently remove
code=$(cat "$STATE/exit")
mkdir -p "$out"
cp -r "$STATE/results/." "$out/"
cp "$STATE/log" "$out/$name.log"
rm -rf "$STATE"
say "log and results of $machine are in $out"
((code != 76)) || say "building on $host failed"
exit "$code"
