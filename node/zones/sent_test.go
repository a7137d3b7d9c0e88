package zones

import (
	"crypto/ed25519"
	"testing"
	"time"

	"tidings/network/feedtree"
)

// An item that the topic's key has not signed, or signed for another zone, is passed on by no node.
func TestItemsOfZonesAreSigned(t *testing.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	topic := sentTopic("/eu", feedtree.KeyOf(key))
	signed := func(change func(*feedtree.Item)) *feedtree.Item {
		i := &feedtree.Item{Number: 1, Time: time.Now().UnixMilli(), Entry: []byte("entry")}
		i.Sign(topic, key)
		change(i)
		return i
	}
	genuine := signed(func(*feedtree.Item) {})
	digest, _, ok := admitSent(topic, genuine)
	if !ok {
		t.Fatal("a genuine item is refused")
	}
	late := signed(func(i *feedtree.Item) { i.Time++; i.Sign(topic, key) })
	if d, _, ok := admitSent(topic, late); !ok || d == digest {
		t.Error("what was sent later is no other event")
	}
	for what, i := range map[string]*feedtree.Item{
		"another entry": signed(func(i *feedtree.Item) { i.Entry = []byte("other") }),
		"another time":  signed(func(i *feedtree.Item) { i.Time++ }),
		"another key":   signed(func(i *feedtree.Item) { i.Sign(topic, other) }),
		"no signature":  signed(func(i *feedtree.Item) { i.Signature = nil }),
	} {
		if _, _, ok := admitSent(topic, i); ok {
			t.Errorf("%s is passed on", what)
		}
	}
	if _, _, ok := admitSent(sentTopic("/us", feedtree.KeyOf(key)), genuine); ok {
		t.Error("it can be sent to another zone")
	}
}
