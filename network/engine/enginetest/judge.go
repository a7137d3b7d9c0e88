package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"

	"tidings/network/engine"
)

// judge gives data to the codec and returns what is wrong with what it does.
func judge(codec *engine.Codec, data []byte) error {
	m, err := codec.Decode(data)
	if err != nil {
		if m != nil || errors.Is(err, engine.ErrMalformed) == errors.Is(err, engine.ErrUnknown) {
			return fmt.Errorf("%x: %v with an error that is not of one of the two kinds: %w", data, m, err)
		}
		return nil
	}
	if err := checkDeterministic(data); err != nil {
		return fmt.Errorf("%x is taken: %w", data, err)
	}
	again, err := codec.Append(nil, m)
	if err != nil {
		return fmt.Errorf("%x is taken and not written again: %w", data, err)
	}
	if size := codec.Size(m); size != len(again) {
		return fmt.Errorf("%x is written again with %d bytes, Size says %d", data, len(again), size)
	}
	if bytes.Equal(again, data) {
		return nil
	}
	back, err := codec.Decode(again) // unknown fields were skipped
	if err != nil || len(again) >= len(data) || !same(m, back) {
		return fmt.Errorf("%x is written again as %x: %#v, then %#v, %w", data, again, m, back, err)
	}
	return nil
}

// same compares messages, -0 and 0 as two numbers.
func same(a, b engine.Message) bool {
	return reflect.DeepEqual(a, b) && sameSigns(reflect.ValueOf(a), reflect.ValueOf(b))
}

func sameSigns(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Signbit(a.Float()) == math.Signbit(b.Float())
	case reflect.Pointer, reflect.Interface:
		return a.IsNil() || sameSigns(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !sameSigns(a.Field(i), b.Field(i)) {
				return false
			}
		}
	case reflect.Slice:
		for i := range a.Len() {
			if !sameSigns(a.Index(i), b.Index(i)) {
				return false
			}
		}
	}
	return true
}
