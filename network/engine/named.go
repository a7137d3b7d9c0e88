package engine

import "reflect"

// namer is a form whose values may name peers.
type namer interface {
	// peers calls f with each peer that v names. v is addressable.
	peers(v reflect.Value, f func(Peer))
}

// Peers calls f with each peer that m names, in a message that it carries as well, in the order of the fields: no peer
// is left out, and one may come twice. It does nothing for a message of an unknown kind.
func (c *Codec) Peers(m Message, f func(Peer)) {
	if m == nil {
		return
	}
	t := c.lookup(m.Kind())
	v := reflect.ValueOf(m)
	if t == nil || v.Type() != t.pointer || len(t.form.naming) == 0 || v.IsNil() {
		return
	}
	t.form.peers(v.Elem(), f)
}

// names returns the form as one whose values may name peers; nil if they cannot.
func names(f form) namer {
	switch f := f.(type) {
	case peerForm:
		return f
	case messageForm:
		return f
	case *structForm:
		if len(f.naming) > 0 {
			return f
		}
	case listForm:
		if names(f.element) != nil {
			return f
		}
	}
	return nil
}

func (peerForm) peers(v reflect.Value, f func(Peer)) {
	if p := *v.Addr().Interface().(*Peer); !p.IsZero() {
		f(p)
	}
}

func (m messageForm) peers(v reflect.Value, f func(Peer)) { m.codec.Peers(messageOf(v), f) }

func (s *structForm) peers(v reflect.Value, f func(Peer)) {
	for _, field := range s.naming {
		field.peers(v.Field(field.index), f)
	}
}

func (l listForm) peers(v reflect.Value, f func(Peer)) {
	element := names(l.element)
	for i := range v.Len() {
		element.peers(v.Index(i), f)
	}
}

// naming is a field that may name peers.
type naming struct {
	namer
	index int // in the struct
}

// namingOf returns those of the fields that may name peers.
func namingOf(fields []field) (all []naming) {
	for _, f := range fields {
		if n := names(f.form); n != nil {
			all = append(all, naming{n, f.index})
		}
	}
	return all
}
