# syntax=docker/dockerfile:1
# PostgreSQL with the extension and pgvector, from the distribution's packages.
#
#   docker build -f docker/postgres.Dockerfile -t sortedheap .
#   docker build -f docker/postgres.Dockerfile --build-arg BASE=debian:forky --build-arg PG=18 .
#
# BASE is a Debian or Ubuntu image that packages PostgreSQL PG. The data
# directory is a volume; the server listens on the socket and on port 5432.
ARG BASE=debian:trixie
ARG PG=17

FROM ${BASE} AS build
ARG PG
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update \
	&& apt-get install -y --no-install-recommends gcc libc6-dev make \
		"postgresql-server-dev-${PG}" \
	&& rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pgext/ pgext/
RUN make -C pgext -j2 PG_CONFIG="/usr/lib/postgresql/${PG}/bin/pg_config" COPT=-Werror \
	&& make -C pgext install PG_CONFIG="/usr/lib/postgresql/${PG}/bin/pg_config" DESTDIR=/install

FROM ${BASE}
ARG PG
ENV DEBIAN_FRONTEND=noninteractive
# The packages' own cluster is not wanted: the volume holds the only one.
RUN mkdir -p /etc/postgresql-common/createcluster.d \
	&& echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/none.conf \
	&& apt-get update \
	&& apt-get install -y --no-install-recommends \
		"postgresql-${PG}" "postgresql-${PG}-pgvector" \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /install/ /
ENV PATH="/usr/lib/postgresql/${PG}/bin:${PATH}" PGDATA=/var/lib/postgresql/data
COPY --chmod=0755 <<'SCRIPT' /usr/local/bin/start-postgres
#!/usr/bin/env bash
# The superuser's password comes from a file, so that it is in no layer and no
# environment; without one, only the socket inside the container is open.
set -euo pipefail
password=/run/secrets/postgres_password
if [[ ! -s $PGDATA/PG_VERSION ]]; then
	if [[ -f $password ]]; then
		initdb --auth-local=trust --auth-host=scram-sha-256 --pwfile="$password"
		echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
		echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
	else
		initdb --auth-local=trust --auth-host=reject
	fi
fi
exec postgres
SCRIPT
RUN install -d -o postgres -g postgres -m 0700 "${PGDATA}"
USER postgres
VOLUME /var/lib/postgresql/data
EXPOSE 5432
STOPSIGNAL SIGINT
CMD ["start-postgres"]
