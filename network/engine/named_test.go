package engine

import (
	"fmt"
	"slices"
	"testing"
)

// Whom a message names is found wherever it stands, in the order of the fields, and nobody else is.
func TestPeersThatMessagesName(t *testing.T) {
	peer := func(n byte) Peer { return Peer{ID: ID{n}, Address: Address(fmt.Sprint(n))} }
	codec := NewCodec(testMessages)
	for _, c := range []struct {
		name string
		of   Message
		want []Peer
	}{
		{"nothing", nil, nil},
		{"of an unknown kind", new(Hello), nil},
		{"without a field for peers", &ping{Number: 1}, nil},
		{"no peer", &routed{Key: ID{1}}, nil},
		{"a field", &routed{Origin: peer(1)}, []Peer{peer(1)}},
		{"a list", &leaves{Peers: []Peer{peer(2), {}, peer(1), peer(2)}}, []Peer{peer(2), peer(1), peer(2)}},
		{"carried", &routed{Origin: peer(1), Payload: &leaves{Peers: []Peer{peer(2)}}}, []Peer{peer(1), peer(2)}},
		{"in structs, and lists of structs and messages", &kitchen{
			Part: part{Peer: peer(1)}, Parts: []part{{Name: "none"}, {Peer: peer(2)}},
			Letters: []Message{&ping{}, &routed{Origin: peer(3)}},
		}, []Peer{peer(1), peer(2), peer(3)}},
	} {
		var got []Peer
		codec.Peers(c.of, func(p Peer) { got = append(got, p) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v named, want %v", c.name, got, c.want)
		}
	}
}
