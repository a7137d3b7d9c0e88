package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"tidings/network/engine"
)

func checkBounds(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	for _, e := range extremes(typeOf(codec, kind), nil, 0) {
		data := written(kind, e.item)
		if len(data) > engine.MaxMessage {
			continue
		}
		m, err := codec.Decode(data)
		if err != nil {
			t.Errorf("%s at its bound: %v", e.where, err)
			continue
		}
		if again, err := codec.Append(nil, m); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%s at its bound, %.200x, is written as %.200x, %v", e.where, data, again, err)
		}
	}
	for _, e := range extremes(typeOf(codec, kind), nil, 1) {
		if m, err := codec.Decode(written(kind, e.item)); !errors.Is(err, engine.ErrMalformed) {
			t.Errorf("%s over its bound: %#v, %v", e.where, m, err)
		}
	}
	checkAppendBounds(t, codec, kind)
}

// checkAppendBounds makes messages with one value over its bound, and none that Append takes.
func checkAppendBounds(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	m := codec.New(kind)
	stretch(reflect.ValueOf(m).Elem(), nil, func() {
		if data, err := codec.Append([]byte("x"), m); err == nil || string(data) != "x" {
			t.Errorf("%.500s, over a bound, is written as %.200x, %v", fmt.Sprintf("%#v", m), data, err)
		}
	})
}

// stretch sets v, which is zero, to values over a bound, one after the other, and calls try
// after each. It leaves v zero.
func stretch(v reflect.Value, bounds []int, try func()) {
	defer v.SetZero()
	attempt := func(set func()) { set(); try(); v.SetZero() }
	switch v.Type() {
	case reflect.TypeFor[engine.Address]():
		attempt(func() {
			v.SetString(string(make([]byte, min(first(bounds, engine.MaxAddress), engine.MaxAddress)+1)))
		})
		return
	case reflect.TypeFor[engine.Peer]():
		stretch(v.Field(1), nil, try)
		return
	}
	switch v.Kind() {
	case reflect.String:
		attempt(func() { v.SetString(string(make([]byte, first(bounds, 0)+1))) })
		attempt(func() { v.SetString("\xff") })
	case reflect.Float32, reflect.Float64:
		attempt(func() { v.SetFloat(math.NaN()) })
		attempt(func() { v.SetFloat(math.Inf(-1)) })
	case reflect.Struct:
		for i := range v.NumField() {
			stretch(v.Field(i), boundsOf(v.Type().Field(i)), try)
		}
	case reflect.Slice:
		stretchSlice(v, bounds, try)
	}
}

func stretchSlice(v reflect.Value, bounds []int, try func()) {
	n := first(bounds, 0) + 1
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	try()
	v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	if v.Type().Elem().Kind() == reflect.Interface {
		try() // nil within a list
		return
	}
	if v.Type().Elem().Kind() != reflect.Uint8 {
		stretch(v.Index(0), bounds[1:], try)
	}
}
