package push

import (
	"testing"

	"tidings"
	"tidings/network/engine"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// A third party reports nothing of the channel, and no news items. A canceled item stays so, whatever the origin says.
func TestAThirdPartyCancelsNothing(t *testing.T) {
	n := newGiven(t)
	topic, items := n.signed(7, 8)
	pin, err := n.store.Pushed.PinOf(t.Context(), n.url)
	if err != nil {
		t.Fatal(err)
	}
	pin.ThirdParty = true
	if err := n.pushes.pin(t.Context(), pin); err != nil {
		t.Fatal(err)
	}
	c := n.pushes.of(engine.ID(topic))
	f, err := n.changeOf(t.Context(), c, topic, items[0])
	if err != nil || f == nil || f.Title != "" || f.Site != "" || !f.ThirdParty || len(f.Items) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	entry := &changeset.Set{Kind: tidings.KindFeed, Title: "T", Items: []feed.Carried{
		{FoundItem: n.stories(1, 1)[0], Whole: true},
		{FoundItem: tidings.FoundItem{Item: tidings.Item{News: &tidings.News{GUID: "g", Status: "canceled"}}},
			Whole: true},
	}}
	if part := provenPart(entry); len(part.Items) != 1 || part.Items[0].News != nil || part.Title != "" {
		t.Errorf("%+v", part)
	}
	entry.Items = entry.Items[1:]
	text, err := entry.Encode()
	if err != nil {
		t.Fatal(err)
	}
	items[1].Entry = text
	if f, err := n.changeOf(t.Context(), c, topic, items[1]); err != nil || f != nil {
		t.Errorf("a news item: %+v, %v", f, err)
	}
}

// Any fingerprint but the named and the trusted one is a third party's, also where no other key is named.
func TestNoFingerprintIsNoKey(t *testing.T) {
	n := newGiven(t)
	n.signed()
	for _, fingerprint := range []string{"", "0000000000000000000000000000000000000000000000000000000000000000"} {
		if err := n.pushes.Trust(t.Context(), n.url, fingerprint, false); err == nil {
			t.Errorf("%q is trusted", fingerprint)
		}
	}
}
