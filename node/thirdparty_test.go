package node

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/routers/scribe"
)

// poll has a node poll a channel now.
func (w *together) poll(i int, url string) {
	w.t.Helper()
	if _, err := w.client(i).Poll(w.t.Context(), url); err != nil {
		w.t.Fatal(err)
	}
}

// entriesOf returns a channel's entries, the newest first.
func (w *together) entriesOf(i int, url string) []tidings.Entry {
	w.t.Helper()
	entries, err := w.client(i).Entries(w.t.Context(), tidings.EntryQuery{Channel: url})
	if err != nil {
		w.t.Fatal(err)
	}
	return entries
}

// A third party pushes a feed that names no key. Only people that trust the third party's key see its items. The origin
// is asked as before, and its version holds. Once it names a key, that key replaces the third party's.
func TestAThirdPartysItemsAreShownToThoseWhoTrustIt(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, time.Hour)
	third, own, liar := newSpeaker(t, "third"), newSpeaker(t, "own"), newSpeaker(t, "false")
	for _, s := range []*speaker{third, own, liar} {
		s.url = w.base + "feed"
	}
	url := third.url
	old, one, two := entry("old", "Old", "o"), entry("one", "One", "short"), entry("two", "Two", "what the origin says")
	third.serve(w.origin, w.base, "feed", rssOf("", old), rssOf("", two, one, old),
		rssOf(own.announcement(), two, one, old))
	third.joins(w.nodes[0])
	third.speaks()
	n := w.nodes[0]
	for i := range w.nodes {
		w.follow(i, url)
		w.awaitItem(i, "old")
	}
	err := n.Trust(t.Context(), url, third.fingerprint().String(), false)
	if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(tidings.Explain(err), "third party") ||
		!strings.Contains(tidings.HintOf(err), "tidings trust "+url+" "+third.fingerprint().String()+
			" --third-party") || w.pushed(0, url) != nil {
		t.Fatalf("without a word that this is meant: %v, %+v", err, w.pushed(0, url))
	}
	if err := n.Trust(t.Context(), url, third.fingerprint().String(), true); err != nil {
		t.Fatal(err)
	}
	w.awaitPush(0, url, tidings.PushGood)
	if p := w.pushed(0, url); !p.ThirdParty || p.Fingerprint != third.fingerprint().String() || p.Offered != "" {
		t.Fatalf("%+v", p)
	}
	if got, err := n.CoopStatus(t.Context()); err != nil || got.Pushes.ThirdParties != 1 ||
		got.Pushes.Channels+got.Pushes.Good != 0 {
		t.Errorf("%+v, %v", got.Pushes, err)
	}

	// What is new comes with the text that the feed has, and no other.
	third.publish(one, "<p>more than the feed has</p>")
	u := w.awaitItem(0, "one")
	if u.SignedBy != third.fingerprint().String() || !u.ThirdParty || u.FoundBy != "" || len(u.Items) != 1 ||
		strings.Contains(u.Items[0].Content+u.Items[0].Summary, "more than") {
		t.Errorf("%+v", u)
	}
	if e := w.entriesOf(0, url)[0]; e.SignedBy != u.SignedBy || !e.ThirdParty {
		t.Errorf("%+v", e)
	}
	if f, err := w.client(0).Channel(t.Context(), url); err != nil || strings.Contains(f.Last.NextWhy, "publisher") {
		t.Errorf("its checks are left to a third party: %q, %v", f.Last.NextWhy, err)
	}

	// A third party does not change what the origin has published. The origin changes what a third party has published
	// for it.
	third.publish(entry("old", "Old", "another text"), "")
	third.publish(entry("two", "Two", "what the third party says"), "")
	w.awaitItem(0, "two")
	await(t, "all that was pushed is here", func() bool { return w.pushed(0, url).Number == 3 })
	if told := w.timesShown(0, "old"); told != 1 {
		t.Errorf("what a third party has made of an item was told %d times", told-1)
	}
	w.step("feed")
	w.poll(0, url)
	entries := w.entriesOf(0, url)
	if e := entries[0]; len(entries) != 4 || e.Content.ID != "two" || e.Change != tidings.Changed || e.SignedBy != "" ||
		e.ThirdParty || !strings.Contains(e.Content.Summary, "the origin") {
		t.Errorf("%d entries, at first %+v", len(entries), e)
	}

	// Other people are shown nothing of a third party.
	w.poll(1, url)
	for _, id := range []string{"one", "two"} {
		if u := w.awaitItem(1, id); u.SignedBy != "" || u.ThirdParty || w.timesShown(1, id) != 1 {
			t.Errorf("who trusts nobody was told %+v", u)
		}
	}
	if p := w.pushed(1, url); p != nil {
		t.Errorf("%+v", p)
	}

	// What it has not signed is refused.
	victim := reach(t, liar.Host, n.address())
	foreign := liar.sign(packed(t, url, entry("foreign", "Foreign", "f"), ""))
	foreign.Number = 4
	liar.do(func() {
		liar.env.Send(victim,
			&scribe.Missed{Event: scribe.Event{Topic: third.topic(), Stream: 7, Number: 1, Payload: foreign}})
		liar.env.Send(victim, &feedtree.Items{Topic: third.topic(), From: 4, Items: []engine.Message{foreign}})
	})
	await(t, "it is refused", func() bool { return w.pushed(0, url).Refused >= 1 })
	if w.timesShown(0, "foreign") != 0 {
		t.Error("it was told")
	}

	n.stop()
	n.start()
	third.joins(n)
	w.awaitPush(0, url, tidings.PushGood)
	if p := w.pushed(0, url); !p.ThirdParty {
		t.Fatalf("after a restart: %+v", p)
	}

	// The feed names a key of its own.
	own.joins(n)
	own.speaks()
	w.step("feed")
	w.poll(0, url)
	if p := w.pushed(0, url); p.ThirdParty || p.Fingerprint != own.fingerprint().String() ||
		p.Replaced != third.fingerprint().String() {
		t.Fatalf("%+v", p)
	}
	w.awaitPush(0, url, tidings.PushGood)
	third.publish(entry("late", "Late", "l"), "")
	own.publish(entry("three", "Three", "3"), "")
	if u := w.awaitItem(0, "three"); u.SignedBy != own.fingerprint().String() || u.ThirdParty ||
		w.timesShown(0, "late") != 0 {
		t.Errorf("%+v", u)
	}
	if err := n.Trust(t.Context(), url, own.fingerprint().String(), false); err != nil ||
		w.pushed(0, url).Replaced != "" {
		t.Errorf("a person knows of it: %+v, %v", w.pushed(0, url), err)
	}

	// A third party can be preferred to it, and given up.
	if err := n.Trust(t.Context(), url, third.fingerprint().String(), false); !errors.Is(err, tidings.ErrInvalid) ||
		!strings.Contains(err.Error(), "neither") {
		t.Errorf("a key that nobody names: %v", err)
	}
	if err := n.Trust(t.Context(), url, third.fingerprint().String(), true); err != nil {
		t.Fatal(err)
	}
	w.awaitPush(0, url, tidings.PushGood)
	if p := w.pushed(0, url); !p.ThirdParty || p.Offered != own.fingerprint().String() {
		t.Errorf("%+v", p)
	}
	w.awaitItem(0, "late")
	if err := n.Distrust(t.Context(), url); err != nil || w.pushed(0, url).State != tidings.PushDistrusted {
		t.Errorf("%+v, %v", w.pushed(0, url), err)
	}
	if err := n.Trust(t.Context(), url, own.fingerprint().String(), false); err != nil || w.pushed(0, url).ThirdParty {
		t.Errorf("%+v, %v", w.pushed(0, url), err)
	}
}

// Only what is new in a public feed can be pushed.
func TestAThirdPartyPushesPublicFeedsAlone(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	key := strings.Repeat("1a2b", 16)
	if err := w.nodes[0].Trust(t.Context(), w.base+"nowhere", key, true); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("what is not followed: %v", err)
	}
	s := &speaker{t: t}
	s.serve(w.origin, w.base, "feed", rssOf("", entry("old", "Old", "o")))
	if _, err := w.client(0).Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: s.url, Privacy: tidings.Unlisted}); err != nil {
		t.Fatal(err)
	}
	if err := w.nodes[0].Trust(t.Context(), s.url, key, true); !errors.Is(err, tidings.ErrInvalid) ||
		!strings.Contains(err.Error(), "public") {
		t.Errorf("what is not public: %v", err)
	}
	if err := w.nodes[0].Trust(t.Context(), s.url, "1a2b", true); !errors.Is(err, tidings.ErrInvalid) ||
		!strings.Contains(err.Error(), "64") {
		t.Errorf("half a fingerprint: %v", err)
	}
}
