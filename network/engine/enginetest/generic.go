package enginetest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"tidings/network/engine"
)

// The other implementation of CBOR that the codec is judged by.
var (
	deterministic = must(cbor.CoreDetEncOptions().EncMode())
	strict        = must(cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden,
		MaxNestedLevels: 4 * engine.MaxDepth, MaxArrayElements: engine.MaxMessage, MaxMapPairs: engine.MaxMessage,
	}.DecMode())
)

func must[M any](mode M, err error) M {
	if err != nil {
		panic("enginetest: " + err.Error())
	}
	return mode
}

// checkDeterministic returns an error if data, read and written by the other
// implementation, does not come out as it went in.
func checkDeterministic(data []byte) error {
	if slices.ContainsFunc(data, func(b byte) bool { return 0xc0 <= b && b <= 0xc3 }) {
		return nil // may be tags 0 to 3, to which it gives a meaning of its own
	}
	var item any
	if err := strict.Unmarshal(data, &item); err != nil {
		return fmt.Errorf("another decoder refuses it: %w", err)
	}
	again, err := deterministic.Marshal(item)
	if err != nil {
		return fmt.Errorf("another encoder refuses it: %w", err)
	}
	if !bytes.Equal(again, data) {
		return fmt.Errorf("its deterministic form is %x", again)
	}
	return nil
}

// item is a message's content for the other implementation: numbers, strings, byte slices,
// []any, and map[uint64]any for structs.
type item = any

// written returns the message of the kind with the given content.
func written(kind engine.Kind, content item) []byte {
	data, err := deterministic.Marshal(cbor.Tag{Number: uint64(kind), Content: content})
	if err != nil {
		panic("enginetest: " + err.Error())
	}
	return data
}

// typeOf returns the struct of the messages of the kind.
func typeOf(codec *engine.Codec, kind engine.Kind) reflect.Type {
	return reflect.TypeOf(codec.New(kind)).Elem()
}

// leastOf returns the smallest value of a type as an element: what takes the fewest bytes.
func leastOf(t reflect.Type) item {
	switch t {
	case reflect.TypeFor[engine.Address](), reflect.TypeFor[engine.Peer]():
		return []byte{}
	case reflect.TypeFor[engine.Message]():
		// Any kind will do where none is known: it becomes an Opaque.
		return cbor.Tag{Number: uint64(engine.KindOf(0xff, 0xff)), Content: map[uint64]any{}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return false
	case reflect.String:
		return ""
	case reflect.Struct:
		return map[uint64]any{}
	case reflect.Float32, reflect.Float64:
		return 0.0
	case reflect.Array:
		return make([]byte, t.Len())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []byte{}
		}
		return []any{}
	}
	return 0
}

// extreme is content with one value at its bound or over it.
type extreme struct {
	where string
	item  item
}

// extremes returns contents of a type, each with one value that is by more longer than its
// bound: with 0 those that are just allowed, with 1 those that are just not.
func extremes(t reflect.Type, bounds []int, more int) []extreme {
	switch t {
	case reflect.TypeFor[engine.Address]():
		return []extreme{{"", make([]byte, min(first(bounds, engine.MaxAddress), engine.MaxAddress)+more)}}
	case reflect.TypeFor[engine.Peer]():
		return []extreme{{"", bytes.Repeat([]byte{1}, len(engine.ID{})+engine.MaxAddress+more)}}
	}
	switch t.Kind() {
	case reflect.String:
		return []extreme{{"", string(bytes.Repeat([]byte("x"), first(bounds, 0)+more))}}
	case reflect.Array:
		return []extreme{{"", bytes.Repeat([]byte{1}, t.Len()+more)}}
	case reflect.Struct:
		return extremeFields(t, more)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []extreme{{"", make([]byte, first(bounds, 0)+more)}}
		}
		return extremeLists(t, bounds, more)
	}
	return nil
}

func extremeFields(t reflect.Type, more int) (all []extreme) {
	for i := range t.NumField() {
		f := t.Field(i)
		for _, e := range extremes(f.Type, boundsOf(f), more) {
			all = append(all, extreme{"." + f.Name + e.where, map[uint64]any{keyOf(f): e.item}})
		}
	}
	return all
}

func extremeLists(t reflect.Type, bounds []int, more int) []extreme {
	long := make([]any, first(bounds, 0)+more)
	for i := range long {
		long[i] = leastOf(t.Elem())
	}
	all := []extreme{{"", long}}
	for _, e := range extremes(t.Elem(), bounds[1:], more) {
		all = append(all, extreme{"[0]" + e.where, []any{e.item}})
	}
	return all
}
