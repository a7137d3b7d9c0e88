package engine

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// MaxExpansion is how many bytes of memory one byte of a message may stand for, at most. It
// bounds the Go types that messages are made of; see NewCodec.
const MaxExpansion = 128

// form is how the values of one Go type stand on the wire. It is made once for each type
// (see formOf) and does all work on that type's values: reflection looks at types when the
// codec is made, at values when messages pass.
//
// levels is how many arrays and maps may still stand within each other.
type form interface {
	// empty reports whether v is the value that a missing field has.
	empty(v reflect.Value) bool

	// size returns how many bytes append appends, and whether v is empty.
	size(v reflect.Value, levels int) (n int, empty bool)

	// append fails if v breaks a bound of its type.
	append(dst []byte, v reflect.Value, levels int) ([]byte, error)

	// read sets v, which is zero, and returns what follows. data begins with an item that
	// checkItem has passed; read checks that it is of v's type and within its bounds.
	read(data []byte, v reflect.Value) (rest []byte, err error)

	// least is how many bytes the shortest value needs.
	least() int
}

var (
	typeAddress = reflect.TypeFor[Address]()
	typePeer    = reflect.TypeFor[Peer]()
	typeMessage = reflect.TypeFor[Message]()
)

// formOf returns the form of a type. bounds are the numbers of the field's max tag, for the
// type itself first, then for its elements. It uses up those it needs; fieldOf refuses
// those that are left.
func (c *Codec) formOf(t reflect.Type, bounds *[]int) (form, error) {
	switch t {
	case typeAddress:
		return addressWithin(bounds), nil
	case typePeer:
		return peerForm{}, nil
	case typeMessage:
		return messageForm{c}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolForm{}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return intForm{}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return uintForm{}, nil
	case reflect.Float32, reflect.Float64:
		return floatForm{single: t.Kind() == reflect.Float32}, nil
	case reflect.String, reflect.Slice:
		return c.formWithBound(t, bounds)
	case reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return fixedForm{t.Len()}, nil
		}
	case reflect.Struct:
		return c.structOf(t)
	}
	return nil, fmt.Errorf("messages cannot carry a %s", t)
}

// addressWithin returns the form of an Address, whose own bound a field's can only lower.
func addressWithin(bounds *[]int) form {
	if len(*bounds) == 0 {
		return addressForm{MaxAddress}
	}
	most := min((*bounds)[0], MaxAddress)
	*bounds = (*bounds)[1:]
	return addressForm{most}
}

func (c *Codec) formWithBound(t reflect.Type, bounds *[]int) (form, error) {
	if len(*bounds) == 0 {
		return nil, fmt.Errorf("a %s needs a bound (`max:\"16\"`)", t)
	}
	most := (*bounds)[0]
	*bounds = (*bounds)[1:]
	switch {
	case t.Kind() == reflect.String:
		return textForm{most}, nil
	case t.Elem().Kind() == reflect.Uint8:
		return bytesForm{most}, nil
	}
	element, err := c.formOf(t.Elem(), bounds)
	if err != nil {
		return nil, err
	}
	if t.Elem().Size() > uintptr(MaxExpansion*element.least()) {
		return nil, fmt.Errorf("a %s takes %d bytes of memory for one on the wire, at most %d",
			t.Elem(), int(t.Elem().Size())/element.least(), MaxExpansion)
	}
	return listForm{most: most, element: element, typ: t}, nil
}

// structOf returns the form of a struct: a map from the integers in the fields' tags.
func (c *Codec) structOf(t reflect.Type) (*structForm, error) {
	if s := c.structs[t]; s != nil {
		if s.fields == nil && t.NumField() > 0 {
			return nil, fmt.Errorf("%s contains itself", t)
		}
		return s, nil
	}
	s := &structForm{}
	c.structs[t] = s
	if t.NumField() > maxFields {
		return nil, fmt.Errorf("%s has more than %d fields", t, maxFields)
	}
	var fields []field
	for i := range t.NumField() {
		f, err := c.fieldOf(t.Field(i))
		if err != nil {
			return nil, fmt.Errorf("field %s.%s: %w", t.Name(), t.Field(i).Name, err)
		}
		f.index = i
		if len(fields) > 0 && fields[len(fields)-1].key >= f.key {
			return nil, fmt.Errorf("field %s.%s: keys must rise from field to field", t.Name(), f.name)
		}
		fields = append(fields, f)
	}
	s.fields, s.naming = fields, namingOf(fields)
	return s, nil
}

func (c *Codec) fieldOf(f reflect.StructField) (field, error) {
	if !f.IsExported() || f.Anonymous {
		return field{}, fmt.Errorf("it is embedded or not exported, and would not travel")
	}
	digits, ok := strings.CutSuffix(f.Tag.Get("cbor"), ",keyasint")
	key, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil {
		return field{}, fmt.Errorf("it needs an integer key (`cbor:\"1,keyasint\"`)")
	}
	bounds, err := boundsOf(f)
	if err != nil {
		return field{}, err
	}
	form, err := c.formOf(f.Type, &bounds)
	if err != nil {
		return field{}, err
	}
	if len(bounds) > 0 {
		return field{}, fmt.Errorf("its bound %d is of nothing", bounds[0])
	}
	return field{name: f.Name, key: key, head: appendHead(nil, majorUint, key), form: form}, nil
}

// boundsOf reads a field's max tag: `max:"16"`, or `max:"16,255"` of a list of at most 16
// strings of at most 255 bytes.
func boundsOf(f reflect.StructField) (bounds []int, err error) {
	tag, ok := f.Tag.Lookup("max")
	if !ok {
		return nil, nil
	}
	for number := range strings.SplitSeq(tag, ",") {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > MaxMessage {
			return nil, fmt.Errorf("%q is no bound from 1 to %d", number, MaxMessage)
		}
		bounds = append(bounds, n)
	}
	return bounds, nil
}
