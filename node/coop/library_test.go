package coop

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/volunteer"
	"tidings/node/coop/sharing"
	"tidings/source/changeset"
)

func TestAVersionIsTakenOnce(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.follow(rss(item("first", "the first")))
	one := k.read(rss(item("x", "hello")))
	one.FoundAt, one.Modified = time.Now().Add(time.Hour).UnixMilli(), 1<<60
	if err := k.receive(one); err != nil {
		t.Fatal(err)
	}
	got := k.updates()
	if len(got) != 2 || len(got[1].Items) != 1 || got[1].FoundBy != one.FoundBy.String() ||
		got[1].Time.After(time.Now()) || !got[1].OriginChanged.IsZero() {
		t.Fatalf("updates %+v", got)
	}
	c, err := k.store.Content.Content(t.Context(), k.url)
	if err != nil || tidings.ContentHash(c.Marks) != one.Hash {
		t.Errorf("the content has another hash than was taken (%v)", err)
	}
	// The same content under another number, and what came before, are no news.
	again := *one
	again.Version++
	if err := k.receive(&again); err != nil {
		t.Error(err)
	}
	two := k.read(rss(item("x", "changed")))
	two.FoundAt = one.FoundAt
	if err := k.receive(two); err != nil {
		t.Error(err)
	}
	if err := k.receive(one); err != nil {
		t.Error(err)
	}
	if got := k.updates(); len(got) != 3 || got[2].Items[0].Change != tidings.Changed {
		t.Errorf("updates %+v", got)
	}
}

// A version of a state that an own poll has seen replaced changes nothing, except that its new items are reported. The
// poll's finding is not undone, and not reported again when its number comes.
func TestAVersionThatComesLateUndoesNothing(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	states := []string{rss(item("x", "one")), rss(item("x", "three"))}
	k.follow(states[0])
	k.poll(states[1])
	before := k.updates()
	if len(before) != 2 || len(before[1].Items) != 1 || before[1].Items[0].Change != tidings.Changed {
		t.Fatalf("its own check has found %+v", before)
	}
	first, second, between := k.read(states[0]), k.read(rss(item("y", "gone soon")+item("x", "two"))),
		k.read(rss(item("x", "two and a half")))
	third := k.read(states[1]) // others have not numbered what it has found yet
	k.holds(first)
	second.FoundAt = before[0].Time.UnixMilli()
	between.FoundAt = before[1].Time.UnixMilli() - 1
	for _, u := range []*corona.Update{second, between, third} {
		k.mustReceive(u)
		if h := k.coop.Content(u.Channel); h != third.Hash {
			t.Errorf("after version %d the content here is not what its own check has seen", u.Version)
		}
		k.await("the store knows its number", func() bool {
			v, err := k.store.Shared.Version(t.Context(), k.url)
			return err == nil && v.Number == u.Version && v.Hash == u.Hash
		})
	}
	got := k.updates()
	if len(got) != 3 || len(got[2].Items) != 1 || got[2].Items[0].ID != "y" || got[2].Items[0].Change != tidings.New ||
		got[2].Items[0].Content+got[2].Items[0].Summary != "gone soon" {
		t.Fatalf("updates %+v", got)
	}
	c, err := k.store.Content.Content(t.Context(), k.url)
	if err != nil || tidings.ContentHash(c.Marks) != third.Hash {
		t.Errorf("the content has another hash than its own check has seen (%v)", err)
	}
	if v, h := k.coop.Held(third.Channel); v != third.Version || h != third.Hash {
		t.Errorf("it holds version %d", v)
	}
	// A later finding is new, whatever its dates claim about the origin's change.
	first.Version = third.Version + 1
	k.holds(first)
	fourth := k.read(rss(item("x", "four")))
	fourth.Version = first.Version + 1
	fourth.Modified = time.Now().AddDate(-1, 0, 0).UnixMilli()
	if err := k.receive(fourth); err != nil {
		t.Fatal(err)
	}
	if got = k.updates(); len(got) != 4 || len(got[3].Items) != 1 || got[3].Items[0].Change != tidings.Changed {
		t.Errorf("updates %+v", got)
	}
}

// Hostile 42, 43: what does not make what it promises changes nothing.
func TestAForgedVersionIsNotTaken(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	k.follow(rss(item("first", "the first")))
	good, other := k.read(rss(item("x", "X"))), k.read(rss(item("y", "Y")))
	for name, forge := range map[string]func(u *corona.Update){
		"another content": func(u *corona.Update) { u.Payload = other.Payload },
		"no content":      func(u *corona.Update) { u.Payload = nil },
		"garbage":         func(u *corona.Update) { u.Payload = []byte("garbage") },
		"another kind": func(u *corona.Update) {
			p := changeset.Set{Kind: tidings.KindPage}
			u.Payload, _ = p.Encode()
		},
		"a foreign channel": func(u *corona.Update) { u.Channel = engine.PrefixID("cd") },
	} {
		u := *good
		forge(&u)
		if err := k.receive(&u); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if got := k.updates(); len(got) != 1 {
		t.Errorf("updates %+v", got)
	}
}

// states are those of a feed with one item and one text after the other.
func states(texts ...string) (all []string) {
	for _, text := range texts {
		all = append(all, rss(item("1", text)))
	}
	return all
}

// Two changes come closely together. A node's own poll finds the second. Then the first comes from elsewhere, with a
// number, and then the number of the second. Neither is reported to readers twice, and nothing is undone.
func TestALateVersionUndoesNothing(t *testing.T) {
	t.Parallel()
	k, s := newTaker(t), states("one", "two", "three")
	k.follow(s[0])
	k.mustReceive(k.read(s[0]))
	second := k.read(s[1])
	k.poll(s[2])
	k.mustReceive(second)
	k.mustReceive(k.read(s[2]))
	k.poll(s[2])
	if got := fmt.Sprint(k.texts()); got != "[one three]" {
		t.Errorf("readers were told %s", got)
	}
}

// This node's own finding has no number yet when an older version comes without a time of finding: nothing is undone.
func TestAVersionWithoutATimeUndoesNothing(t *testing.T) {
	t.Parallel()
	k, s := newTaker(t), states("one", "two")
	k.follow(s[0])
	first := k.read(s[0])
	k.poll(s[1])
	first.FoundAt = 0
	k.mustReceive(first)
	if got := fmt.Sprint(k.texts()); got != "[one two]" {
		t.Errorf("readers were told %s", got)
	}
}

// A content comes back that was there before. A node that has not seen it itself learns of it from others nevertheless.
func TestAContentThatComesBackIsTold(t *testing.T) {
	t.Parallel()
	k, s := newTaker(t), states("one", "two", "one")
	k.follow(s[0])
	for _, doc := range s {
		k.mustReceive(k.read(doc))
	}
	if got := fmt.Sprint(k.texts()); got != "[one two one]" {
		t.Errorf("readers were told %s", got)
	}
}

// A node makes the versions of a channel which it neither polls nor follows. It keeps them and gives them to others.
// Its origin is polled only when the network wants it. When others make the versions the channel is released.
func TestAChannelIsKeptForItsVersionsAlone(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	one := k.read(rss(item("x", "hello")))
	if err := k.receive(one); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Fatalf("taking what nobody wants kept: %v", err)
	}
	c := corona.Channel{ID: one.Channel, URL: k.url}
	k.coop.desk.Relay(c)
	k.mustReceive(one)
	if got := k.coop.lend(t.Context(), one.Channel, corona.Hash{}); got == nil || got.Version != one.Version ||
		len(got.Payload) == 0 {
		t.Errorf("others are given %+v", got)
	}
	if counts := k.coop.Counts(); counts.ForOthers != 0 || k.polls() != 0 {
		t.Errorf("%+v, and the origin was asked %d times", counts, k.polls())
	}
	k.has(rss(item("x", "hello")))
	k.coop.desk.Verify(c)
	k.await("the network has its check", func() bool { return k.polls() == 1 })

	k.coop.desk.Release(one.Channel)
	k.await("the channel is let go", k.isGone)
	if err := k.receive(k.read(rss(item("y", "hello")))); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("taking what nobody wants kept any more: %v", err)
	}
}

// Hostile 67: a distrusted node reports something, under its name or without a finder. This node polls, and does not
// show the report if the poll does not see it.
func TestALieOfTheDistrustedIsNotShown(t *testing.T) {
	t.Parallel()
	k, s := newTaker(t), states("one", "two")
	k.follow(s[0])
	k.mustReceive(k.read(s[0]))
	lie, liar := k.read(s[1]), engine.IDOf([]byte("a liar"))
	believe := func(level tidings.TrustLevel) {
		t.Helper()
		if _, err := k.trust.SetRepublisher(t.Context(), liar.String(), level); err != nil {
			t.Fatal(err)
		}
	}
	believe(tidings.Distrusted)
	polls := k.polls()
	for _, by := range []corona.Update{
		{FoundBy: liar, Seal: corona.Seal{Given: []byte{1}}},
		{Seal: corona.Seal{Giver: engine.Peer{ID: liar}, Given: []byte{1}}},
	} {
		lie.FoundBy, lie.Seal = by.FoundBy, by.Seal
		if err := k.receive(lie); !errors.Is(err, ErrDistrusted) {
			t.Errorf("it is taken: %v", err)
		}
	}
	k.await("the node checks itself", func() bool { return k.polls() > polls })
	k.poll(s[0]) // it waits until that check is stored
	if got := fmt.Sprint(k.texts()); got != "[one]" {
		t.Errorf("readers were told %s", got)
	}
	if c := k.trust.Counts(); c.Waited != 1 || c.Seen != 0 {
		t.Errorf("%+v", c)
	}
	believe(tidings.Neutral)
	if err := k.receive(lie); err != nil {
		t.Errorf("it is not taken from who is trusted: %v", err)
	}
	if got := fmt.Sprint(k.texts()); got != "[one two]" {
		t.Errorf("readers were told %s", got)
	}
}

// A poll confirms what others have seen and this node has not. What its own poll has found is not confirmed by its next
// poll, though others have seen it too.
func TestOnlyWhatOthersHaveSeenFirstIsConfirmed(t *testing.T) {
	t.Parallel()
	k, s := newTaker(t), states("one", "two", "three")
	k.follow(s[0])
	confirms := func(u *corona.Update) (does bool) {
		now := time.Now()
		k.coop.Alter(u.Channel, func(c *sharing.Channel) {
			does = c.Polled(sharing.Poll{Terms: k.coop.terms(), Began: now, Ended: now, Read: true,
				Hash: u.Hash}).Confirms
		})
		return does
	}
	k.poll(s[1])
	two := k.read(s[1])
	k.mustReceive(two)
	if confirms(two) {
		t.Error("its own finding is confirmed after it came as a version")
	}
	k.coop.storeTurn(t.Context(), &volunteer.PollReport{
		Channel: two.Channel, Finder: engine.Peer{ID: two.FoundBy}, Hash: volunteer.Hash(two.Hash),
		Payload: two.Payload, Time: two.FoundAt,
	})
	if confirms(two) {
		t.Error("its own finding is confirmed after a follower has reported it")
	}
	three := k.read(s[2])
	k.mustReceive(three)
	if !confirms(three) {
		t.Error("what others have seen first is not confirmed")
	}
}

// A node lends the latest version as long as it has seen nothing later: others know better then.
func TestAVersionIsLentUntilAPollHasSeenMore(t *testing.T) {
	t.Parallel()
	k, s := newTaker(t), states("one", "two", "three")
	k.follow(s[0])
	two := k.read(s[1])
	k.mustReceive(two)
	u := k.coop.lend(t.Context(), two.Channel, corona.Hash{})
	if u == nil || u.Version != two.Version || u.Hash != two.Hash {
		t.Errorf("lent is %+v", u)
	}
	k.poll(s[2])
	if u := k.coop.lend(t.Context(), two.Channel, corona.Hash{}); u != nil {
		t.Errorf("after a poll that has seen more is lent %+v", u)
	}
	three := k.read(s[2])
	k.mustReceive(three)
	if u := k.coop.lend(t.Context(), two.Channel, two.Hash); u == nil || u.Version != three.Version ||
		u.Base != two.Hash {
		t.Errorf("with the number of that is lent %+v", u)
	}
}
