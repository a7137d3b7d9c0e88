package zones

import (
	"crypto/ed25519"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
)

// trees admits every event, as FeedTree does if its publisher has signed it.
type trees struct{}

func (trees) Admit(engine.ID, engine.Message, engine.Peer) (digest uint64, bytes int, ok bool) {
	return 1, 2, true
}
func (trees) Deliver(engine.ID, engine.Message, engine.Peer) {}

// A pushed item goes by its channel's address to nodes that do not follow it, and by no other address. Without the
// address it is another event (hostile 74).
func TestHostile74PushedItemsAreOfTheirChannel(t *testing.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://blog.example/feed.xml"
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(url)), feedtree.KeyOf(key).Fingerprint())
	item := &feedtree.Item{Number: 1, Time: time.Now().UnixMilli(), Entry: []byte("entry")}
	item.Sign(topic, key)
	m := member{others: trees{}}
	admit := func(url string, event engine.Message) (uint64, bool) {
		digest, _, ok := m.Admit(topic, &feedtree.Named{URL: url, Event: event}, engine.Peer{})
		return digest, ok
	}
	named, ok := admit(url, item)
	bare, without := admit("", item)
	if !ok || !without || named == bare {
		t.Errorf("with its address %x, %v; without %x, %v", named, ok, bare, without)
	}
	if _, ok := admit("https://other.example/feed.xml", item); ok {
		t.Error("it is admitted with another channel's address")
	}
	if _, ok := admit(url, &feedtree.Has{}); ok {
		t.Error("what no publisher says is admitted")
	}
	if !m.signedBy(engine.PrefixID("ab"), topic, &feedtree.Named{Event: item}) {
		t.Error("the publisher's node may not publish")
	}
}
