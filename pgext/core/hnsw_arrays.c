#include "hnsw_arrays.h"

static uint32_t
list_room(const HnswArrays *a, int level)
{
	return hnsw_max_links(a->params.m, level) + (level == 0 ? a->slack : a->slack / 2);
}

static uint32_t *
list_of(const HnswArrays *a, uint32_t node, int level)
{
	if (level == 0)
		return a->base + (uint64_t) node * (list_room(a, 0) + 1);
	return a->upper + (a->upper_start[node] + (uint64_t) (level - 1)) * (list_room(a, 1) + 1);
}

static uint32_t
arrays_links(void *state, uint32_t node, int level, uint32_t *out)
{
	uint32_t   *list = list_of(state, node, level);
	uint32_t	n = list[0];

	memcpy(out, list + 1, n * sizeof(uint32_t));
	return n;
}

static inline void
prefetch_vector(const float *v, uint32_t dim)
{
	for (uint32_t i = 0; i < dim && i < 64; i += 16)
		__builtin_prefetch(v + i);
}

static void
arrays_distances(void *state, const void *from, const uint32_t *nodes, uint32_t count, float *out)
{
	HnswArrays *a = state;
	uint32_t	dim = a->dim;

	prefetch_vector(a->vectors + (uint64_t) nodes[0] * dim, dim);
	for (uint32_t i = 0; i < count; i++)
	{
		if (i + 1 < count)
			prefetch_vector(a->vectors + (uint64_t) nodes[i + 1] * dim, dim);
		switch (a->metric)
		{
			case DIST_COSINE:
				out[i] = 1.0f - a->kernels->dot_f32(from, a->vectors + (uint64_t) nodes[i] * dim, dim);
				break;
			case DIST_IP:
				out[i] = -a->kernels->dot_f32(from, a->vectors + (uint64_t) nodes[i] * dim, dim);
				break;
			case DIST_L2:
				out[i] = a->kernels->l2sq_f32(from, a->vectors + (uint64_t) nodes[i] * dim, dim);
				break;
			case DIST_L1:
				out[i] = a->kernels->l1_f32(from, a->vectors + (uint64_t) nodes[i] * dim, dim);
				break;
		}
	}
}

static const void *
arrays_vector(void *state, uint32_t node)
{
	HnswArrays *a = state;

	return a->vectors + (uint64_t) node * a->dim;
}

HnswStore
hnsw_arrays_store(HnswArrays *a)
{
	HnswStore	store = {a, arrays_links, arrays_distances, arrays_vector};

	return store;
}

CoreStatus
hnsw_arrays_init(HnswArrays *a, CoreAlloc alloc)
{
	uint64_t	n = 0;

	a->kernels = dist_kernels();
	a->levels = alloc.alloc(alloc.state, a->capacity);
	a->upper_start = alloc.alloc(alloc.state, a->capacity * sizeof(uint64_t));
	for (uint32_t i = 0; i < a->capacity; i++)
	{
		a->levels[i] = hnsw_level(a->seed, i, a->params.m);
		a->upper_start[i] = n;
		n += a->levels[i];
	}
	a->base = alloc.alloc(alloc.state, (uint64_t) a->capacity * (list_room(a, 0) + 1) * 4);
	a->upper = alloc.alloc(alloc.state, n * (list_room(a, 1) + 1) * 4 + 4);
	for (uint32_t i = 0; i < a->capacity; i++)
		for (int l = 0; l <= a->levels[i]; l++)
			list_of(a, i, l)[0] = 0;
	a->entry.node = HNSW_NO_NODE;
	a->entry.level = 0;
	a->count = 0;
	return CORE_OK;
}

CoreStatus
hnsw_arrays_insert(HnswArrays *a, HnswPlacer *placer, uint32_t node)
{
	HnswStore	store = hnsw_arrays_store(a);
	int			level = a->levels[node];
	CoreStatus	status = hnsw_place(placer, &store, a->entry, arrays_vector(a, node), level);

	if (status)
		return status;
	for (int l = placer->level; l >= 0; l--)
	{
		const uint32_t *links = hnsw_placer_links(placer, l);
		uint32_t	n = placer->counts[l];
		uint32_t   *mine = list_of(a, node, l);

		memcpy(mine + 1, links, n * 4);
		mine[0] = n;
		for (uint32_t i = 0; i < n; i++)
		{
			uint32_t   *theirs = list_of(a, links[i], l);

			if (theirs[0] < list_room(a, l))
				theirs[++theirs[0]] = node;
			else
			{
				uint32_t	list[HNSW_MAX_LINKS + 1];
				uint32_t	count = theirs[0];

				memcpy(list, theirs + 1, count * 4);
				list[count++] = node;
				status = hnsw_revise(placer, &store, links[i], list, &count, hnsw_max_links(a->params.m, l));
				if (status)
					return status;
				memcpy(theirs + 1, list, count * 4);
				theirs[0] = count;
			}
		}
	}
	if (a->entry.node == HNSW_NO_NODE || level > a->entry.level)
	{
		a->entry.node = node;
		a->entry.level = level;
	}
	a->count++;
	return CORE_OK;
}

CoreStatus
hnsw_arrays_finish(HnswArrays *a, HnswPlacer *placer)
{
	HnswStore	store = hnsw_arrays_store(a);

	for (uint32_t node = 0; node < a->capacity; node++)
		for (int l = 0; l <= a->levels[node]; l++)
		{
			uint32_t   *list = list_of(a, node, l);
			CoreStatus	status = hnsw_revise(placer, &store, node, list + 1, list, hnsw_max_links(a->params.m, l));

			if (status)
				return status;
		}
	return CORE_OK;
}
