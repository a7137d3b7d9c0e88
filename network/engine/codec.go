package engine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// MaxMessage is the longest encoded message, in bytes. Longer content travels in pieces.
const MaxMessage = 1 << 20

// Errors of Decode. Both wrap what was wrong.
var (
	// ErrUnknown means a well-formed message of a kind that is not known here, as a newer
	// version may send: to be counted and dropped.
	ErrUnknown = errors.New("unknown kind of message")

	// ErrMalformed means bytes that no honest peer sends.
	ErrMalformed = errors.New("malformed message")
)

// Codec turns messages of some vocabularies into bytes and back. It does not change once it
// is made and can be used from several goroutines.
//
// A message is one CBOR item in deterministic form (RFC 8949, section 4.2.1): a tag, whose
// number is the message's kind, around a map from the integers in the fields' tags to the
// fields. A field that is zero or empty is left out. So a message has exactly one encoding,
// and a decoded slice is never empty but not nil. The Go types stand as follows.
//
//	bool, integers        true and false, integers
//	float32, float64      floating-point numbers, finite, in the shortest form that is exact
//	string                text (UTF-8)
//	[]byte, [N]byte, ID   byte string
//	Address               byte string
//	Peer                  byte string: the ID, then the address; empty for no peer
//	slice                 array
//	struct                map, as the message itself
//	Message               a message, of any kind; of an unknown kind it becomes an [Opaque]
//
// There are no other types. Go maps have no order and pointers can be nil or go in circles;
// a slice of structs says the same.
//
// Strings and slices need a bound in their field's tag, in bytes or elements (`max:"16"`),
// which is held in both directions; `max:"16,255"` is of a list of strings. An Address has
// its own, MaxAddress, which a tag can lower.
//
// Decode refuses everything else as ErrMalformed: what is not in deterministic form, not of
// its field's type or over its field's bound, empty fields that are written, more than
// MaxMessage bytes or MaxDepth levels of arrays and maps, bytes before or after. It skips
// fields that it does not know. It allocates at most MaxExpansion bytes for each byte of
// its input, but for the rounding up of Go's memory allocator and the text of an error.
//
// No general CBOR library stands below it. One would need a second parser before it, for
// form, bounds and unknown kinds, and a third for Size, and needs several times as long (see
// BenchmarkLibrary). The tests hold the codec against one.
type Codec struct {
	types   [256][]*messageType // by protocol, then by the message's own number
	kinds   []Kind              // ascending
	structs map[reflect.Type]*structForm
}

type messageType struct {
	kind    Kind
	name    string
	class   Class
	typ     reflect.Type // of the struct
	pointer reflect.Type // to it
	form    *structForm
}

// NewCodec returns the codec of the given vocabularies. It panics where these contradict
// each other or break the rules of Message: each field exported, with an integer key that
// is higher than the one before it, of a type that can be carried, bounded where it has a
// length, and no element or message so large that a byte on the wire could stand for more
// than MaxExpansion in memory.
func NewCodec(vocabularies ...Vocabulary) *Codec {
	c := &Codec{structs: make(map[reflect.Type]*structForm)}
	for _, v := range vocabularies {
		for _, t := range v.Messages {
			c.add(v, t)
		}
	}
	slices.Sort(c.kinds)
	return c
}

func (c *Codec) add(v Vocabulary, t MessageType) {
	kind, name := t.Message.Kind(), v.name(t)
	if c.lookup(kind) != nil || kind.Protocol() != v.Protocol {
		panic(fmt.Sprintf("engine: kind %#04x of %s is wrong or taken", uint16(kind), name))
	}
	pointer := reflect.TypeOf(t.Message)
	typ := pointer.Elem()
	form, err := c.structOf(typ)
	if err != nil {
		panic(fmt.Sprintf("engine: %s: %v", name, err))
	}
	if least := headSize(uint64(kind)) + form.least(); typ.Size() > uintptr(MaxExpansion*least) {
		panic(fmt.Sprintf("engine: %s takes %d bytes of memory for %d on the wire", name, typ.Size(), least))
	}
	of := &c.types[kind.Protocol()]
	if *of == nil {
		*of = make([]*messageType, 256)
	}
	(*of)[byte(kind)] = &messageType{kind: kind, name: name, class: t.Class, typ: typ, pointer: pointer, form: form}
	c.kinds = append(c.kinds, kind)
}

// lookup returns nil if the kind is unknown.
func (c *Codec) lookup(k Kind) *messageType {
	if of := c.types[k.Protocol()]; of != nil {
		return of[byte(k)]
	}
	return nil
}

// Append encodes m and appends it to dst. It fails on a message that Decode would refuse:
// over a bound, not UTF-8, not finite, too deep, of an unknown kind.
func (c *Codec) Append(dst []byte, m Message) ([]byte, error) {
	if m == nil {
		return dst, errNothing
	}
	long, err := c.append(dst, m, MaxDepth)
	if err == nil && len(long)-len(dst) > MaxMessage {
		err = fmt.Errorf("%d bytes, at most %d", len(long)-len(dst), MaxMessage)
	}
	if err != nil {
		return dst, fmt.Errorf("encoding a %s: %w", c.Name(m.Kind()), err)
	}
	return long, nil
}

func (c *Codec) append(dst []byte, m Message, levels int) ([]byte, error) {
	if m == nil {
		return nil, errNothing
	}
	if o, ok := m.(*Opaque); ok {
		return o.append(dst, levels)
	}
	t := c.lookup(m.Kind())
	v := reflect.ValueOf(m)
	if t == nil || v.Type() != t.pointer {
		return nil, fmt.Errorf("%T: %w", m, ErrUnknown)
	}
	if v.IsNil() {
		return nil, errNothing
	}
	return t.form.append(appendHead(dst, majorTag, uint64(t.kind)), v.Elem(), levels)
}

// Decode reads exactly one message. The message shares no memory with data.
func (c *Codec) Decode(data []byte) (Message, error) {
	if len(data) > MaxMessage {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrMalformed, len(data), MaxMessage)
	}
	switch rest, err := checkItem(data, MaxDepth); {
	case err != nil:
		return nil, err
	case len(rest) > 0:
		return nil, fmt.Errorf("%w: %d bytes behind it", ErrMalformed, len(rest))
	}
	kind, body, err := readKind(data)
	if err != nil {
		return nil, err
	}
	t := c.lookup(kind)
	if t == nil {
		return nil, fmt.Errorf("%w: %#04x", ErrUnknown, uint16(kind))
	}
	m, _, err := t.read(body)
	return m, err
}

func (t *messageType) read(body []byte) (Message, []byte, error) {
	v := reflect.New(t.typ)
	rest, err := t.form.read(body, v.Elem())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", t.name, err)
	}
	return v.Interface().(Message), rest, nil
}

// Size returns how many bytes m is on the wire. It encodes nothing and allocates nothing. It
// panics if m, or a message within it, is of an unknown kind; of a message that Append
// refuses for another reason the size means nothing.
func (c *Codec) Size(m Message) int { return c.size(m, MaxDepth) }

func (c *Codec) size(m Message, levels int) int {
	if o, ok := m.(*Opaque); ok {
		return len(o.bytes)
	}
	if m == nil {
		return 0
	}
	t := c.lookup(m.Kind())
	v := reflect.ValueOf(m)
	if t == nil || v.Type() != t.pointer {
		panic(fmt.Sprintf("engine: a %T is of no kind that this codec knows", m))
	}
	n, _ := t.form.size(v.Elem(), levels)
	return headSize(uint64(t.kind)) + n
}

// Name returns how people read the kind: "pastry.Join".
func (c *Codec) Name(k Kind) string {
	if t := c.lookup(k); t != nil {
		return t.name
	}
	return fmt.Sprintf("unknown %#04x", uint16(k))
}

// Class returns how urgent messages of the kind are; Bulk if it is unknown.
func (c *Codec) Class(k Kind) Class {
	if t := c.lookup(k); t != nil {
		return t.class
	}
	return Bulk
}

// ClassOf returns how urgent m is: as its kind, or as what it carries.
func (c *Codec) ClassOf(m Message) Class {
	if carrier, ok := m.(Carrier); ok {
		if carried := carrier.Carried(); carried != nil {
			return c.ClassOf(carried)
		}
	}
	return c.Class(m.Kind())
}

// Kinds returns all kinds that the codec knows, ascending. The caller must not change it.
func (c *Codec) Kinds() []Kind { return c.kinds }

// New returns an empty message of the kind, or nil if it is unknown.
func (c *Codec) New(k Kind) Message {
	t := c.lookup(k)
	if t == nil {
		return nil
	}
	return reflect.New(t.typ).Interface().(Message)
}
