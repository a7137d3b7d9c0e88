package node

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/routers/scribe"
	"tidings/source"
	"tidings/view"
)

// pushed returns how a node has a channel pushed; nil if it has not.
func (w *together) pushed(i int, url string) *tidings.Push {
	w.t.Helper()
	all, err := w.client(i).Channels(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range all {
		if f.URL == url {
			return f.Push
		}
	}
	w.t.Fatalf("node %d does not follow %s", i, url)
	return nil
}

func (w *together) awaitPush(i int, url string, state tidings.PushState) {
	w.t.Helper()
	await(w.t, "pushes are "+string(state), func() bool {
		p := w.pushed(i, url)
		return p != nil && p.State == state
	})
}

// awaitItem waits until a node has reported an item, and returns the update.
func (w *together) awaitItem(i int, id string) (found tidings.Update) {
	w.t.Helper()
	await(w.t, "the item "+id, func() bool {
		for _, u := range w.updates(i) {
			for _, item := range u.Items {
				if item.ID == id {
					found = u
					return true
				}
			}
		}
		return false
	})
	return found
}

func (w *together) timesShown(i int, id string) (count int) {
	w.t.Helper()
	for _, u := range w.updates(i) {
		for _, item := range u.Items {
			if item.ID == id {
				count++
			}
		}
	}
	return count
}

// A feed that names its publisher's key is pushed. Items come signed, with more than the feed has, once. The origin is
// not polled; missing items come from other nodes. A publisher that falls silent is not relied on.
func TestAPublishersItemsArePushed(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, time.Hour)
	s := newSpeaker(t, "one")
	s.url = w.base + "feed"
	old, one, two := entry("old", "Old", "o"), entry("one", "One", "short"), entry("two", "Two", "2")
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), old), rssOf(s.announcement(), two, one, old))
	s.joins(w.nodes[0])
	s.speaks()
	for i := range w.nodes {
		w.follow(i, s.url)
		w.awaitPush(i, s.url, tidings.PushGood)
	}
	s.publish(one, "<p>all of it</p>")
	for i := range w.nodes {
		u := w.awaitItem(i, "one")
		if u.SignedBy != s.fingerprint().String() || u.FoundBy != "" || len(u.Items) != 1 ||
			!strings.Contains(u.Items[0].Content, "all of it") {
			t.Errorf("node %d was told %+v", i, u)
		}
	}
	before := len(w.origin.Requests("feed"))
	s.publish(two, "")
	w.awaitItem(1, "two")
	if n := len(w.origin.Requests("feed")) - before; n > 0 {
		t.Errorf("%d requests for an item that was pushed", n)
	}
	await(t, "the next check is left to the publisher", func() bool {
		f, err := w.client(1).Channel(t.Context(), s.url)
		return err == nil && strings.Contains(f.Last.NextWhy, "publisher") && time.Until(f.Last.Next) >= time.Hour
	})

	// What the document says of the items changes nothing.
	w.step("feed")
	if _, err := w.client(1).Poll(t.Context(), s.url); err != nil {
		t.Fatal(err)
	}
	if n := w.timesShown(1, "one") + w.timesShown(1, "two"); n != 2 {
		t.Errorf("two items were told %d times", n)
	}
	await(t, "both are counted as pushed", func() bool { return w.pushed(1, s.url).Number == 2 })
	if p := w.pushed(1, s.url); p.Pushed != 2 || p.Missed != 0 || p.Fingerprint != s.fingerprint().String() {
		t.Errorf("%+v", p)
	}
	await(t, "so are those of all channels", func() bool {
		got, err := w.nodes[1].CoopStatus(t.Context())
		return err == nil && got.Pushes == view.PushCounts{Channels: 1, Good: 1, Pushed: 2}
	})

	// A node that was away has what it missed.
	w.nodes[1].stop()
	three := s.publish(entry("three", "Three", "3"), "")
	w.awaitItem(0, "three")
	w.nodes[1].start()
	w.awaitItem(1, "three")
	await(t, "all up to it are had", func() bool { return w.pushed(1, s.url).Number == three.Number })

	// The publisher ends: the nodes poll by themselves again.
	s.do(func() { s.trees.Unauthor(s.topic()) })
	w.awaitPush(0, s.url, tidings.PushOverdue)
	await(t, "the network checks the feed again", func() bool {
		f, err := w.client(0).Channel(t.Context(), s.url)
		return err == nil && !strings.Contains(f.Last.NextWhy, "publisher")
	})
}

// A poll may find an item before its publisher's push comes. In the end the signed item is there, in full. Readers are
// notified of the item once, and once of what the push adds. A later poll changes nothing.
func TestAPushAfterAPollBringsTheRest(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	s := newSpeaker(t, "one")
	s.url = w.base + "feed"
	old, one, two := entry("old", "Old", "o"), entry("one", "One", "short"), entry("two", "Two", "2")
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), old), rssOf(s.announcement(), one, old),
		rssOf(s.announcement(), two, one, old))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	poll := func() {
		t.Helper()
		w.step("feed")
		if _, err := w.client(0).Poll(t.Context(), s.url); err != nil {
			t.Fatal(err)
		}
	}
	poll()
	if u := w.awaitItem(0, "one"); u.SignedBy != "" {
		t.Fatalf("a check found %+v", u)
	}
	s.publish(one, "<p>short and all of it</p>")
	await(t, "the push was taken", func() bool { return w.pushed(0, s.url).Number == 1 })
	poll()
	w.awaitItem(0, "two")
	s.publish(two, "")
	await(t, "the push was taken", func() bool { return w.pushed(0, s.url).Number == 2 })
	if p := w.pushed(0, s.url); p.Missed != 0 {
		t.Errorf("%d items are counted as missed, and were late", p.Missed)
	}
	entries, err := w.client(0).Entries(t.Context(), tidings.EntryQuery{Channel: s.url})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id, text string
		change   tidings.ChangeKind
	}{
		{"two", "2", tidings.New}, {"one", "<p>short and all of it</p>", tidings.Changed},
		{"one", "short", tidings.New}, {"old", "o", tidings.New},
	}
	if len(entries) != len(want) {
		t.Fatalf("%d entries: %+v", len(entries), entries)
	}
	for i, e := range entries {
		if text := e.Content.Content + e.Content.Summary; e.Content.ID != want[i].id || e.Change != want[i].change ||
			!strings.Contains(text, want[i].text) {
			t.Errorf("entry %d is %+v, want %+v", i, e, want[i])
		}
		if signed := i < 2; signed != (e.SignedBy == s.fingerprint().String()) {
			t.Errorf("entry %d is signed by %q", i, e.SignedBy)
		}
	}
}

// Hostile 42: items that a peer makes up, alters or repeats are not stored, and their sender is cut off.
func TestTamperedItemsAreRefused(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	s, liar := newSpeaker(t, "true"), newSpeaker(t, "false")
	s.url = w.base + "feed"
	liar.url = s.url
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), entry("old", "Old", "o")))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	genuine := s.publish(entry("one", "One", "1"), "")
	w.awaitItem(0, "one")

	victim := reach(t, liar.Host, w.nodes[0].address())
	altered := *genuine
	altered.Entry = packed(t, s.url, entry("altered", "Altered", "a"), "")
	foreign := liar.sign(packed(t, s.url, entry("foreign", "Foreign", "f"), ""))
	invented := *genuine
	invented.Number, invented.Entry = 2, packed(t, s.url, entry("invented", "Invented", "i"), "")
	far := *genuine
	far.Number = 1 << 63
	lies := []*feedtree.Item{&altered, foreign, &invented, &far}
	for n, lie := range lies {
		liar.do(func() {
			liar.env.Send(victim,
				&scribe.Publish{Event: scribe.Event{Topic: s.topic(), Stream: 7, Number: uint64(n + 1), Payload: lie}})
			liar.env.Send(victim,
				&scribe.Missed{Event: scribe.Event{Topic: s.topic(), Stream: 8, Number: uint64(n + 1), Payload: lie}})
			liar.env.Send(victim, &feedtree.Items{Topic: s.topic(), From: 2, Items: []engine.Message{lie}})
		})
	}
	await(t, "they are refused", func() bool { return w.pushed(0, s.url).Refused >= int64(feedtree.Default().Strikes) })
	w.awaitRefused(0, liar)
	await(t, "the peer is kept out", func() bool { // once it has noticed that its connection is closed
		_, err := liar.Connect(t.Context(), w.nodes[0].address())
		return err != nil
	})
	s.publish(entry("two", "Two", "2"), "")
	w.awaitItem(0, "two")
	for _, id := range []string{"altered", "foreign", "invented"} {
		if w.timesShown(0, id) > 0 {
			t.Errorf("%s was told", id)
		}
	}
	if w.timesShown(0, "one") != 1 {
		t.Errorf("the genuine item was told %d times", w.timesShown(0, "one"))
	}
}

// awaitRefused waits until a node has cut a peer off.
func (w *together) awaitRefused(i int, liar *speaker) {
	w.t.Helper()
	await(w.t, "the peer is cut off", func() bool {
		_, err := w.nodes[i].connections.Connect(w.t.Context(), live.FormatAddress(selfIn(liar)))
		return errors.Is(err, live.ErrBanned)
	})
}

// Hostile 42: a peer that gives an item to the archive that its publisher has not signed is cut off. Nothing of it is
// kept. What cannot be read proves nothing: a later version may have written it.
func TestForgedArchiveItemsCutAPeerOff(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	author, liar, stranger := newSpeaker(t, "true"), newSpeaker(t, "false"), newSpeaker(t, "later")
	author.url = w.base + "feed"
	genuine := author.sign(packed(t, author.url, entry("one", "One", "1"), ""))
	name := archive.Name{Topic: author.topic(), Number: genuine.Number}
	give := func(s *speaker, bytes []byte) {
		t.Helper()
		victim := reach(t, s.Host, w.nodes[0].address())
		s.do(func() { s.env.Send(victim, &archive.Give{Name: name, Bytes: bytes}) })
	}
	bytesOf := func(item *feedtree.Item) []byte {
		t.Helper()
		b, err := item.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	altered := *genuine
	altered.Entry = packed(t, author.url, entry("altered", "Altered", "a"), "")
	give(liar, bytesOf(&altered))
	give(stranger, []byte("what nobody can read so far"))
	w.awaitRefused(0, liar)
	load := func() view.StorageUse { return w.nodes[0].archive.Usage(t.Context()) }
	if l := load(); l.Items != 0 {
		t.Errorf("%+v", l)
	}
	give(author, bytesOf(genuine))
	await(t, "the genuine item is kept", func() bool { return load().Items == 1 })
	give(stranger, bytesOf(genuine))
	reach(t, w.nodes[0].connections, live.FormatAddress(selfIn(stranger))) // who is only not understood is not cut off
}

func selfIn(s *speaker) (self engine.Peer) {
	s.do(func() { self = s.env.Self() })
	return self
}

// A document that names another key raises an alarm and ends the pushes. They resume when a person accepts the key, or
// the trusted key has signed the other one.
func TestAChangeOfKeyNeedsTheOldOnesSignature(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	first, second, thief := newSpeaker(t, "first"), newSpeaker(t, "second"), newSpeaker(t, "thief")
	for _, s := range []*speaker{first, second, thief} {
		s.url = w.base + "feed"
	}
	rotation := &feedtree.Rotation{New: feedtree.KeyOf(second.key), Time: time.Now().UnixMilli()}
	rotation.Sign(first.key)
	item := entry("old", "Old", "o")
	first.serve(w.origin, w.base, "feed",
		rssOf(first.announcement(), item),
		rssOf("", item),
		rssOf(thief.announcement(), item, entry("a", "A", "a")),
		rssOf(second.announcement(rotation), item, entry("b", "B", "b")),
		rssOf(thief.announcement(), item, entry("c", "C", "c")))
	first.joins(w.nodes[0])
	first.speaks()
	w.follow(0, first.url)
	w.awaitPush(0, first.url, tidings.PushGood)

	poll := func() {
		t.Helper()
		w.step("feed")
		if _, err := w.client(0).Poll(t.Context(), first.url); err != nil {
			t.Fatal(err)
		}
	}
	poll()
	w.awaitPush(0, first.url, tidings.PushGood) // a late heartbeat makes it overdue for a while
	if p := w.pushed(0, first.url); p.Fingerprint != first.fingerprint().String() {
		t.Fatalf("the document names no key any more, and the trusted one is forgotten: %+v", p)
	}
	poll()
	if p := w.pushed(0, first.url); p.State != tidings.PushAlarm || p.Offered != thief.fingerprint().String() ||
		p.Fingerprint != first.fingerprint().String() {
		t.Fatalf("%+v", p)
	}
	await(t, "checks go on", func() bool {
		f, err := w.client(0).Channel(t.Context(), first.url)
		return err == nil && !strings.Contains(f.Last.NextWhy, "publisher")
	})
	second.joins(w.nodes[0])
	second.speaks()
	poll()
	if p := w.pushed(0, first.url); p.Fingerprint != second.fingerprint().String() || p.Offered != "" {
		t.Fatalf("%+v", p)
	}
	w.awaitPush(0, first.url, tidings.PushGood)
	second.publish(entry("d", "D", "d"), "")
	if u := w.awaitItem(0, "d"); u.SignedBy != second.fingerprint().String() {
		t.Errorf("signed by %s", u.SignedBy)
	}

	poll()
	n := w.nodes[0]
	if err := n.Trust(t.Context(), first.url, first.fingerprint().String(), false); err == nil {
		t.Error("a key was trusted that nobody names")
	}
	if err := n.Trust(t.Context(), first.url, thief.fingerprint().String(), false); err != nil {
		t.Fatal(err)
	}
	if p := w.pushed(0, first.url); p.Fingerprint != thief.fingerprint().String() || p.State != tidings.PushJoining {
		t.Errorf("%+v", p)
	}
	thief.joins(w.nodes[0])
	thief.speaks()
	w.awaitPush(0, first.url, tidings.PushGood)
	thief.publish(entry("e", "E", "e"), "") // its first, as the second's was
	if u := w.awaitItem(0, "e"); u.SignedBy != thief.fingerprint().String() {
		t.Errorf("signed by %s", u.SignedBy)
	}
	if err := n.Distrust(t.Context(), first.url); err != nil {
		t.Fatal(err)
	}
	if p := w.pushed(0, first.url); p.State != tidings.PushDistrusted {
		t.Errorf("%+v", p)
	}
}

// A feed that announces pushes over plain HTTP is not believed. That is shown, also after a restart; it is no alarm.
func TestUnprotectedAnnouncementsAreShown(t *testing.T) {
	t.Parallel()
	w := &together{t: t}
	w.origin, w.base = startOrigin(t)
	w.nodes = append(w.nodes, newRestartable(t, func(c *Config) {
		c.LabOrigins, c.AllowPrivateOrigins, c.Interval = false, true, time.Hour
	}))
	s := &speaker{t: t, key: keyFrom("plain"), silence: time.Hour, url: w.base + "feed"}
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), entry("old", "Old", "o")))
	if _, err := w.client(0).Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: s.url, Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.awaitPush(0, s.url, tidings.PushUnprotected)
		if p := w.pushed(0, s.url); *p != (tidings.Push{State: tidings.PushUnprotected}) {
			t.Errorf("%+v", p)
		}
		if sum, err := w.nodes[0].CoopStatus(t.Context()); err != nil || sum.Pushes != (view.PushCounts{}) {
			t.Errorf("%+v, %v", sum.Pushes, err)
		}
		if err := w.nodes[0].Trust(t.Context(), s.url, s.fingerprint().String(), false); !errors.Is(err,
			tidings.ErrInvalid) {
			t.Errorf("its key is trusted: %v", err)
		}
		w.nodes[0].stop()
		w.nodes[0].start()
	}
	watched := source.Job{Channel: tidings.Channel{URL: s.url, Privacy: tidings.Public}}
	if err := w.nodes[0].pushes.Announced(t.Context(), watched, &source.Document{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if p := w.pushed(0, s.url); p != nil {
			t.Errorf("it announces nothing any more, and is shown as %+v", p)
		}
		w.nodes[0].stop()
		w.nodes[0].start()
	}
}

// A publisher that has signed two items for one number is not relied on until a person trusts it again. Then reports of
// that number change nothing, also after a restart, and one of another number does.
func TestADoubledKeyIsTrustedAgain(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	s, witness := newSpeaker(t, "twice"), newSpeaker(t, "witness")
	s.url = w.base + "feed"
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), entry("old", "Old", "o")))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	tell := func(item *feedtree.Item) {
		t.Helper()
		twin := &feedtree.Item{Number: item.Number, Time: item.Time,
			Entry: packed(t, s.url, entry("twin", "Twin", "t"), "")}
		twin.Sign(s.topic(), s.key)
		victim := reach(t, witness.Host, w.nodes[0].address())
		witness.do(func() {
			witness.env.Send(victim, &feedtree.Equivocation{Topic: s.topic(), First: *item.Head(),
				Second: *twin.Head()})
		})
	}
	one := s.publish(entry("one", "One", "1"), "")
	w.awaitItem(0, "one")
	tell(one)
	w.awaitPush(0, s.url, tidings.PushDoubled)
	await(t, "the publisher has stopped, as another uses its key", func() bool { return s.isStopped() })
	s.resumes()
	if err := w.nodes[0].Trust(t.Context(), s.url, s.fingerprint().String(), false); err != nil {
		t.Fatal(err)
	}
	w.awaitPush(0, s.url, tidings.PushGood)
	tell(one)
	s.publish(entry("two", "Two", "2"), "")
	w.awaitItem(0, "two")
	if p := w.pushed(0, s.url); p.State == tidings.PushDoubled {
		t.Errorf("what was forgiven is held against it: %+v", p)
	}
	w.nodes[0].stop()
	w.nodes[0].start()
	s.joins(w.nodes[0])
	w.awaitPush(0, s.url, tidings.PushGood)
	tell(one)
	three := s.publish(entry("three", "Three", "3"), "")
	w.awaitItem(0, "three")
	if p := w.pushed(0, s.url); p.State == tidings.PushDoubled {
		t.Errorf("after a restart: %+v", p)
	}
	tell(three)
	w.awaitPush(0, s.url, tidings.PushDoubled)
}

// A key that is declared void in the tree, and then in the document, is not accepted any more, also after a restart.
func TestARevokedKeyIsNotTaken(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, time.Hour)
	s := newSpeaker(t, "void")
	s.url = w.base + "feed"
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), entry("old", "Old", "o")))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	r := &feedtree.Revocation{Time: time.Now().UnixMilli()}
	r.Sign(s.key)
	s.do(func() {
		if err := s.trees.Publish(s.topic(), r); err != nil {
			t.Error(err)
		}
	})
	w.awaitPush(0, s.url, tidings.PushRevoked)
	w.nodes[0].stop()
	w.nodes[0].start()
	if p := w.pushed(0, s.url); p.State != tidings.PushRevoked {
		t.Errorf("after a restart: %+v", p)
	}
	err := w.nodes[0].Trust(t.Context(), s.url, s.fingerprint().String(), false)
	if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), "declared void") ||
		w.pushed(0, s.url).State != tidings.PushRevoked {
		t.Errorf("a void key is trusted again: %v", err)
	}
}

// Hostile 41: an item is held back from all nodes. A poll of the feed itself finds it, and the search for it ends.
func TestWhatNobodyHasIsFoundByAPoll(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 1, 2*time.Second)
	s := newSpeaker(t, "gap")
	s.url = w.base + "feed"
	s.silence = time.Minute
	old, lost, next := entry("old", "Old", "o"), entry("lost", "Lost", "l"), entry("next", "Next", "n")
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), old), rssOf(s.announcement(), next, lost, old))
	s.joins(w.nodes[0])
	s.speaks()
	w.follow(0, s.url)
	w.awaitPush(0, s.url, tidings.PushGood)
	s.sign(packed(t, s.url, lost, ""))
	s.mu.Lock()
	s.lends = func(i *feedtree.Item) bool { return i.Number != 1 }
	s.mu.Unlock()
	w.step("feed")
	s.do(func() {
		h := &feedtree.Heartbeat{Number: 1, Time: time.Now().UnixMilli(), Silence: 60}
		h.Sign(s.topic(), s.key)
		if err := s.trees.Publish(s.topic(), h); err != nil {
			t.Error(err)
		}
	})
	if u := w.awaitItem(0, "lost"); u.SignedBy != "" || u.FoundBy == "" {
		t.Errorf("%+v", u)
	}
	await(t, "it is looked for no longer", func() bool {
		return w.pushed(0, s.url).State == tidings.PushGood && w.pushed(0, s.url).Missed >= 1
	})
	topic := s.topic()
	await(t, "nothing is missing", func() (whole bool) {
		p := w.nodes[0].pushes
		w.nodes[0].coop.InLoop(t.Context(), func() {
			status, ok := p.Status(topic)
			whole = ok && status.Have == 1
		})
		return whole
	})
}
