// Package footprint measures how much memory the state of a protocol occupies, by walking over all that it refers to.
//
// What is counted is what Go's allocator hands out at least: fields, backing arrays with their spare room, and the
// tables of maps. The room that the allocator adds by rounding up is not, nor is what closures hold: those of timers
// that wait, above all.
package footprint

import (
	"math/bits"
	"reflect"
)

// Of returns how many bytes v refers to, itself included; what two of its parts share counts once. Values of types for
// which foreign returns true are left out, with all that they refer to: the world around a protocol, say.
func Of(v any, foreign func(reflect.Type) bool) int {
	w := walk{foreign: foreign, seen: make(map[block]bool), plain: make(map[reflect.Type]bool)}
	w.into(reflect.ValueOf(v))
	return w.bytes
}

// walk is one walk over values.
type walk struct {
	foreign func(reflect.Type) bool
	seen    map[block]bool
	plain   map[reflect.Type]bool // types that refer to nothing
	bytes   int
}

// block is memory that was counted. Of a struct and its first field the address is the same, and the type is not.
type block struct {
	at   uintptr
	of   reflect.Type
	size int
}

// add counts memory unless it was counted before, and reports whether it was new.
func (w *walk) add(at uintptr, of reflect.Type, size int) bool {
	b := block{at, of, size}
	if w.seen[b] {
		return false
	}
	w.seen[b] = true
	w.bytes += size
	return true
}

// into counts what a value refers to. The memory of the value itself is counted where it lies.
func (w *walk) into(v reflect.Value) {
	if !v.IsValid() || w.foreign(v.Type()) || w.isPlain(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !w.foreign(v.Type().Elem()) &&
			w.add(v.Pointer(), v.Type().Elem(), int(v.Type().Elem().Size())) {
			w.into(v.Elem())
		}
	case reflect.Interface:
		w.boxed(v)
	case reflect.String:
		if v.Len() > 0 {
			w.add(uintptr(v.UnsafePointer()), v.Type(), v.Len())
		}
	case reflect.Slice:
		w.slice(v)
	case reflect.Array:
		for i := range v.Len() {
			w.into(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			w.into(v.Field(i))
		}
	case reflect.Map:
		w.table(v)
	}
}

// boxed counts what an interface holds. A pointer lies in the interface itself, another value lies apart.
func (w *walk) boxed(v reflect.Value) {
	held := v.Elem()
	if !held.IsValid() || w.foreign(held.Type()) {
		return
	}
	switch held.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
	default:
		w.bytes += int(held.Type().Size())
	}
	w.into(held)
}

func (w *walk) slice(v reflect.Value) {
	of := v.Type().Elem()
	if v.Cap() == 0 || w.foreign(of) || !w.add(v.Pointer(), v.Type(), v.Cap()*int(of.Size())) || w.isPlain(of) {
		return
	}
	for i := range v.Len() {
		w.into(v.Index(i))
	}
}

// Go's maps have groups of eight slots, each with a byte of control, of which at most seven are in use on average.
const (
	slots  = 8
	filled = 7
)

// table counts a map, as large as it was to be for its length. One that has shrunk is larger.
func (w *walk) table(v reflect.Value) {
	if v.IsNil() {
		return
	}
	room := slots
	if v.Len() > slots {
		room = 1 << bits.Len(uint(v.Len()*slots/filled))
	}
	key, value := v.Type().Key(), v.Type().Elem()
	if !w.add(v.Pointer(), v.Type(), room*int(key.Size()+value.Size()+1)) || w.isPlain(key) && w.isPlain(value) {
		return
	}
	for entries := v.MapRange(); entries.Next(); {
		w.into(entries.Key())
		w.into(entries.Value())
	}
}

// isPlain reports whether values of a type refer to nothing.
func (w *walk) isPlain(t reflect.Type) (plain bool) {
	if known, is := w.plain[t]; is {
		return known
	}
	switch t.Kind() {
	case reflect.Array:
		plain = w.isPlain(t.Elem())
	case reflect.Struct:
		plain = true
		for i := range t.NumField() {
			plain = plain && w.isPlain(t.Field(i).Type)
		}
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Map:
	default: // numbers; and functions and channels, of which nothing is seen
		plain = true
	}
	w.plain[t] = plain
	return plain
}
