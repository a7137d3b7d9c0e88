package node

import (
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// taker is a node that follows a feed, and is given versions of it by hand.
type taker struct {
	*together
	url  string
	last uint64
}

func newTaker(t *testing.T) *taker {
	w := pollTogether(t, 1, time.Hour)
	_, url := w.ownedBy(0)
	w.follow(0, url)
	await(t, "it is shared", func() bool { return w.watching(0).Both == 1 })
	return &taker{together: w, url: url}
}

// read makes an update of a document, as another node would that has read it.
func (k *taker) read(doc string) *corona.Update {
	k.t.Helper()
	d, err := feed.Parse([]byte(doc), "", k.url, feed.Default())
	if err != nil {
		k.t.Fatal(err)
	}
	p := &changeset.Set{Kind: tidings.KindFeed, Title: d.Title}
	var marks []tidings.ItemIdentity
	for _, i := range feed.Match(nil, d) {
		p.Items = append(p.Items, feed.Carried{FoundItem: i, Whole: true})
		marks = append(marks, i.Mark)
	}
	b, err := p.Encode()
	if err != nil {
		k.t.Fatal(err)
	}
	k.last++
	return &corona.Update{
		Channel: engine.ID(tidings.IDOf(k.url)), Version: k.last, Hash: feed.Hash(marks), Payload: b,
		FoundBy: engine.PrefixID("ab"), FoundAt: time.Now().Add(time.Hour).UnixMilli(), Modified: 1 << 60,
	}
}

func rss(items string) string {
	return `<rss version="2.0"><channel><title>T</title>` + items + `</channel></rss>`
}

func (k *taker) take(u *corona.Update) error {
	return k.nodes[0].coop.Take(k.t.Context(), u)
}

func TestAVersionIsTakenOnce(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	one := k.read(rss(`<item><guid>x</guid><title>X</title><description>hello</description></item>`))
	if err := k.take(one); err != nil {
		t.Fatal(err)
	}
	got := k.updates(0)
	if len(got) != 2 || len(got[1].Items) != 1 || got[1].FoundBy != one.FoundBy.String() || got[1].Time.After(time.Now()) || !got[1].OriginChanged.IsZero() {
		t.Fatalf("updates %+v", got)
	}
	c, err := k.nodes[0].store.Content(t.Context(), k.url)
	if err != nil || feed.Hash(c.Marks) != one.Hash {
		t.Errorf("the content has another hash than was taken (%v)", err)
	}
	// The same content under another number, and what came before, are no news.
	again := *one
	again.Version++
	if err := k.take(&again); err != nil {
		t.Error(err)
	}
	two := k.read(rss(`<item><guid>x</guid><title>X</title><description>changed</description></item>`))
	if err := k.take(two); err != nil {
		t.Error(err)
	}
	if err := k.take(one); err != nil {
		t.Error(err)
	}
	if got := k.updates(0); len(got) != 3 || got[2].Items[0].Change != tidings.Changed {
		t.Errorf("updates %+v", got)
	}
}

// A version of a state that one's own poll has seen replaced changes nothing but that what was new in it is told: what
// that poll has found is not undone, and not told again when its number comes.
func TestAVersionThatComesLateUndoesNothing(t *testing.T) {
	t.Parallel()
	k := &taker{together: pollTogether(t, 1, time.Hour)}
	item := func(id, text string) string {
		return `<item><guid>` + id + `</guid><title>` + id + `</title><description>` + text + `</description></item>`
	}
	states := []string{rss(item("x", "one")), rss(item("x", "three"))}
	k.url = k.base + "quick"
	if err := k.origin.AddMade("quick", func(n int) []byte { return []byte(states[n]) }, origin.Options{}); err != nil {
		t.Fatal(err)
	}
	k.follow(0, k.url)
	await(t, "it is shared", func() bool { return k.watching(0).Both == 1 })
	k.step("quick")
	if _, err := k.client(0).Poll(t.Context(), k.url); err != nil {
		t.Fatal(err)
	}
	before := k.updates(0)
	if len(before) != 2 || len(before[1].Items) != 1 || before[1].Items[0].Change != tidings.Changed {
		t.Fatalf("its own check has found %+v", before)
	}
	first, second, between := k.read(states[0]), k.read(rss(item("y", "gone soon")+item("x", "two"))), k.read(rss(item("x", "two and a half")))
	third := k.read(states[1])
	await(t, "what it has found has a number", func() bool { _, h := k.nodes[0].coop.Held(third.Channel); return h == third.Hash })
	held, _ := k.nodes[0].coop.Held(third.Channel)
	for i, u := range []*corona.Update{first, second, between, third} { // others have not numbered what it has found yet
		u.Version = held + uint64(i) + 1
	}
	k.nodes[0].coop.Number(first)
	second.FoundAt, second.Modified = before[0].Time.UnixMilli(), 0
	between.FoundAt, between.Modified = before[1].Time.UnixMilli()-1, 0
	for _, u := range []*corona.Update{second, between, third} {
		if err := k.take(u); err != nil {
			t.Fatal(err)
		}
		k.nodes[0].coop.Number(u)
	}
	got := k.updates(0)
	if len(got) != 3 || len(got[2].Items) != 1 || got[2].Items[0].ID != "y" || got[2].Items[0].Change != tidings.New || got[2].Items[0].Content+got[2].Items[0].Summary != "gone soon" {
		t.Fatalf("updates %+v", got)
	}
	c, err := k.nodes[0].store.Content(t.Context(), k.url)
	if err != nil || feed.Hash(c.Marks) != third.Hash {
		t.Errorf("the content has another hash than its own check has seen (%v)", err)
	}
	if v, h := k.nodes[0].coop.Held(third.Channel); v != third.Version || h != third.Hash {
		t.Errorf("it holds version %d", v)
	}
	// What was found later is news, whatever its dates say of when the origin changed.
	first.Version = third.Version + 1
	k.nodes[0].coop.Number(first)
	fourth := k.read(rss(item("x", "four")))
	fourth.Version = first.Version + 1
	fourth.FoundAt, fourth.Modified = time.Now().UnixMilli(), time.Now().AddDate(-1, 0, 0).UnixMilli()
	if err := k.take(fourth); err != nil {
		t.Fatal(err)
	}
	if got = k.updates(0); len(got) != 4 || len(got[3].Items) != 1 || got[3].Items[0].Change != tidings.Changed {
		t.Errorf("updates %+v", got)
	}
}

// Hostile 42, 43: what does not make what it promises changes nothing.
func TestAForgedVersionIsNotTaken(t *testing.T) {
	t.Parallel()
	k := newTaker(t)
	good := k.read(rss(`<item><guid>x</guid><title>X</title></item>`))
	other := k.read(rss(`<item><guid>y</guid><title>Y</title></item>`))
	for name, forge := range map[string]func(u *corona.Update){
		"another content":   func(u *corona.Update) { u.Payload = other.Payload },
		"no content":        func(u *corona.Update) { u.Payload = nil },
		"garbage":           func(u *corona.Update) { u.Payload = []byte("garbage") },
		"another kind":      func(u *corona.Update) { p := changeset.Set{Kind: tidings.KindPage}; u.Payload, _ = p.Encode() },
		"a foreign channel": func(u *corona.Update) { u.Channel = engine.PrefixID("cd") },
	} {
		u := *good
		forge(&u)
		if err := k.take(&u); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if got := k.updates(0); len(got) != 1 {
		t.Errorf("updates %+v", got)
	}
}
