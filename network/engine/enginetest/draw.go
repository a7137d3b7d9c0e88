package enginetest

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// Draw returns a generator of messages of the kind, with messages of all the codec's kinds
// within them. What has a length is short, at most a few elements, and never empty but not
// nil: a slice without elements comes back from the codec as nil.
func Draw(codec *engine.Codec, kind engine.Kind) *rapid.Generator[engine.Message] {
	return rapid.Custom(func(t *rapid.T) engine.Message {
		return (&drawer{t, codec}).message(kind, engine.MaxDepth)
	})
}

type drawer struct {
	t     *rapid.T
	codec *engine.Codec
}

// message draws a message of at most levels levels, which are more than 0.
func (d *drawer) message(kind engine.Kind, levels int) engine.Message {
	m := d.codec.New(kind)
	if v := reflect.ValueOf(m).Elem(); v.Kind() == reflect.Struct && v.NumField() == 0 {
		rapid.Bool().Draw(d.t, "nothing") // rapid wants something drawn
	} else {
		d.fill(v, nil, levels)
	}
	return m
}

// fill draws a value. levels is how many arrays and maps may still stand within each other.
func (d *drawer) fill(v reflect.Value, bounds []int, levels int) {
	switch v.Type() {
	case reflect.TypeFor[engine.Address]():
		v.SetString(string(d.bytes(first(bounds, engine.MaxAddress))))
		return
	case reflect.TypeFor[engine.Peer]():
		d.peer(v)
		return
	case reflect.TypeFor[engine.Message]():
		if levels > 0 && rapid.Bool().Draw(d.t, "message within") {
			kind := rapid.SampledFrom(d.codec.Kinds()).Draw(d.t, "kind")
			v.Set(reflect.ValueOf(d.message(kind, levels)))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if levels == 0 {
			return
		}
		for i := range v.NumField() {
			d.fill(v.Field(i), boundsOf(v.Type().Field(i)), levels-1)
		}
	case reflect.Slice:
		d.slice(v, bounds, levels)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(rapid.Byte().Draw(d.t, "byte")))
		}
	case reflect.String:
		v.SetString(rapid.StringN(-1, min(first(bounds, 0), 12), first(bounds, 0)).Draw(d.t, "text"))
	default:
		d.scalar(v)
	}
}

func (d *drawer) scalar(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(rapid.Bool().Draw(d.t, "bool"))
	case v.CanInt():
		half := uint(v.Type().Bits() - 1)
		v.SetInt(rapid.Int64Range(-1<<half, 1<<half-1).Draw(d.t, "integer"))
	case v.CanUint():
		v.SetUint(rapid.Uint64Max(math.MaxUint64>>(64-v.Type().Bits())).Draw(d.t, "integer"))
	case v.Kind() == reflect.Float32:
		v.SetFloat(float64(rapid.OneOf(rapid.Float32(), rapid.Just(float32(math.Copysign(0, -1)))).Draw(d.t, "number")))
	case v.CanFloat():
		exact := rapid.Map(rapid.IntRange(-4096, 4096), func(i int) float64 { return float64(i) / 64 })
		v.SetFloat(rapid.OneOf(rapid.Float64(), exact).Draw(d.t, "number"))
	default:
		panic(fmt.Sprintf("enginetest: a message with a %s", v.Type()))
	}
}

func (d *drawer) peer(v reflect.Value) {
	if rapid.Bool().Draw(d.t, "peer") {
		v.Field(1).SetString(string(d.bytes(engine.MaxAddress)))
		d.fill(v.Field(0), nil, 0)
	}
}

func (d *drawer) slice(v reflect.Value, bounds []int, levels int) {
	most := first(bounds, 0)
	if v.Type().Elem().Kind() == reflect.Uint8 {
		if b := d.bytes(most); len(b) > 0 {
			v.SetBytes(b)
		}
		return
	}
	if levels == 0 {
		return
	}
	elements := v.Type().Elem()
	needs := 0 // levels of an element that must not be empty
	if elements.Kind() == reflect.Struct && elements != reflect.TypeFor[engine.Peer]() ||
		elements.Kind() == reflect.Interface {
		needs = 1
	}
	n := rapid.IntRange(0, min(most, 4)).Draw(d.t, "elements")
	if n == 0 || levels-1 < needs {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		e := v.Index(i)
		d.fill(e, bounds[1:], levels-1)
		if e.Kind() == reflect.Interface && e.IsNil() {
			e.Set(reflect.ValueOf(d.codec.New(rapid.SampledFrom(d.codec.Kinds()).Draw(d.t, "kind"))))
		}
	}
}

func (d *drawer) bytes(most int) []byte {
	return rapid.SliceOfN(rapid.Byte(), 0, min(most, 40)).Draw(d.t, "bytes")
}

func first(bounds []int, without int) int {
	if len(bounds) == 0 {
		return without
	}
	return bounds[0]
}

// boundsOf reads a field's max tag: its own bound, then those of its elements.
func boundsOf(f reflect.StructField) (bounds []int) {
	for number := range strings.SplitSeq(f.Tag.Get("max"), ",") {
		if n, err := strconv.Atoi(number); err == nil {
			bounds = append(bounds, n)
		}
	}
	return bounds
}

// keyOf reads a field's integer key.
func keyOf(f reflect.StructField) uint64 {
	digits, _, _ := strings.Cut(f.Tag.Get("cbor"), ",")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("enginetest: field %s without a key: %v", f.Name, err))
	}
	return n
}
