// Package attr is what rows of Astrolabe's tables are made of: named attributes with values of SQL's types.
//
// Rows are immutable, and shared by all that keep them.
package attr

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Bounds of attributes.
const (
	MaxName       = 32   // bytes of a name
	MaxValue      = 4096 // bytes of a text or blob
	MaxAttributes = 64   // in a row
	MaxRow        = 8192 // bytes of all names and values of a row
)

// Type is a type of values, as SQLite has them.
type Type uint8

// The types.
const (
	Null Type = iota
	Integer
	Real
	Text
	Blob
)

// Value is a value of one of SQLite's types. The zero Value is NULL.
type Value struct {
	Type    Type    `cbor:"1,keyasint"`
	Integer int64   `cbor:"2,keyasint"`            // of an Integer
	Real    float64 `cbor:"3,keyasint"`            // of a Real; finite
	Bytes   []byte  `cbor:"4,keyasint" max:"4096"` // of a Text, which is UTF-8, or a Blob
}

// Int returns an Integer.
func Int(i int64) Value { return Value{Type: Integer, Integer: i} }

// Float returns a Real; NULL if f is not finite.
func Float(f float64) Value {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return Value{}
	}
	return Value{Type: Real, Real: f}
}

// String returns a Text.
func String(s string) Value { return Value{Type: Text, Bytes: []byte(s)} }

// Bytes returns a Blob, which shares b.
func Bytes(b []byte) Value { return Value{Type: Blob, Bytes: b} }

// Attribute is a value with a name.
type Attribute struct {
	Name  string `cbor:"1,keyasint" max:"32"` // letters, digits and "_", in lower case, no digit first
	Value Value  `cbor:"2,keyasint"`
}

// Row is the attributes of one row, by ascending names, none of them twice. NULL is not listed.
type Row []Attribute

// Of returns the row of some attributes: sorted, without those that are NULL. Of two with one name the latter counts.
func Of(attributes ...Attribute) Row {
	r := slices.Clone(attributes)
	slices.SortStableFunc(r, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })
	kept := r[:0]
	for i, a := range r {
		if i+1 < len(r) && r[i+1].Name == a.Name || a.Value.Type == Null {
			continue
		}
		kept = append(kept, a)
	}
	return Row(slices.Clip(kept))
}

// Get returns the value of an attribute; NULL if there is none.
func (r Row) Get(name string) Value {
	i, ok := slices.BinarySearchFunc(r, name, func(a Attribute, name string) int { return cmp.Compare(a.Name, name) })
	if !ok {
		return Value{}
	}
	return r[i].Value
}

// Size returns the bytes of the names and values of r.
func (r Row) Size() (n int) {
	for _, a := range r {
		n += len(a.Name) + a.Value.size()
	}
	return n
}

func (v Value) size() int {
	switch v.Type {
	case Integer, Real:
		return 8
	}
	return len(v.Bytes)
}

// Equal reports whether two values are of the same type and the same.
func (v Value) Equal(w Value) bool {
	return v.Type == w.Type && v.Integer == w.Integer && math.Float64bits(v.Real) == math.Float64bits(w.Real) &&
		bytes.Equal(v.Bytes, w.Bytes)
}

// Equal reports whether two rows have the same attributes.
func (r Row) Equal(s Row) bool {
	return slices.EqualFunc(r, s, func(a, b Attribute) bool { return a.Name == b.Name && a.Value.Equal(b.Value) })
}

// Number returns an Integer or a Real as a float64; not ok: v is neither.
func (v Value) Number() (f float64, ok bool) {
	switch v.Type {
	case Integer:
		return float64(v.Integer), true
	case Real:
		return v.Real, true
	}
	return 0, false
}

// ErrInvalid is the error of what is no row.
var ErrInvalid = errors.New("not a row")

// Validate returns what is wrong with a row that came in a message, nil if nothing.
func (r Row) Validate() error {
	if len(r) > MaxAttributes {
		return fmt.Errorf("%w: %d attributes, more than %d", ErrInvalid, len(r), MaxAttributes)
	}
	if n := r.Size(); n > MaxRow {
		return fmt.Errorf("%w: %d bytes, more than %d", ErrInvalid, n, MaxRow)
	}
	for i, a := range r {
		if !ValidName(a.Name) {
			return fmt.Errorf("%w: an attribute is called %q", ErrInvalid, a.Name)
		}
		if i > 0 && r[i-1].Name >= a.Name {
			return fmt.Errorf("%w: %q stands before %q", ErrInvalid, r[i-1].Name, a.Name)
		}
		if err := a.Value.validate(); err != nil {
			return fmt.Errorf("%w: %q: %w", ErrInvalid, a.Name, err)
		}
	}
	return nil
}

// ValidName reports whether an attribute can have a name.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// AppendList returns list with one more item behind it. A list stands in a Blob: each item behind its length.
func AppendList(list, item []byte) []byte {
	return append(binary.AppendUvarint(list, uint64(len(item))), item...)
}

// List returns the items of a list, which share its memory; not ok: it is none.
func List(list []byte) (items [][]byte, ok bool) {
	for len(list) > 0 {
		var item []byte
		if item, list, ok = First(list); !ok {
			return nil, false
		}
		items = append(items, item)
	}
	return items, true
}

// First returns the first item of a list and the rest, which share its memory; not ok: there is none.
func First(list []byte) (item, rest []byte, ok bool) {
	n, head := binary.Uvarint(list)
	if head <= 0 || n > uint64(len(list)-head) {
		return nil, nil, false
	}
	return list[head : head+int(n)], list[head+int(n):], true
}

// errValue is of a value of another type than it holds.
var errValue = errors.New("a value that is not of its type")

func (v Value) validate() error {
	ofType := Value{Type: v.Type}
	switch v.Type {
	case Integer:
		ofType.Integer = v.Integer
	case Real:
		ofType.Real = v.Real
	case Text, Blob:
		ofType.Bytes = v.Bytes
	default: // also NULL, which is not listed
		return errValue
	}
	if !v.Equal(ofType) || len(v.Bytes) > MaxValue || v.Type == Text && !utf8.Valid(v.Bytes) {
		return errValue
	}
	return nil
}
