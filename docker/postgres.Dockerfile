# PostgreSQL with the extension and pgvector, from the distribution's packages.
#
#   make base-images
#   docker build -f docker/postgres.Dockerfile -t sorted-heap/postgres:17 .
#   docker build -f docker/postgres.Dockerfile --build-arg BASE=sorted-heap/debian:forky --build-arg PG=18 .
#
# BASE is a Debian image whose suite packages PostgreSQL PG: bookworm has 15, trixie
# 17, forky 18. No instruction needs BuildKit, and nothing is pulled. The data
# directory is a volume; start-postgres says where the server listens.
ARG BASE=sorted-heap/debian:trixie
ARG PG=17

FROM ${BASE} AS build
ARG PG
WORKDIR /src
COPY scripts/bootstrap.sh scripts/
RUN PG_CONFIG="/usr/lib/postgresql/${PG}/bin/pg_config" scripts/bootstrap.sh server
COPY pgext/ pgext/
RUN make -s -C pgext -j2 PG_CONFIG="/usr/lib/postgresql/${PG}/bin/pg_config" COPT=-Werror \
	&& make -s -C pgext install PG_CONFIG="/usr/lib/postgresql/${PG}/bin/pg_config" DESTDIR=/install \
	&& cp --parents -t /install "/usr/lib/postgresql/${PG}/lib/vector.so" \
		"/usr/share/postgresql/${PG}/extension"/vector*

FROM ${BASE}
ARG PG
ENV DEBIAN_FRONTEND=noninteractive
# The packages' own cluster is not wanted: the volume holds the only one.
RUN mkdir -p /etc/postgresql-common/createcluster.d \
	&& echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/none.conf \
	&& apt-get -qq update \
	&& apt-get -qq install -y --no-install-recommends "postgresql-${PG}" >/dev/null \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=build /install/ /
COPY docker/start-postgres /usr/local/bin/
ENV PATH="/usr/lib/postgresql/${PG}/bin:${PATH}" PGDATA=/var/lib/postgresql/data
RUN install -d -o postgres -g postgres -m 0700 "${PGDATA}"
USER postgres
VOLUME /var/lib/postgresql/data
EXPOSE 5432
STOPSIGNAL SIGINT
CMD ["start-postgres"]
