package enginetest

import (
	"testing"

	"tidings/network/engine"
)

// Fuzz gives any bytes to the codec. It starts from messages of every kind and from hostile and
// decent items in an unknown field of one kind, and fails if a kind has no seeds that the codec
// takes. Seeds are few and short, because a fuzzer goes through all of them before it begins:
// Check tries every item in every kind.
func Fuzz(f *testing.F, codec *engine.Codec) {
	f.Helper()
	kinds := codec.Kinds()
	if len(kinds) == 0 {
		f.Fatal("the codec knows no messages")
	}
	for _, kind := range kinds {
		seedKind(f, codec, kind)
	}
	for _, h := range append(hostileItems, decentItems...) {
		f.Add(withUnknown(kinds[0], h.bytes()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := judge(codec, data); err != nil {
			t.Error(err)
		}
	})
}

// fuzzExamples is how many messages of each kind a fuzzer starts from.
const fuzzExamples = 2

// maxSeed is the longest seed, in bytes, but for kinds that have no shorter example.
const maxSeed = 512

func seedKind(f *testing.F, codec *engine.Codec, kind engine.Kind) {
	f.Helper()
	messages := Draw(codec, kind)
	for seed := range fuzzExamples {
		data, err := codec.Append(nil, messages.Example(seed))
		if err != nil {
			f.Fatalf("a seed of %s: %v", codec.Name(kind), err)
		}
		if m, err := codec.Decode(data); err != nil || m.Kind() != kind {
			f.Fatalf("a seed of %s is not one: %v, %v", codec.Name(kind), m, err)
		}
		if seed == 0 || len(data) <= maxSeed {
			f.Add(data)
		}
	}
	for _, e := range extremes(typeOf(codec, kind), nil, 0) {
		if data := written(kind, e.item); len(data) <= maxSeed {
			f.Add(data)
		}
	}
}
