package enginetest

import (
	"testing"

	"tidings/network/engine"
)

// Fuzz gives any bytes to the codec. It starts from messages of every kind, from each with
// every hostile and every decent item in an unknown field, and fails if one of the kinds has
// no seeds that the codec takes.
func Fuzz(f *testing.F, codec *engine.Codec) {
	f.Helper()
	if len(codec.Kinds()) == 0 {
		f.Fatal("the codec knows no messages")
	}
	for _, kind := range codec.Kinds() {
		seedKind(f, codec, kind)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := judge(codec, data); err != nil {
			t.Error(err)
		}
	})
}

func seedKind(f *testing.F, codec *engine.Codec, kind engine.Kind) {
	f.Helper()
	messages := Draw(codec, kind)
	for seed := range examples {
		data, err := codec.Append(nil, messages.Example(seed))
		if err != nil {
			f.Fatalf("a seed of %s: %v", codec.Name(kind), err)
		}
		if m, err := codec.Decode(data); err != nil || m.Kind() != kind {
			f.Fatalf("a seed of %s is not one: %v, %v", codec.Name(kind), m, err)
		}
		f.Add(data)
	}
	for _, h := range append(hostileItems, decentItems...) {
		f.Add(withUnknown(kind, h.bytes()))
	}
	for _, e := range extremes(typeOf(codec, kind), nil, 0) {
		if data := written(kind, e.item); len(data) < 1024 {
			f.Add(data)
		}
	}
}
