package corpus

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
)

// npyFile is a matrix in a file of NumPy's format: version 1.0, C order, little
// endian, two dimensions.
type npyFile struct {
	file          *os.File
	in            *bufio.Reader
	rows, columns int
}

var npyHeader = regexp.MustCompile(`^\{'descr': '([^']*)', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \}\s*$`)

// openNPY opens a file whose elements have the given type, "<f2" or "<i4".
func openNPY(path, element string) (*npyFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &npyFile{file: file, in: bufio.NewReaderSize(file, 1<<20)}
	if err := f.readHeader(element); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), file.Close())
	}
	return f, nil
}

func (f *npyFile) readHeader(element string) error {
	head := make([]byte, 10)
	if _, err := io.ReadFull(f.in, head); err != nil || string(head[:8]) != "\x93NUMPY\x01\x00" {
		return errors.Join(errors.New("not a .npy file of version 1.0"), err)
	}
	header := make([]byte, binary.LittleEndian.Uint16(head[8:]))
	if _, err := io.ReadFull(f.in, header); err != nil {
		return fmt.Errorf("header is cut off: %w", err)
	}
	m := npyHeader.FindSubmatch(header)
	if m == nil {
		return fmt.Errorf("header is %q, want a matrix of two dimensions in C order", header)
	}
	if string(m[1]) != element {
		return fmt.Errorf("elements are %q, want %q", m[1], element)
	}
	var errs [2]error
	f.rows, errs[0] = strconv.Atoi(string(m[2]))
	f.columns, errs[1] = strconv.Atoi(string(m[3]))
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("shape: %w", err)
	}
	const most = math.MaxInt32
	if f.rows < 1 || f.columns < 1 || f.rows > most || f.columns > most {
		return fmt.Errorf("shape is %d x %d, want 1 to %d each", f.rows, f.columns, most)
	}
	return nil
}

// each reads the first n rows, one at a time, into a buffer of size bytes per
// element that is used again.
func (f *npyFile) each(ctx context.Context, n, size int, take func(row []byte)) error {
	row := make([]byte, f.columns*size)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.ReadFull(f.in, row); err != nil {
			return fmt.Errorf("read %s: row %d of %d: %w", f.file.Name(), i, f.rows, err)
		}
		take(row)
	}
	return nil
}

// readHalves returns the first n rows of a matrix of half-precision numbers, all
// when n is 0 or larger than their number, and how long a row is.
func readHalves(ctx context.Context, path string, n int) (values []float32, columns int, err error) {
	f, err := openNPY(path, "<f2")
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, f.file.Close()) }()
	if n == 0 || n > f.rows {
		n = f.rows
	}
	values = make([]float32, 0, n*f.columns)
	err = f.each(ctx, n, 2, func(row []byte) {
		for ; len(row) > 0; row = row[2:] {
			values = append(values, floatFromHalf(binary.LittleEndian.Uint16(row)))
		}
	})
	return values, f.columns, err
}

// readInts returns the first n rows of a matrix of 32-bit numbers, as readHalves.
func readInts(ctx context.Context, path string, n int) (rows [][]int32, err error) {
	f, err := openNPY(path, "<i4")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.file.Close()) }()
	if n == 0 || n > f.rows {
		n = f.rows
	}
	err = f.each(ctx, n, 4, func(row []byte) {
		numbers := make([]int32, 0, f.columns)
		for ; len(row) > 0; row = row[4:] {
			numbers = append(numbers, int32(binary.LittleEndian.Uint32(row)))
		}
		rows = append(rows, numbers)
	})
	return rows, err
}

// floatFromHalf widens an IEEE binary16 number, exactly.
func floatFromHalf(half uint16) float32 {
	sign := uint32(half&0x8000) << 16
	exponent, fraction := uint32(half>>10&0x1F), uint32(half&0x3FF)
	switch exponent {
	case 0: // below the normal numbers: a multiple of 2^-24
		magnitude := math.Float32bits(float32(fraction) * 0x1p-24)
		return math.Float32frombits(sign | magnitude)
	case 31:
		return math.Float32frombits(sign | 0x7F800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
