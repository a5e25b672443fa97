#!/usr/bin/env bash
#
# base-images.sh SUITE...
#   Makes the images that postgres.Dockerfile starts from, sorted-heap/debian:SUITE,
#   out of the distribution's packages: no image registry is asked. An image that
#   is there already stays as it is, so a machine with a registry may tag one of
#   its own instead.
#
#   Needs root (debootstrap makes a root file system) and a Docker daemon. The
#   mirror is the machine's own, or MIRROR; so are apt's settings for a proxy and
#   for the age of lists.
set -euo pipefail
cd "$(dirname "$0")/.."

die() {
	printf 'base-images: %s\n' "$*" >&2
	exit 1
}

root=
trap '[[ -z $root ]] || rm -rf "$root"' EXIT

# What apt inside an image must know to reach the same mirror.
apt_settings() {
	apt-config dump | grep -E '^Acquire::(Check-Valid-Until|https?::Proxy) ' || true
}

ensure_debootstrap() {
	! command -v debootstrap >/dev/null || return 0
	apt-get -qq update && apt-get -qq install -y --no-install-recommends debootstrap \
		debian-archive-keyring >/dev/null
}

make_image() {
	local suite=$1 image=sorted-heap/debian:$1
	if docker image inspect "$image" >/dev/null 2>&1; then
		printf '%s is there\n' "$image"
		return
	fi
	((EUID == 0)) || die "$image is not there; making it needs root"
	ensure_debootstrap
	printf 'making %s from %s\n' "$image" "$mirror"
	root=$(mktemp -d "${TMPDIR:-/tmp}/sorted-heap-base-XXXXXX")
	chmod 755 "$root"
	debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
		tail -n 5 "$root.log" >&2
		rm -f "$root.log"
		die "debootstrap of $suite failed"
	}
	rm -f "$root.log"
	apt_settings >"$root/etc/apt/apt.conf.d/90-of-the-host"
	rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
	tar -C "$root" --numeric-owner -c . | docker import - "$image" >/dev/null
	rm -rf "$root"
	root=
}

(($# > 0)) || die "usage: base-images.sh SUITE..."
docker version --format '{{.Server.Version}}' >/dev/null 2>&1 || die "no Docker daemon answers"
mirror=${MIRROR:-$(scripts/bootstrap.sh mirror)}
[[ -n $mirror ]] || die "apt names no Debian mirror here; set MIRROR to one"
for suite in "$@"; do
	make_image "$suite"
done
