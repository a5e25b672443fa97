package corpus

// draws is the generator behind the corpora of vectors: SplitMix64. It works on
// whole numbers alone, so it draws the same on every machine, and it starts
// anywhere, so a row can be made without those before it.
type draws uint64

// Streams keep draws for different purposes apart.
const (
	streamCentres uint64 = iota + 1
	streamDirections
	streamRows
	streamQueries
	streamBuckets
	streamQuestions
)

const golden = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio, odd

// newDraws starts the draws of one object of a stream.
func newDraws(seed int64, stream uint64, object int) draws {
	return draws(scramble(scramble(uint64(seed)+golden*stream) + golden*uint64(object+1)))
}

func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (d *draws) next() uint64 {
	*d += golden
	return scramble(uint64(*d))
}

// below draws from 0 to n-1. Its bias, n in 2^64, is of no matter here.
func (d *draws) below(n int) int { return int(d.next() % uint64(n)) }

// bell draws around 0 in the shape of a bell, the sum of four even draws of 16
// bits: its standard deviation is near 37837, and it never leaves 18 bits.
func (d *draws) bell() int64 {
	bits := d.next()
	sum := bits&0xFFFF + bits>>16&0xFFFF + bits>>32&0xFFFF + bits>>48
	return int64(sum) - 2*0xFFFF
}
