package engine

import "bytes"

// Opaque is a message within a message, of a kind that is not known here. It is written as
// it came, so that a node can carry for others what it does not understand. Nobody makes
// one but Decode, and code that is handed one as the receiver drops it.
type Opaque struct {
	kind  Kind
	bytes []byte
}

// Kind returns the kind that the message came with.
func (o *Opaque) Kind() Kind { return o.kind }

// Len returns how many bytes o is on the wire.
func (o *Opaque) Len() int { return len(o.bytes) }

// newOpaque reads the item at the start of data, which checkItem has passed, and returns
// what follows.
func newOpaque(kind Kind, data []byte) (*Opaque, []byte, error) {
	rest, err := checkItem(data, MaxDepth)
	if err != nil {
		return nil, nil, err
	}
	return &Opaque{kind, bytes.Clone(data[:len(data)-len(rest)])}, rest, nil
}

func (o *Opaque) append(dst []byte, levels int) ([]byte, error) {
	if _, err := checkItem(o.bytes, levels); err != nil {
		return nil, errLevels
	}
	return append(dst, o.bytes...), nil
}
