package corpus

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
)

// Dump writes the canonical text of a source, one row a line: entity,
// relation, target, the embedding as [a,b,...] with six decimals and the
// payload, separated by tabs. The payload comes last, so a tab in it does no
// harm; line feeds in payloads, which source trees have, stay as they are.
func Dump(ctx context.Context, w io.Writer, s Source) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for fact, err := range s.All(ctx) {
		if err != nil {
			return fmt.Errorf("dump corpus: %w", err)
		}
		line = strconv.AppendInt(line[:0], int64(fact.Entity), 10)
		line = append(line, '\t')
		line = strconv.AppendInt(line, int64(fact.Relation), 10)
		line = append(line, '\t')
		line = strconv.AppendInt(line, int64(fact.Target), 10)
		line = append(line, "\t["...)
		for i, x := range fact.Embedding {
			if i > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, float64(x), 'f', 6, 64)
		}
		line = append(line, "]\t"...)
		line = append(line, fact.Payload...)
		line = append(line, '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("dump corpus: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("dump corpus: %w", err)
	}
	return nil
}

// Digest returns the SHA-256 of Dump's text, in hexadecimal.
func Digest(ctx context.Context, s Source) (string, error) {
	sum := sha256.New()
	if err := Dump(ctx, sum, s); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
