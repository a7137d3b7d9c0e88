package engine

import (
	"fmt"
	"reflect"
)

// errEmpty is of a field that is written although it is empty: the same message would have
// two forms.
var errEmpty = fmt.Errorf("%w: an empty field that is written out", ErrMalformed)

// errLevels is of a message that is deeper than MaxDepth.
var errLevels = fmt.Errorf("more than %d levels deep", MaxDepth)

// structForm is of structs: a map of the fields that are not empty.
type structForm struct {
	fields []field // keys rise; at most maxFields
	naming []naming
}

// maxFields is how many fields a struct can have: a count that fits into a map's first byte.
const maxFields = 23

type field struct {
	name  string
	index int    // in the struct
	key   uint64 // in the map
	head  []byte // the key as it is written
	form  form
}

func (s *structForm) empty(v reflect.Value) bool {
	for i := range s.fields {
		f := &s.fields[i]
		if !f.form.empty(v.Field(f.index)) {
			return false
		}
	}
	return true
}

func (*structForm) least() int { return 1 }

func (s *structForm) size(v reflect.Value, levels int) (n int, empty bool) {
	if levels == 0 {
		return 1, true
	}
	n, empty = 1, true
	for i := range s.fields {
		f := &s.fields[i]
		if size, none := f.form.size(v.Field(f.index), levels-1); !none {
			n += len(f.head) + size
			empty = false
		}
	}
	return n, empty
}

func (s *structForm) append(dst []byte, v reflect.Value, levels int) (_ []byte, err error) {
	if levels == 0 {
		return nil, errLevels
	}
	at := len(dst)
	dst = appendHead(dst, majorMap, 0)
	for i := range s.fields {
		f := &s.fields[i]
		value := v.Field(f.index)
		if f.form.empty(value) {
			continue
		}
		if dst, err = f.form.append(append(dst, f.head...), value, levels-1); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		dst[at]++ // the map's count, which maxFields keeps within the first byte
	}
	return dst, nil
}

// read skips fields that are not known, as a newer version may have.
func (s *structForm) read(data []byte, v reflect.Value) ([]byte, error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return nil, err
	}
	if m != majorMap {
		return nil, errType
	}
	next := 0 // of s.fields
	for range n {
		_, key, value, err := readHead(rest)
		if err != nil {
			return nil, err
		}
		for next < len(s.fields) && s.fields[next].key < key {
			next++
		}
		if next == len(s.fields) || s.fields[next].key != key {
			rest, err = checkItem(value, MaxDepth)
		} else {
			rest, err = s.fields[next].read(value, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// read reads the field into the struct v.
func (f *field) read(data []byte, v reflect.Value) ([]byte, error) {
	value := v.Field(f.index)
	rest, err := f.form.read(data, value)
	if err == nil && f.form.empty(value) {
		err = errEmpty
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return rest, nil
}
