/*
 * keyimage.h
 *	  From column values to numbers in the order of the values: what an index
 *	  of ours keeps of a key.
 *
 * An image is two unsigned 64-bit numbers, compared one after the other; values
 * in order have images in order, though different values of a prefix kind may
 * share one. The second number is 0 for exact kinds. Which of two images is
 * smaller needs no operator, no collation and no catalog.
 */
#ifndef KEYIMAGE_H
#define KEYIMAGE_H

typedef struct KeyImage
{
	uint64		first;
	uint64		second;
} KeyImage;

/* Stored in metapages of indexes: never renumber. */
typedef enum KeyKind
{
	KEY_KIND_NONE = 0,			/* no such column */
	KEY_KIND_INT2 = 1,
	KEY_KIND_INT4 = 2,
	KEY_KIND_INT8 = 3,
	KEY_KIND_OID = 4,
	KEY_KIND_BOOL = 5,
	KEY_KIND_DATE = 6,
	KEY_KIND_TIMESTAMP = 7,		/* with and without time zone */
	KEY_KIND_UUID = 8,
	KEY_KIND_BYTES = 9			/* text under a C collation, bytea */
} KeyKind;

static inline int
key_image_compare(KeyImage a, KeyImage b)
{
	if (a.first != b.first)
		return a.first < b.first ? -1 : 1;
	if (a.second != b.second)
		return a.second < b.second ? -1 : 1;
	return 0;
}

/* Does the first number alone tell different values of the kind apart? */
static inline bool
key_kind_is_exact(KeyKind kind)
{
	return kind != KEY_KIND_UUID && kind != KEY_KIND_BYTES;
}

/* Kind of a type, KEY_KIND_NONE when it has no image. */
extern KeyKind key_kind_of_type(Oid type);

/* Are images of the two types in the order in which their values compare? */
extern bool key_types_comparable(Oid a, Oid b);

/* Does the collation, if any, order text as images do, byte by byte? */
extern bool key_collation_supported(Oid collation);

/*
 * Image of a value. Fetches compressed and out-of-line values: hold no buffer
 * lock.
 */
extern KeyImage key_image(Datum value, KeyKind kind);

/* The same, safe under a buffer lock; false when it would have to fetch. */
extern bool key_image_inline(Datum value, KeyKind kind, KeyImage *image);

/* First number of an exact kind's image; never fetches. */
extern uint64 key_image_exact(Datum value, KeyKind kind);

/*
 * The value of an image of an exact kind or of uuid, which is made in the
 * current memory context; error for other kinds.
 */
extern Datum key_image_value(KeyImage image, KeyKind kind);

#endif							/* KEYIMAGE_H */
