package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// lineValue is a JSON value that knows the line it begins on. One field is set, or,
// of true, false and null, none.
type lineValue struct {
	line   int
	text   *string
	number *float64
	list   []*lineValue
	isList bool
	object map[string]*lineValue
}

func (v *lineValue) kind() string {
	switch {
	case v.text != nil:
		return "a string"
	case v.number != nil:
		return "a number"
	case v.isList:
		return "a list"
	case v.object != nil:
		return "an object"
	}
	return "true, false or null"
}

// parseLines reads one JSON value. Errors begin with their line and a colon.
func parseLines(text []byte) (*lineValue, error) {
	p := &lineParser{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	v, err := p.value()
	if err == nil {
		if _, more := p.dec.Token(); more == nil || !errors.Is(more, io.EOF) {
			err = errors.New("text follows the value")
		}
	}
	if err != nil {
		at := p.dec.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		}
		if errors.Is(err, io.EOF) {
			err, at = errors.New("the text ends too early"), int64(len(text))
		}
		return nil, fmt.Errorf("%d: %w", p.lineOf(at), err)
	}
	return v, nil
}

type lineParser struct {
	text []byte
	dec  *json.Decoder
}

// lineOf is the line, from 1, of what ends at an offset.
func (p *lineParser) lineOf(offset int64) int {
	end := min(max(int(offset)-1, 0), len(p.text))
	return 1 + bytes.Count(p.text[:end], []byte("\n"))
}

func (p *lineParser) value() (*lineValue, error) {
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	v := &lineValue{line: p.lineOf(p.dec.InputOffset())}
	switch t := token.(type) {
	case string:
		v.text = &t
	case float64:
		v.number = &t
	case json.Delim:
		if t == '[' {
			err = p.list(v)
		} else {
			err = p.object(v)
		}
	}
	return v, err
}

// list reads up to the bracket that ends a list.
func (p *lineParser) list(into *lineValue) error {
	into.isList = true
	for p.dec.More() {
		item, err := p.value()
		if err != nil {
			return err
		}
		into.list = append(into.list, item)
	}
	_, err := p.dec.Token()
	return err
}

// object reads up to the brace that ends an object.
func (p *lineParser) object(into *lineValue) error {
	into.object = map[string]*lineValue{}
	for p.dec.More() {
		name, err := p.value()
		if err != nil {
			return err
		}
		if into.object[*name.text] != nil {
			return fmt.Errorf("%q comes twice", *name.text)
		}
		if into.object[*name.text], err = p.value(); err != nil {
			return err
		}
	}
	_, err := p.dec.Token()
	return err
}
