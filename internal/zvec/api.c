/*
 * api.c
 *	  zvec's C interface by dlsym, see api.h.
 */
#include "api.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of the library's enumerations. */
enum
{
	OK = 0,
	LOG_WARN = 2,
	TYPE_VECTOR_FP32 = 23,
	INDEX_HNSW = 1,
	METRIC_COSINE = 3
};

static const char FIELD[] = "embedding";
static const char COLLECTION[] = "facts";

/* Log files: one of at most this many megabytes (less is refused), kept for a day. */
#define LOG_MEGABYTES 256
#define LOG_DAYS 1

/*
 * Every function: result, name, arguments.  Objects of the library are opaque,
 * so one pointer type does for all.
 */
#define FUNCTIONS(F) \
	F(const char *, get_version, (void)) \
	F(int, get_last_error, (char **)) \
	F(bool, is_initialized, (void)) \
	F(int, initialize, (const void *)) \
	F(void *, config_data_create, (void)) \
	F(void, config_data_destroy, (void *)) \
	F(int, config_data_set_log_config, (void *, void *)) \
	F(void *, config_log_create_file, (int, const char *, const char *, uint32_t, uint32_t)) \
	F(void *, index_params_create, (uint32_t)) \
	F(void, index_params_destroy, (void *)) \
	F(int, index_params_set_metric_type, (void *, uint32_t)) \
	F(int, index_params_set_hnsw_params, (void *, int, int)) \
	F(void *, field_schema_create, (const char *, uint32_t, bool, uint32_t)) \
	F(void, field_schema_destroy, (void *)) \
	F(int, field_schema_set_index_params, (void *, const void *)) \
	F(void *, collection_schema_create, (const char *)) \
	F(void, collection_schema_destroy, (void *)) \
	F(int, collection_schema_add_field, (void *, const void *)) \
	F(int, collection_create_and_open, (const char *, const void *, const void *, void **)) \
	F(int, collection_open, (const char *, const void *, void **)) \
	F(int, collection_close, (void *)) \
	F(int, collection_insert, (void *, const void **, size_t, size_t *, size_t *)) \
	F(int, collection_optimize, (void *)) \
	F(int, collection_get_stats, (const void *, void **)) \
	F(void, collection_stats_destroy, (void *)) \
	F(size_t, collection_stats_get_index_count, (const void *)) \
	F(float, collection_stats_get_index_completeness, (const void *, size_t)) \
	F(int, collection_query, (const void *, const void *, void ***, size_t *)) \
	F(void *, doc_create, (void)) \
	F(void, doc_destroy, (void *)) \
	F(void, doc_set_pk, (void *, const char *)) \
	F(int, doc_add_field_by_value, (void *, const char *, uint32_t, const void *, size_t)) \
	F(const char *, doc_get_pk_pointer, (const void *)) \
	F(float, doc_get_score, (const void *)) \
	F(void, docs_free, (void **, size_t)) \
	F(void *, query_params_hnsw_create, (int, float, bool, bool)) \
	F(void, query_params_hnsw_destroy, (void *)) \
	F(void *, vector_query_create, (void)) \
	F(void, vector_query_destroy, (void *)) \
	F(int, vector_query_set_topk, (void *, int)) \
	F(int, vector_query_set_output_fields, (void *, const char **, size_t)) \
	F(int, vector_query_set_field_name, (void *, const char *)) \
	F(int, vector_query_set_query_vector, (void *, const void *, size_t)) \
	F(int, vector_query_set_hnsw_params, (void *, void *))

struct zv_api
{
#define MEMBER(result, name, arguments) result (*name) arguments;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

zv_api *
zv_bind(void *library, const char **missing)
{
	zv_api	   *api = calloc(1, sizeof(zv_api));

	*missing = "memory";
	if (api == NULL)
		return NULL;
#define LOOK_UP(result, name, arguments) \
	*(void **) &api->name = dlsym(library, "zvec_" #name); \
	if (api->name == NULL) \
	{ \
		*missing = "zvec_" #name; \
		free(api); \
		return NULL; \
	}
	FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	return api;
}

const char *
zv_version(const zv_api *api)
{
	return api->get_version();
}

/* Set the error text unless the code is OK; returns the code. */
static int
explain(const zv_api *api, int code, const char *doing, char *error)
{
	char	   *text = NULL;

	if (code == OK)
		return OK;
	if (api->get_last_error(&text) != OK || text == NULL)
		text = NULL;
	snprintf(error, ZV_ERROR_SIZE, "%s: %s (code %d)", doing, text ? text : "no reason given", code);
	free(text);
	return code;
}

/* An object that the library did not create. */
static int
no_memory(const char *doing, char *error)
{
	snprintf(error, ZV_ERROR_SIZE, "%s: the library returned no object", doing);
	return -1;
}

int
zv_initialize(const zv_api *api, const char *log_dir, char *error)
{
	void	   *config;
	void	   *log;
	int			code;

	if (api->is_initialized())
		return OK;
	config = api->config_data_create();
	log = api->config_log_create_file(LOG_WARN, log_dir, "zvec", LOG_MEGABYTES, LOG_DAYS);
	if (config == NULL || log == NULL)
	{
		/* a lone log stays: it is the library's from here on */
		if (config != NULL)
			api->config_data_destroy(config);
		return no_memory("configure", error);
	}
	code = explain(api, api->config_data_set_log_config(config, log), "set log", error);
	if (code == OK)
		code = explain(api, api->initialize(config), "initialize", error);
	api->config_data_destroy(config);
	return code;
}

/* The one field of a collection, with its index. */
static int
describe_field(const zv_api *api, void *field, void *params, int m, int ef_construction,
			   char *error)
{
	int			code;

	if (field == NULL || params == NULL)
		return no_memory("describe field", error);
	code = explain(api, api->index_params_set_metric_type(params, METRIC_COSINE),
				   "set metric", error);
	if (code == OK)
		code = explain(api, api->index_params_set_hnsw_params(params, m, ef_construction),
					   "set index parameters", error);
	if (code == OK)
		code = explain(api, api->field_schema_set_index_params(field, params),
					   "describe field", error);
	return code;
}

int
zv_create(const zv_api *api, const char *path, uint32_t dim, int m, int ef_construction,
		  void **collection, char *error)
{
	void	   *field = api->field_schema_create(FIELD, TYPE_VECTOR_FP32, false, dim);
	void	   *params = api->index_params_create(INDEX_HNSW);
	void	   *schema = api->collection_schema_create(COLLECTION);
	int			code = describe_field(api, field, params, m, ef_construction, error);

	if (code == OK && schema == NULL)
		code = no_memory("describe collection", error);
	if (code == OK)
		code = explain(api, api->collection_schema_add_field(schema, field),
					   "describe collection", error);
	if (code == OK)
		code = explain(api, api->collection_create_and_open(path, schema, NULL, collection),
					   "create collection", error);
	if (schema != NULL)
		api->collection_schema_destroy(schema);
	if (params != NULL)
		api->index_params_destroy(params);
	if (field != NULL)
		api->field_schema_destroy(field);
	return code;
}

int
zv_open(const zv_api *api, const char *path, void **collection, char *error)
{
	return explain(api, api->collection_open(path, NULL, collection), "open collection", error);
}

/* One row as a document, or NULL. */
static void *
make_doc(const zv_api *api, uint64_t id, const float *vector, uint32_t dim, char *error)
{
	char		key[24];
	void	   *doc = api->doc_create();
	int			code;

	if (doc == NULL)
	{
		no_memory("make row", error);
		return NULL;
	}
	snprintf(key, sizeof(key), "%" PRIu64, id);
	api->doc_set_pk(doc, key);
	code = api->doc_add_field_by_value(doc, FIELD, TYPE_VECTOR_FP32, vector,
									   dim * sizeof(float));
	if (explain(api, code, "make row", error) != OK)
	{
		api->doc_destroy(doc);
		return NULL;
	}
	return doc;
}

int
zv_insert(const zv_api *api, void *collection, uint64_t first_id, const float *vectors,
		  size_t rows, uint32_t dim, char *error)
{
	const void **docs = calloc(rows, sizeof(void *));
	size_t		made = 0;
	size_t		stored = 0;
	size_t		refused = 0;
	int			code = OK;

	if (docs == NULL)
		return no_memory("insert", error);
	for (; made < rows && code == OK; made++)
	{
		docs[made] = make_doc(api, first_id + made, vectors + made * dim, dim, error);
		if (docs[made] == NULL)
		{
			code = -1;
			break;
		}
	}
	if (code == OK)
		code = explain(api, api->collection_insert(collection, docs, rows, &stored, &refused),
					   "insert", error);
	if (code == OK && stored != rows)
	{
		snprintf(error, ZV_ERROR_SIZE, "insert: %zu of %zu rows stored", stored, rows);
		code = -1;
	}
	for (size_t i = 0; i < made; i++)
		api->doc_destroy((void *) docs[i]);
	free(docs);
	return code;
}

int
zv_optimize(const zv_api *api, void *collection, char *error)
{
	return explain(api, api->collection_optimize(collection), "optimize", error);
}

int
zv_close(const zv_api *api, void *collection, char *error)
{
	return explain(api, api->collection_close(collection), "close", error);
}

float
zv_completeness(const zv_api *api, void *collection)
{
	void	   *stats = NULL;
	float		completeness = -1;

	if (api->collection_get_stats(collection, &stats) != OK || stats == NULL)
		return completeness;
	if (api->collection_stats_get_index_count(stats) > 0)
		completeness = api->collection_stats_get_index_completeness(stats, 0);
	api->collection_stats_destroy(stats);
	return completeness;
}

int
zv_query_create(const zv_api *api, int k, int ef, bool linear, void **query, char *error)
{
	const char *none = NULL;	/* only the keys are asked for */
	void	   *made = api->vector_query_create();
	void	   *params = api->query_params_hnsw_create(ef, 0, linear, false);
	int			code;

	if (made == NULL || params == NULL)
	{
		if (made != NULL)
			api->vector_query_destroy(made);
		if (params != NULL)
			api->query_params_hnsw_destroy(params);
		return no_memory("make query", error);
	}
	/* the query owns its parameters from here on */
	code = explain(api, api->vector_query_set_hnsw_params(made, params), "set ef", error);
	if (code == OK)
		code = explain(api, api->vector_query_set_field_name(made, FIELD), "name field", error);
	if (code == OK)
		code = explain(api, api->vector_query_set_topk(made, k), "set k", error);
	if (code == OK)
		code = explain(api, api->vector_query_set_output_fields(made, &none, 0), "ask for keys", error);
	if (code != OK)
	{
		api->vector_query_destroy(made);
		return code;
	}
	*query = made;
	return OK;
}

void
zv_query_destroy(const zv_api *api, void *query)
{
	api->vector_query_destroy(query);
}

/* A key as the number it was made of. */
static uint64_t
parse_id(const char *key)
{
	char	   *end;
	uint64_t	id;

	if (key == NULL || *key < '0' || *key > '9')
		return ZV_NO_ID;
	id = strtoull(key, &end, 10);
	return *end == '\0' ? id : ZV_NO_ID;
}

int
zv_search(const zv_api *api, void *collection, void *query, const float *vector, uint32_t dim,
		  size_t k, uint64_t *ids, float *distances, size_t *found, size_t *empty, char *error)
{
	void	  **docs = NULL;
	size_t		count = 0;
	int			code;

	code = explain(api, api->vector_query_set_query_vector(query, vector, dim * sizeof(float)),
				   "set vector", error);
	if (code == OK)
		code = explain(api, api->collection_query(collection, query, &docs, &count),
					   "search", error);
	if (code != OK)
		return code;
	*found = count < k ? count : k;
	*empty = 0;
	for (size_t i = 0; i < *found; i++)
	{
		ids[i] = parse_id(api->doc_get_pk_pointer(docs[i]));
		distances[i] = api->doc_get_score(docs[i]);
		*empty += ids[i] == ZV_NO_ID;
	}
	if (docs != NULL)
		api->docs_free(docs, count);
	return OK;
}
