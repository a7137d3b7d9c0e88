package engine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type circle struct {
	Inner []circle `cbor:"1,keyasint" max:"3"`
}

// fat takes more memory than one byte may stand for.
type fat struct {
	A [MaxExpansion]byte `cbor:"1,keyasint"`
	B bool               `cbor:"2,keyasint"`
}

// What a message cannot be made of is refused before the first is sent.
func TestRulesOfMessages(t *testing.T) {
	for _, test := range []struct {
		message any
		want    string // a part of the error
	}{
		{struct{ A int }{}, "field .A: it needs an integer key"},
		{struct {
			A int `cbor:"a"`
		}{}, "needs an integer key"},
		{struct {
			A int `cbor:"-1,keyasint"`
		}{}, "needs an integer key"},
		{struct {
			A int `cbor:"65536,keyasint"`
		}{}, "needs an integer key"},
		{struct {
			A int `cbor:"2,keyasint"`
			B int `cbor:"1,keyasint"`
		}{}, "field .B: keys must rise"},
		{struct {
			A int `cbor:"1,keyasint"`
			B int `cbor:"1,keyasint"`
		}{}, "field .B: keys must rise"},
		{struct {
			a int `cbor:"1,keyasint"`
		}{1}, "would not travel"},
		{struct {
			Peer `cbor:"1,keyasint"`
		}{}, "would not travel"},
		{struct {
			A []byte `cbor:"1,keyasint"`
		}{}, "needs a bound"},
		{struct {
			A string `cbor:"1,keyasint"`
		}{}, "needs a bound"},
		{struct {
			A []Peer `cbor:"1,keyasint"`
		}{}, "needs a bound"},
		{struct {
			A []string `cbor:"1,keyasint" max:"3"`
		}{}, "a string needs a bound"},
		{struct {
			A []struct {
				B [][]byte `cbor:"1,keyasint" max:"2"`
			} `cbor:"1,keyasint" max:"3"`
		}{}, "a []uint8 needs a bound"},
		{struct {
			A string `cbor:"1,keyasint" max:"many"`
		}{}, "is no bound"},
		{struct {
			A string `cbor:"1,keyasint" max:"0"`
		}{}, "is no bound"},
		{struct {
			A string `cbor:"1,keyasint" max:"1048577"`
		}{}, "is no bound"},
		{struct {
			A int `cbor:"1,keyasint" max:"3"`
		}{}, "bound 3 is of nothing"},
		{struct {
			A map[int]int `cbor:"1,keyasint" max:"3"`
		}{}, "cannot carry a map"},
		{struct {
			A *ping `cbor:"1,keyasint"`
		}{}, "cannot carry a *engine.ping"},
		{struct {
			A any `cbor:"1,keyasint"`
		}{}, "cannot carry a interface"},
		{struct {
			A [3]int `cbor:"1,keyasint"`
		}{}, "cannot carry a [3]int"},
		{circle{}, "contains itself"},
		{struct {
			A []fat `cbor:"1,keyasint" max:"2"`
		}{}, "takes 129 bytes of memory for one on the wire"},
		{reflect.New(reflect.StructOf(manyFields(maxFields + 1))).Elem().Interface(), "more than 23 fields"},
	} {
		c := &Codec{structs: make(map[reflect.Type]*structForm)}
		if _, err := c.structOf(reflect.TypeOf(test.message)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T: %v, want %q", test.message, err, test.want)
		}
	}
}

func manyFields(n int) []reflect.StructField {
	fields := make([]reflect.StructField, n)
	for i := range fields {
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[bool](),
			Tag: reflect.StructTag(fmt.Sprintf(`cbor:"%d,keyasint"`, i)),
		}
	}
	return fields
}

func TestStructWithMostFields(t *testing.T) {
	c := &Codec{structs: make(map[reflect.Type]*structForm)}
	typ := reflect.StructOf(manyFields(maxFields))
	form, err := c.structOf(typ)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.New(typ).Elem()
	for i := range maxFields {
		v.Field(i).SetBool(true)
	}
	data, err := form.append(nil, v, 1)
	if size, empty := form.size(v, 1); err != nil || size != len(data) || empty {
		t.Errorf("%x, %v, of size %d, empty %v", data, err, size, empty)
	}
	back := reflect.New(typ).Elem()
	if _, err := checkItem(data, 1); err != nil {
		t.Error(err)
	}
	if rest, err := form.read(data, back); err != nil || len(rest) > 0 || back.Interface() != v.Interface() {
		t.Errorf("%x is read as %v, %v", data, back, err)
	}
}
