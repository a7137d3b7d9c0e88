package feedtree

import (
	"errors"
	"testing"
	"time"

	"tidings/network/engine"
)

// An item is what its publisher has signed for that topic, and nothing else. Each change of it is seen,
// and what can be seen without checking the signature is.
func TestVerify(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	private := keyOf(7)
	topic := TopicOf(engine.IDOf([]byte("a channel")), KeyOf(private).Fingerprint())
	fresh := func() *Item {
		i := &Item{Number: 3, Time: now.UnixMilli(), Entry: []byte("news")}
		i.Sign(topic, private)
		return i
	}
	for _, test := range []struct {
		name  string
		alter func(i *Item)
		want  Why
	}{
		{"nothing", func(*Item) {}, Genuine},
		{"another entry", func(i *Item) { i.Entry = []byte("olds") }, Forged},
		{"another number", func(i *Item) { i.Number++ }, Forged},
		{"another time", func(i *Item) { i.Time-- }, Forged},
		{"another key", func(i *Item) { i.Key[3] ^= 1 }, WrongKey},
		{"another's signature", func(i *Item) { i.Sign(topic, keyOf(8)) }, WrongKey},
		{"signed for another topic", func(i *Item) { i.Sign(engine.ID{}, private) }, Forged},
		{"a bit of the signature", func(i *Item) { i.Signature[5] ^= 1 }, Forged},
		{"half a signature", func(i *Item) { i.Signature = i.Signature[:32] }, Malformed},
		{"no number", func(i *Item) { i.Number = 0; i.Sign(topic, private) }, Malformed},
		{"no time", func(i *Item) { i.Time = 0; i.Sign(topic, private) }, Malformed},
		{"a number beyond all counting", func(i *Item) { i.Number = 1 << 63; i.Sign(topic, private) }, Malformed},
		{"too long", func(i *Item) { i.Entry = make([]byte, MaxEntry+1); i.Sign(topic, private) }, Oversized},
		{"as long as can be", func(i *Item) { i.Entry = make([]byte, MaxEntry); i.Sign(topic, private) }, Genuine},
		{"dated ahead", func(i *Item) { i.Time += time.Hour.Milliseconds(); i.Sign(topic, private) }, Early},
		{"dated ahead by a little", func(i *Item) { i.Time += time.Minute.Milliseconds(); i.Sign(topic, private) },
			Genuine},
		{"dated long ago", func(i *Item) { i.Time = 1; i.Number = 1; i.Sign(topic, private) }, Genuine},
	} {
		i := fresh()
		test.alter(i)
		err := i.Verify(topic, now, 10*time.Minute)
		if test.want == Genuine && err != nil || test.want != Genuine && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, not %v", test.name, err, test.want)
		}
	}
	early := fresh()
	if err := early.Verify(topic, time.Unix(0, 0), time.Minute); err != nil {
		t.Errorf("with a calendar that was never set: %v", err)
	}
}

// Signatures of one kind are worth nothing for another.
func TestWordsDiffer(t *testing.T) {
	var topic engine.ID
	all := [][]byte{
		(&Head{}).words(topic), (&Heartbeat{}).words(topic), (&Rotation{}).words(), (&Revocation{}).words(),
	}
	for i, a := range all {
		for j, b := range all {
			if i != j && len(a) >= len(b) && string(a[:len(b)]) == string(b) {
				t.Errorf("%q begins with %q", a, b)
			}
		}
	}
	if len((&Head{}).words(topic)) != len(itemWords)+20+8+8+32 {
		t.Error("an item's words are of another length")
	}
}

func TestTopics(t *testing.T) {
	channel, other := engine.IDOf([]byte("a")), engine.IDOf([]byte("b"))
	key := KeyOf(keyOf(1))
	topic := TopicOf(channel, key.Fingerprint())
	if !key.belongs(topic) || !key.belongs(TopicOf(other, key.Fingerprint())) || KeyOf(keyOf(2)).belongs(topic) {
		t.Error("keys and topics do not fit")
	}
	if string(topic[:10]) != string(channel[:10]) {
		t.Error("the topic does not begin as its channel does")
	}
	if TopicOf(topic, key.Fingerprint()) != topic {
		t.Error("the topic of a topic is another")
	}
}

// BenchmarkVerify is of what the first copy of an item costs at every node.
func BenchmarkVerify(b *testing.B) {
	private := keyOf(7)
	topic := TopicOf(engine.ID{}, KeyOf(private).Fingerprint())
	i := &Item{Number: 3, Time: 1767225600000, Entry: make([]byte, 1024)}
	i.Sign(topic, private)
	now := time.UnixMilli(i.Time)
	b.ReportAllocs()
	for b.Loop() {
		if err := i.Verify(topic, now, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}
