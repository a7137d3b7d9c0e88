package zones

import (
	"crypto/ed25519"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
)

// What a node has sent to a zone cannot be published by another that holds it (hostile 74).
func TestHostile74OnlyTheSenderPublishes(t *testing.T) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	item := &feedtree.Item{Number: 1, Time: time.Now().UnixMilli(), Entry: []byte("entry")}
	topic := sentTopic("/eu", feedtree.KeyOf(key))
	item.Sign(topic, key)
	sender := live.NodeID(key.Public().(ed25519.PublicKey))
	if m := (member{}); !m.signedBy(sender, topic, item) || m.signedBy(engine.PrefixID("ab"), topic, item) ||
		m.signedBy(engine.ID{}, topic, item) {
		t.Error("others publish it, or its sender does not")
	}
	if (member{}).signedBy(sender, topic, &feedtree.Heartbeat{}) {
		t.Error("what no item or update is can be published")
	}
}

// An update that differs in anything is another event (hostile 74): it cannot replace the published one at any node.
func TestHostile74ChangedUpdatesAreOthers(t *testing.T) {
	update := func() *corona.Update {
		u := &corona.Update{Channel: engine.PrefixID("c1"), URL: "https://example.org/feed", Version: 3,
			Payload: []byte("delta"), Size: 100}
		u.Seal.Giver = engine.Peer{ID: engine.PrefixID("d1"), Address: "a"}
		u.Seal.Seen = []update.Attestation{{Place: 1, At: 2, By: engine.Peer{ID: engine.PrefixID("e1")},
			Signature: []byte("s")}}
		return u
	}
	known := map[uint64]string{wholeOf(update(), 1): "the true one"}
	for what, change := range map[string]func(*corona.Update){
		"nothing":           func(u *corona.Update) { u.Payload = nil },
		"nonsense":          func(u *corona.Update) { u.Payload = []byte("other") },
		"another base":      func(u *corona.Update) { u.Base[0]++ },
		"another URL":       func(u *corona.Update) { u.URL += "s" },
		"moved letters":     func(u *corona.Update) { u.URL, u.Payload = u.URL+"d", []byte("elta") },
		"another length":    func(u *corona.Update) { u.Size++ },
		"another giver":     func(u *corona.Update) { u.Seal.Giver.ID[0]++ },
		"nobody has seen":   func(u *corona.Update) { u.Seal.Seen = nil },
		"another has seen":  func(u *corona.Update) { u.Seal.Seen[0].By.ID[0]++ },
		"another place":     func(u *corona.Update) { u.Seal.Seen[0].Place++ },
		"another time":      func(u *corona.Update) { u.Seal.Seen[0].At++ },
		"another signature": func(u *corona.Update) { u.Seal.Seen[0].Signature = []byte("t") },
	} {
		u := update()
		change(u)
		if other, ok := known[wholeOf(u, 1)]; ok {
			t.Errorf("%s is taken for %s", what, other)
		}
		known[wholeOf(u, 1)] = what
	}
	if known[wholeOf(update(), 1)] != "the true one" || wholeOf(update(), 2) == wholeOf(update(), 1) {
		t.Error("the digest is not of the update")
	}
}
