package embed

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Cached keeps the vectors of an embedder in a file, so that a text is embedded
// once, whatever run asks for it.
//
// The file is named by the embedder's name and dimension: a header with the
// digest of the name, then records of one size: the text's digest, the vector,
// both little-endian, and a checksum of the two. It only grows. Appending holds
// an exclusive lock on the file, so several processes may share it; a record is
// never changed, so reading needs no lock. An incomplete record at the end, left
// by a crash, is cut off by the next one who appends; a damaged one is passed
// over and its text embedded again.
//
// Methods are safe for concurrent use, but for Close.
type Cached struct {
	Embedder
	record int

	mutex sync.Mutex // guards what follows, and appending
	file  *os.File
	index map[digest]int64 // offsets of vectors
	end   int64            // of what is in index
}

type digest [sha256.Size]byte

// cacheMagic begins every file; another layout has another one.
const cacheMagic = "vectors1"

const cacheHeader = len(cacheMagic) + sha256.Size

// cacheBatch is how many texts are embedded between two writes: what an
// interrupted run has done at most in vain. A slow machine embeds two a second.
const cacheBatch = 64

// OpenCache keeps e's vectors in a file in dir, which is made if it is not there.
// Close closes the file, not e; the file is closed as well once the cache is no
// longer reachable, for all that was kept is written.
func OpenCache(dir string, e Embedder) (*Cached, error) {
	c := &Cached{Embedder: e, record: sha256.Size + 4*e.Dim() + crc32.Size, index: map[digest]int64{}}
	if err := c.open(dir); err != nil {
		return nil, fmt.Errorf("open the cache of %s: %w", e.Name(), err)
	}
	return c, nil
}

func (c *Cached) open(dir string) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	c.file, err = os.OpenFile(filepath.Join(dir, cacheName(c.Name(), c.Dim())), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	err = c.locked(c.catchUp)
	if err != nil {
		err = errors.Join(err, c.file.Close())
	}
	return err
}

// cacheName keeps the readable part of a name; the digest tells names apart that
// differ elsewhere.
func cacheName(name string, dim int) string {
	readable := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}, name[:min(len(name), 64)])
	id := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s-%d-%x.vectors", readable, dim, id[:4])
}

// Close closes the file.
func (c *Cached) Close() error { return c.file.Close() }

// Embed returns kept vectors and embeds the other texts, each once.
func (c *Cached) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	keys := make([]digest, len(texts))
	var missing []int
	for i, text := range texts {
		keys[i] = sha256.Sum256([]byte(text))
		var err error
		if out[i], err = c.kept(keys[i]); err != nil {
			return nil, fmt.Errorf("read the cache of %s: %w", c.Name(), err)
		}
		if out[i] == nil {
			missing = append(missing, i)
		}
	}
	for len(missing) > 0 {
		n := min(len(missing), cacheBatch)
		if err := c.embed(ctx, texts, keys, missing[:n], out); err != nil {
			return nil, err
		}
		missing = missing[n:]
	}
	return out, nil
}

// embed embeds and keeps some of the texts.
func (c *Cached) embed(ctx context.Context, texts []string, keys []digest, chosen []int, out [][]float32) error {
	place := map[digest]int{}
	var once []string
	var order []digest
	for _, i := range chosen {
		if _, ok := place[keys[i]]; !ok {
			place[keys[i]] = len(once)
			once, order = append(once, texts[i]), append(order, keys[i])
		}
	}
	vectors, err := c.Embedder.Embed(ctx, once)
	if err != nil {
		return err
	}
	if len(vectors) != len(once) {
		return fmt.Errorf("%s gave %d vectors to %d texts", c.Name(), len(vectors), len(once))
	}
	for _, v := range vectors {
		if len(v) != c.Dim() {
			return fmt.Errorf("%s gave a vector of %d components, not %d", c.Name(), len(v), c.Dim())
		}
	}
	if err := c.keep(order, vectors); err != nil {
		return fmt.Errorf("write the cache of %s: %w", c.Name(), err)
	}
	for _, i := range chosen {
		out[i] = vectors[place[keys[i]]]
	}
	return nil
}

// kept returns the vector of a text, nil where there is none.
func (c *Cached) kept(key digest) ([]float32, error) {
	c.mutex.Lock()
	at, ok := c.index[key]
	c.mutex.Unlock()
	if !ok {
		return nil, nil
	}
	text := make([]byte, 4*c.Dim())
	if _, err := c.file.ReadAt(text, at); err != nil {
		return nil, err
	}
	vector := make([]float32, c.Dim())
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(text[4*i:]))
	}
	return vector, nil
}

// keep appends the vectors that no one else has appended meanwhile.
func (c *Cached) keep(keys []digest, vectors [][]float32) error {
	return c.locked(func() error {
		if err := c.catchUp(); err != nil {
			return err
		}
		var records []byte
		offsets := make(map[digest]int64, len(keys))
		for i, key := range keys {
			if _, ok := c.index[key]; ok {
				continue
			}
			start := len(records)
			records = append(records, key[:]...)
			offsets[key] = c.end + int64(len(records))
			for _, x := range vectors[i] {
				records = binary.LittleEndian.AppendUint32(records, math.Float32bits(x))
			}
			records = binary.LittleEndian.AppendUint32(records, crc32.ChecksumIEEE(records[start:]))
		}
		if err := c.file.Truncate(c.end); err != nil {
			return err
		}
		if _, err := c.file.WriteAt(records, c.end); err != nil {
			return err
		}
		c.end += int64(len(records))
		for key, at := range offsets {
			c.index[key] = at
		}
		return nil
	})
}

// locked runs f with the file and c locked against all others.
func (c *Cached) locked(f func() error) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	fd := int(c.file.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return errors.Join(f(), syscall.Flock(fd, syscall.LOCK_UN))
}

// catchUp reads the records after c.end; it leaves c.end after the last whole one.
func (c *Cached) catchUp() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	if c.end == 0 {
		if err := c.readHeader(info.Size()); err != nil {
			return err
		}
	}
	whole := (info.Size() - c.end) / int64(c.record)
	if whole <= 0 {
		return nil
	}
	in := bufio.NewReaderSize(io.NewSectionReader(c.file, c.end, whole*int64(c.record)), 1<<20)
	record := make([]byte, c.record)
	for range whole {
		if _, err := io.ReadFull(in, record); err != nil {
			return err
		}
		body, sum := record[:c.record-crc32.Size], record[c.record-crc32.Size:]
		if binary.LittleEndian.Uint32(sum) == crc32.ChecksumIEEE(body) {
			c.index[digest(body[:sha256.Size])] = c.end + sha256.Size
		}
		c.end += int64(c.record)
	}
	return nil
}

// readHeader checks the header, or writes that of a new file.
func (c *Cached) readHeader(size int64) error {
	id := sha256.Sum256([]byte(c.Name()))
	want := append([]byte(cacheMagic), id[:]...)
	if size < int64(cacheHeader) { // new, or its maker crashed
		if _, err := c.file.WriteAt(want, 0); err != nil {
			return err
		}
	} else {
		got := make([]byte, cacheHeader)
		if _, err := c.file.ReadAt(got, 0); err != nil {
			return err
		}
		if string(got) != string(want) {
			return fmt.Errorf("%s holds something else, remove it", c.file.Name())
		}
	}
	c.end = int64(cacheHeader)
	return nil
}
