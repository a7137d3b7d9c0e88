package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// errType is of an item that stands where one of another type belongs.
var errType = fmt.Errorf("%w: an item of the wrong type or out of range", ErrMalformed)

type boolForm struct{}

func (boolForm) empty(v reflect.Value) bool                      { return !v.Bool() }
func (boolForm) size(v reflect.Value, _ int) (n int, empty bool) { return 1, !v.Bool() }
func (boolForm) least() int                                      { return 1 }
func (boolForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	if v.Bool() {
		return append(dst, itemTrue), nil
	}
	return append(dst, itemFalse), nil
}

func (boolForm) read(data []byte, v reflect.Value) ([]byte, error) {
	if data[0] != itemFalse && data[0] != itemTrue {
		return nil, errType
	}
	v.SetBool(data[0] == itemTrue)
	return data[1:], nil
}

type intForm struct{}

// split returns an integer as CBOR has it: n, or -1-n.
func split(i int64) (major, uint64) {
	if i < 0 {
		return majorNegative, uint64(-1 - i)
	}
	return majorUint, uint64(i)
}

func (intForm) empty(v reflect.Value) bool { return v.Int() == 0 }
func (intForm) least() int                 { return 1 }

func (intForm) size(v reflect.Value, _ int) (n int, empty bool) {
	_, u := split(v.Int())
	return headSize(u), v.Int() == 0
}

func (intForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	m, n := split(v.Int())
	return appendHead(dst, m, n), nil
}

func (intForm) read(data []byte, v reflect.Value) ([]byte, error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return nil, err
	}
	if m != majorUint && m != majorNegative || n > math.MaxInt64 {
		return nil, errType
	}
	i := int64(n)
	if m == majorNegative {
		i = -1 - i
	}
	if v.OverflowInt(i) {
		return nil, errType
	}
	v.SetInt(i)
	return rest, nil
}

type uintForm struct{}

func (uintForm) empty(v reflect.Value) bool { return v.Uint() == 0 }
func (uintForm) size(v reflect.Value, _ int) (n int, empty bool) {
	return headSize(v.Uint()), v.Uint() == 0
}
func (uintForm) least() int { return 1 }
func (uintForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	return appendHead(dst, majorUint, v.Uint()), nil
}

func (uintForm) read(data []byte, v reflect.Value) ([]byte, error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return nil, err
	}
	if m != majorUint || v.OverflowUint(n) {
		return nil, errType
	}
	v.SetUint(n)
	return rest, nil
}

// floatForm is of floating-point numbers, which are always finite. single: of float32.
type floatForm struct{ single bool }

var errInfinite = errors.New("a number that is not finite")

// empty is true of 0 only, not of -0.
func (floatForm) empty(v reflect.Value) bool { return math.Float64bits(v.Float()) == 0 }
func (floatForm) size(v reflect.Value, _ int) (n int, empty bool) {
	return floatSize(v.Float()), math.Float64bits(v.Float()) == 0
}
func (floatForm) least() int { return 3 }

func (floatForm) append(dst []byte, v reflect.Value, _ int) ([]byte, error) {
	if !isFinite(v.Float()) {
		return nil, errInfinite
	}
	return appendFloat(dst, v.Float()), nil
}

func (f floatForm) read(data []byte, v reflect.Value) ([]byte, error) {
	first := data[0]
	if first != itemHalf && first != itemFloat && (first != item64 || f.single) {
		return nil, errType
	}
	_, n, rest, err := readHead(data)
	if err != nil {
		return nil, err
	}
	v.SetFloat(math.Float64frombits(n))
	return rest, nil
}
