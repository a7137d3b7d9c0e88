package feedtree

import (
	"bytes"
	"crypto/ed25519"
	"encoding"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// keyOf returns a key that depends on one byte.
func keyOf(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

// notices are a rotation and a revocation, as signed.
func signedNotices() (r *Rotation, v *Revocation) {
	r = &Rotation{New: KeyOf(keyOf(2)), Time: 1767225600000}
	r.Sign(keyOf(1))
	v = &Revocation{Time: 1767225600001}
	v.Sign(keyOf(1))
	return r, v
}

func TestNoticesAsText(t *testing.T) {
	r, v := signedNotices()
	for _, test := range []struct {
		it       encoding.TextMarshaler
		back, no encoding.TextUnmarshaler
		length   int
	}{
		{r, new(Rotation), new(Revocation), 184},
		{v, new(Revocation), new(Rotation), 140},
	} {
		text, err := test.it.MarshalText()
		if err != nil || len(text) != test.length {
			t.Fatalf("%T gives %d characters, %v", test.it, len(text), err)
		}
		if err := test.back.UnmarshalText(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := test.back.(encoding.TextMarshaler).MarshalText()
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s comes back as %s, %v", text, again, err)
		}
		if err := test.no.UnmarshalText(text); err == nil {
			t.Errorf("%s was read as a %T", text, test.no)
		}
		for i := range text {
			altered := bytes.Clone(text)
			altered[i] ^= 1
			if err := test.back.UnmarshalText(altered); err == nil {
				t.Errorf("%s was read", altered)
			}
		}
	}
}

// What is read as a notice is signed, and is written as it was.
func FuzzNotices(f *testing.F) {
	r, v := signedNotices()
	for _, it := range []encoding.TextMarshaler{r, v} {
		text, err := it.MarshalText()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(append(text, '\n'))
		f.Add(text[1:])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Rotation
		if err := r.UnmarshalText(text); err == nil {
			again, err := r.MarshalText()
			if err != nil || !bytes.Equal(again, text) || !r.Signed() {
				t.Errorf("%s comes back as %s, %v", text, again, err)
			}
		}
		var v Revocation
		if err := v.UnmarshalText(text); err == nil {
			again, err := v.MarshalText()
			if err != nil || !bytes.Equal(again, text) || !v.Signed() {
				t.Errorf("%s comes back as %s, %v", text, again, err)
			}
		}
	})
}

func TestFingerprints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fingerprint(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bytes"))
		back, err := ParseFingerprint(f.String())
		if err != nil || back != f {
			t.Fatalf("%v comes back as %v, %v", f, back, err)
		}
	})
	want := KeyOf(keyOf(1)).Fingerprint()
	byHand := "AA:bb " + want.String()
	if _, err := ParseFingerprint(byHand); err == nil {
		t.Errorf("%q was read", byHand)
	}
	spaced := want.String()[:10] + ":" + want.String()[10:20] + " " + want.String()[20:]
	if got, err := ParseFingerprint(spaced); err != nil || got != want {
		t.Errorf("%q gives %v, %v", spaced, got, err)
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add(KeyOf(keyOf(1)).Fingerprint().String())
	f.Add("")
	f.Add(":")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := ParseFingerprint(s); err == nil {
			if again, err := ParseFingerprint(p.String()); err != nil || again != p {
				t.Errorf("%q gives %v and then %v, %v", s, p, again, err)
			}
		}
	})
}

// An item's bytes come back as the item, and no others do.
func TestItemsAsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topic := engine.IDOf(rapid.SliceOf(rapid.Byte()).Draw(t, "topic"))
		i := &Item{
			Number: rapid.Uint64().Draw(t, "number"), Time: rapid.Int64().Draw(t, "time"),
			Entry: rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "entry"),
		}
		i.Sign(topic, keyOf(rapid.Byte().Draw(t, "key")))
		b, err := i.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Item
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		s := back.statement(topic)
		if !s.signed() {
			t.Fatalf("%+v comes back as %+v", i, back)
		}
		again, err := back.MarshalBinary()
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("%x comes back as %x, %v", b, again, err)
		}
	})
	long := &Item{Number: 1, Time: 1, Entry: make([]byte, MaxEntry+1)}
	long.Sign(engine.ID{}, keyOf(1))
	if _, err := long.MarshalBinary(); err == nil {
		t.Error("an entry was written that is too long")
	}
}

// A withdrawal comes back from its bytes, all of them, and keeps none of the buffer.
func TestWithdrawalsAsBytes(t *testing.T) {
	topic := TopicOf(engine.IDOf([]byte("a channel")), KeyOf(keyOf(3)).Fingerprint())
	w := &Withdrawal{Number: 1<<56 | 7}
	w.Sign(topic, keyOf(3))
	b := w.AppendBinary([]byte("before"))
	if !bytes.HasPrefix(b, []byte("before")) {
		t.Fatalf("appended are %x", b)
	}
	b = b[len("before"):]
	for _, wrong := range [][]byte{nil, b[:len(b)-1], append(bytes.Clone(b), 0)} {
		if new(Withdrawal).UnmarshalBinary(wrong) == nil {
			t.Errorf("%d bytes are read", len(wrong))
		}
	}
	var back Withdrawal
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	again := back.AppendBinary(nil)
	if !bytes.Equal(again, b) || back.Number != w.Number {
		t.Errorf("%x comes back as %x", b, again)
	}
	clear(b)
	if err := back.Verify(topic); err != nil {
		t.Errorf("it is no withdrawal any more: %v", err)
	}
}

func FuzzItem(f *testing.F) {
	i := &Item{Number: 1, Time: 1767225600000, Entry: []byte("news")}
	i.Sign(engine.ID{}, keyOf(1))
	b, err := i.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-len("news")])
	f.Add(b[:100])
	f.Fuzz(func(t *testing.T, b []byte) {
		var i Item
		if err := i.UnmarshalBinary(b); err != nil {
			return
		}
		again, err := i.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%x comes back as %x, %v", b, again, err)
		}
	})
}
