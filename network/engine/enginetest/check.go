package enginetest

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// examples is how many messages of each kind are damaged in every way.
const examples = 4

// Check proves of every kind of message that the codec knows: random messages come back as
// they were, in the length that Size says, in deterministic form; bounds hold in both
// directions; damaged and hostile bytes are refused within the promised memory; what a
// newer version may add is skipped.
func Check(t *testing.T, codec *engine.Codec) {
	t.Helper()
	if len(codec.Kinds()) == 0 {
		t.Fatal("the codec knows no messages")
	}
	for _, kind := range codec.Kinds() {
		t.Run(codec.Name(kind), func(t *testing.T) {
			t.Run("round trip", func(t *testing.T) { checkRoundTrip(t, codec, kind) })
			t.Run("bounds", func(t *testing.T) { checkBounds(t, codec, kind) })
			t.Run("hostile 27: damaged", func(t *testing.T) { checkDamaged(t, codec, kind) })
			t.Run("hostile 27: memory", func(t *testing.T) { checkMemory(t, codec, kind) })
			t.Run("hostile 28: not deterministic", func(t *testing.T) { checkHostile(t, codec, kind) })
			t.Run("hostile 29: unknown fields", func(t *testing.T) { checkUnknownFields(t, codec, kind) })
		})
	}
	t.Run("hostile 29: unknown kind", func(t *testing.T) { checkUnknownKind(t, codec) })
}

func checkRoundTrip(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	messages := Draw(codec, kind)
	rapid.Check(t, func(t *rapid.T) {
		m := messages.Draw(t, "message")
		before := []byte("before")
		data, err := codec.Append(before, m)
		if err != nil {
			t.Fatalf("%#v: %v", m, err)
		}
		if !bytes.HasPrefix(data, before) {
			t.Fatalf("what stood before it has become %x", data)
		}
		data = data[len(before):]
		if size := codec.Size(m); size != len(data) {
			t.Fatalf("%#v takes %d bytes, Size says %d", m, len(data), size)
		}
		if err := checkDeterministic(data); err != nil {
			t.Fatalf("%#v is written as %x: %v", m, data, err)
		}
		kept := bytes.Clone(data)
		back, err := codec.Decode(data)
		if err != nil {
			t.Fatalf("%#v is written as %x: %v", m, data, err)
		}
		for i := range data {
			data[i] ^= 0xff
		}
		if !same(m, back) {
			t.Fatalf("%#v is written as %x and comes back as %#v", m, kept, back)
		}
	})
}

func checkDamaged(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	messages := Draw(codec, kind)
	for seed := range examples {
		data, err := codec.Append(nil, messages.Example(seed))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 1024 { // each bit of it would take long
			data = written(kind, map[uint64]any{})
		}
		for cut := range data {
			if m, err := codec.Decode(data[:cut]); !errors.Is(err, engine.ErrMalformed) {
				t.Errorf("%x, cut after %d bytes: %#v, %v", data, cut, m, err)
			}
		}
		for bit := range 8 * len(data) {
			data[bit/8] ^= 0x80 >> (bit % 8)
			if err := judge(codec, data); err != nil {
				t.Error(err)
			}
			data[bit/8] ^= 0x80 >> (bit % 8)
		}
		for _, more := range []byte{0, 0xa0, 0xff} {
			if m, err := codec.Decode(append(data, more)); !errors.Is(err, engine.ErrMalformed) {
				t.Errorf("%x with %x behind it: %#v, %v", data, more, m, err)
			}
		}
	}
}

func checkHostile(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	for what, data := range wrongHeads(kind) {
		if m, err := codec.Decode(data); !errors.Is(err, engine.ErrMalformed) {
			t.Errorf("%s: %.200x is %#v, %v", what, data, m, err)
		}
	}
	for _, h := range hostileItems {
		data := withUnknown(kind, h.bytes())
		if m, err := codec.Decode(data); !errors.Is(err, engine.ErrMalformed) {
			t.Errorf("%s: %x is %#v, %v", h.what, data, m, err)
		}
	}
	for i := range typeOf(codec, kind).NumField() {
		f := typeOf(codec, kind).Field(i)
		for _, h := range append(hostileItems, hostileItem{"a written empty value", ""}) {
			value := h.bytes()
			if h.hex == "" {
				value = must(deterministic.Marshal(leastOf(f.Type)))
				if f.Type == reflect.TypeFor[engine.Message]() {
					continue
				}
			}
			head := written(kind, map[uint64]any{keyOf(f): 0})
			data := append(head[:len(head)-1], value...)
			if m, err := codec.Decode(data); !errors.Is(err, engine.ErrMalformed) {
				t.Errorf("%s in %s: %x is %#v, %v", h.what, f.Name, data, m, err)
			}
		}
	}
}

func checkUnknownFields(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	for _, h := range decentItems {
		data := withUnknown(kind, h.bytes())
		if m, err := codec.Decode(data); err != nil || !same(m, codec.New(kind)) {
			t.Errorf("an unknown field with %s: %x is %#v, %v", h.what, data, m, err)
		}
		if err := judge(codec, data); err != nil {
			t.Error(err)
		}
	}
}

func checkUnknownKind(t *testing.T, codec *engine.Codec) {
	kind := engine.KindOf(0xff, 0xfe)
	if codec.New(kind) != nil {
		t.Fatalf("kind %#04x is known", kind)
	}
	for _, data := range [][]byte{written(kind, map[uint64]any{}),
		written(kind, map[uint64]any{1: "x", 900: []any{true}})} {
		m, err := codec.Decode(data)
		if m != nil || !errors.Is(err, engine.ErrUnknown) || errors.Is(err, engine.ErrMalformed) {
			t.Errorf("%x is %#v, %v", data, m, err)
		}
	}
	for what, data := range wrongHeads(kind) {
		if m, err := codec.Decode(data); !errors.Is(err, engine.ErrMalformed) {
			t.Errorf("unknown, and %s: %.200x is %#v, %v", what, data, m, err)
		}
	}
}
