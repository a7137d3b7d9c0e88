package engine

import (
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// errBound is of a value that is longer than its field allows.
var errBound = errors.New("longer than its bound")

// tooLong is the error of an item of n bytes or elements where at most most are allowed.
func tooLong(n uint64, most int) error {
	return fmt.Errorf("%w: a length of %d, at most %d", ErrMalformed, n, most)
}

// readBlob reads a byte string or text of at most most bytes. The result is part of data.
func readBlob(data []byte, want major, most int) (blob, rest []byte, err error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return nil, nil, err
	}
	if m != want {
		return nil, nil, errType
	}
	if n > uint64(most) {
		return nil, nil, tooLong(n, most)
	}
	if n > uint64(len(rest)) {
		return nil, nil, errCut
	}
	return rest[:n], rest[n:], nil
}

// blobSize returns how many bytes a byte string or text of a length needs.
func blobSize(length int) (n int, empty bool) { return headSize(uint64(length)) + length, length == 0 }

// textForm is of strings, which are UTF-8 and at most most bytes long.
type textForm struct{ most int }

var errText = errors.New("a text that is not UTF-8")

func (textForm) empty(v reflect.Value) bool                      { return v.Len() == 0 }
func (textForm) size(v reflect.Value, _ int) (n int, empty bool) { return blobSize(v.Len()) }
func (textForm) least() int                                      { return 1 }

func (f textForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	s := v.String()
	if len(s) > f.most {
		return nil, errBound
	}
	if !utf8.ValidString(s) {
		return nil, errText
	}
	return append(appendHead(dst, majorText, uint64(len(s))), s...), nil
}

func (f textForm) read(data []byte, v reflect.Value) ([]byte, error) {
	text, rest, err := readBlob(data, majorText, f.most)
	if err != nil {
		return nil, err
	}
	v.SetString(string(text))
	return rest, nil
}

// bytesForm is of byte slices of at most most bytes.
type bytesForm struct{ most int }

func (bytesForm) empty(v reflect.Value) bool                      { return v.Len() == 0 }
func (bytesForm) size(v reflect.Value, _ int) (n int, empty bool) { return blobSize(v.Len()) }
func (bytesForm) least() int                                      { return 1 }

func (f bytesForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	b := v.Bytes()
	if len(b) > f.most {
		return nil, errBound
	}
	return append(appendHead(dst, majorBytes, uint64(len(b))), b...), nil
}

func (f bytesForm) read(data []byte, v reflect.Value) ([]byte, error) {
	blob, rest, err := readBlob(data, majorBytes, f.most)
	if err != nil {
		return nil, err
	}
	if len(blob) > 0 { // else it stays nil, as if the field were missing
		v.SetBytes(append([]byte(nil), blob...))
	}
	return rest, nil
}

// fixedForm is of arrays of so many bytes, such as ID.
type fixedForm struct{ length int }

func (fixedForm) empty(v reflect.Value) bool                        { return v.IsZero() }
func (f fixedForm) size(v reflect.Value, _ int) (n int, empty bool) { return f.least(), v.IsZero() }
func (f fixedForm) least() int                                      { return headSize(uint64(f.length)) + f.length }
func (f fixedForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return append(appendHead(dst, majorBytes, uint64(f.length)), v.Bytes()...), nil
}

func (f fixedForm) read(data []byte, v reflect.Value) ([]byte, error) {
	blob, rest, err := readBlob(data, majorBytes, f.length)
	if err != nil {
		return nil, err
	}
	if len(blob) != f.length {
		return nil, errType
	}
	copy(v.Bytes(), blob)
	return rest, nil
}
