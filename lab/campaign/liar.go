package campaign

import (
	"fmt"
	"reflect"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/sim"
)

// liar is the Env of a node that does not send what it should, while a fault says so.
type liar struct {
	engine.Env
	node  sim.Node
	lying func(n sim.Node) Kind // empty: it does not lie now
	codec *engine.Codec
}

// Link implements engine.Linker.
func (l *liar) Link(id engine.ID) (engine.Peer, bool) { return engine.LinkOf(l.Env, id) }

// Send sends what the liar makes of a message.
func (l *liar) Send(to engine.Peer, m engine.Message) {
	kind := l.lying(l.node)
	if (kind != Mute && kind != Forge) || !carries(m) {
		l.Env.Send(to, m)
		return
	}
	if kind == Mute {
		return
	}
	l.Env.Send(to, l.forged(m))
}

// carries reports whether there is an update in a message, or an item that is pushed.
func carries(m engine.Message) bool {
	v := reflect.ValueOf(m)
	return find[corona.Update](v) != nil || find[feedtree.Item](v) != nil
}

// forged returns a copy of a message in which an update or a pushed item has another content.
func (l *liar) forged(m engine.Message) engine.Message {
	data, err := l.codec.Append(nil, m)
	if err != nil {
		panic(fmt.Sprintf("campaign: a message that is sent cannot be written: %v", err))
	}
	copied, err := l.codec.Decode(data)
	if err != nil {
		panic(fmt.Sprintf("campaign: a message that is sent cannot be read: %v", err))
	}
	text := fmt.Sprintf("forged by node %d", l.node)
	v := reflect.ValueOf(copied)
	if u := find[corona.Update](v); u != nil {
		u.Hash, u.Base, u.Size, u.Payload = coronatest.HashOf(text), corona.Hash{}, uint32(len(text)), []byte(text)
	} else {
		find[feedtree.Item](v).Entry = []byte(text)
	}
	return copied
}

// find returns the first T that is somewhere in a message; nil: there is none.
func find[T any](v reflect.Value) *T {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*T]() {
			return (*T)(v.UnsafePointer())
		}
		return find[T](v.Elem())
	case reflect.Interface:
		return find[T](v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[T]() && v.CanAddr() {
			return v.Addr().Interface().(*T)
		}
		for i := range v.NumField() {
			if u := find[T](v.Field(i)); u != nil {
				return u
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() < reflect.Array { // numbers
			return nil
		}
		for i := range v.Len() {
			if u := find[T](v.Index(i)); u != nil {
				return u
			}
		}
	}
	return nil
}

// invented is what a node that invents says that an origin serves.
func invented(n sim.Node, content string) string {
	return fmt.Sprintf("%s, says node %d", content, n)
}
