package engine

import (
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// The samples as a general CBOR library takes them.
type (
	libraryPeer struct {
		_       struct{} `cbor:",toarray"`
		ID      ID
		Address []byte
	}

	libraryRouted struct {
		Key     ID          `cbor:"1,keyasint"`
		Origin  libraryPeer `cbor:"2,keyasint"`
		Hops    uint8       `cbor:"3,keyasint"`
		Payload Message     `cbor:"4,keyasint"`
	}

	libraryLeaves struct {
		Peers []libraryPeer `cbor:"1,keyasint"`
	}
)

func (*libraryRouted) Kind() Kind { return KindOf(Experiment, 2) }
func (*libraryLeaves) Kind() Kind { return KindOf(Experiment, 3) }

func librarySamples() map[string]Message {
	of := samples()
	peer := func(p Peer) libraryPeer { return libraryPeer{ID: p.ID, Address: []byte(p.Address)} }
	r := of["routed"].(*routed)
	list := &libraryLeaves{}
	for _, p := range of["leaves"].(*leaves).Peers {
		list.Peers = append(list.Peers, peer(p))
	}
	return map[string]Message{
		"ping":   of["ping"],
		"routed": &libraryRouted{Key: r.Key, Origin: peer(r.Origin), Hops: r.Hops, Payload: r.Payload},
		"leaves": list,
	}
}

// BenchmarkLibrary is what the codec would cost with a general library below it, without the
// checks of form and bounds that the library has not.
func BenchmarkLibrary(b *testing.B) {
	tags := cbor.NewTagSet()
	for _, m := range librarySamples() {
		options := cbor.TagOptions{EncTag: cbor.EncTagRequired, DecTag: cbor.DecTagRequired}
		if err := tags.Add(options, reflect.TypeOf(m).Elem(), uint64(m.Kind())); err != nil {
			b.Fatal(err)
		}
	}
	encoder, err := cbor.CoreDetEncOptions().EncModeWithTags(tags)
	if err != nil {
		b.Fatal(err)
	}
	decoder, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF,
		IndefLength: cbor.IndefLengthForbidden}.DecModeWithTags(tags)
	if err != nil {
		b.Fatal(err)
	}
	for name, m := range librarySamples() {
		data, err := encoder.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("append/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encoder.Marshal(m); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("decode/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var back Message
				if err := decoder.Unmarshal(data, &back); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
