package engine

import (
	"errors"
	"reflect"
)

// messageForm is of a Message within another: a tag around a map, like the one around it.
type messageForm struct{ codec *Codec }

var errNothing = errors.New("no message where one belongs")

func (messageForm) empty(v reflect.Value) bool { return v.IsNil() }
func (messageForm) least() int                 { return 2 }

func (f messageForm) size(v reflect.Value, levels int) (n int, empty bool) {
	m := messageOf(v)
	return f.codec.size(m, levels), m == nil
}

func (f messageForm) append(dst []byte, v reflect.Value, levels int) ([]byte, error) {
	return f.codec.append(dst, messageOf(v), levels)
}

func (f messageForm) read(data []byte, v reflect.Value) ([]byte, error) {
	kind, body, err := readKind(data)
	if err != nil {
		return nil, err
	}
	t := f.codec.lookup(kind)
	if t == nil {
		opaque, rest, err := newOpaque(kind, data)
		v.Set(reflect.ValueOf(opaque))
		return rest, err
	}
	m, rest, err := t.read(body)
	if err != nil {
		return nil, err
	}
	v.Set(reflect.ValueOf(m))
	return rest, nil
}

// messageOf returns the message that v, which is addressable, holds.
func messageOf(v reflect.Value) Message { return *v.Addr().Interface().(*Message) }

// readKind reads the tag of a message, which checkItem has passed, and returns the rest.
func readKind(data []byte) (Kind, []byte, error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return 0, nil, err
	}
	if m != majorTag {
		return 0, nil, errType
	}
	return Kind(n), rest, nil
}
