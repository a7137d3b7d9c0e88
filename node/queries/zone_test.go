package queries

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store"
)

// followZone has the owner follow a zone, and returns its channel.
func (d *desk) followZone(path string) string {
	d.t.Helper()
	s := store.Subscription{URL: tidings.ZoneURL(path), Kind: tidings.KindZone, Title: "Zone " + path,
		Privacy: tidings.Unlisted}
	if _, _, err := d.store.Subscribe(d.t.Context(), tidings.Owner, s); err != nil {
		d.t.Fatal(err)
	}
	d.refresh()
	return s.URL
}

// sent is an item that a node has sent to a zone.
func sent(t testing.TB, zone, sender string, at uint64, s story) Event {
	t.Helper()
	e := event(t, tidings.ZoneURL(zone), at, []story{s}, nil)
	e.Hash, e.FoundBy, e.Signed, e.Found = [32]byte{}, sender, "key of "+sender, time.UnixMilli(int64(at))
	return e
}

// An item sent to a zone comes to the zone's channel, and to those of queries that select it, under its sender's name.
// No sender changes another's items.
func TestItemsSentToZones(t *testing.T) {
	d := newDesk(t)
	eu, us := d.followZone("/eu"), d.followZone("/us")
	goals := d.follow("headline LIKE '%goal%'")
	if want := []string{"any"}; !slices.Equal(d.wanted, want) { // which all items have
		t.Errorf("the network is asked for %q, not %q", d.wanted, want)
	}
	const a, b = "zone:/eu a 1", "zone:/eu b 1"
	d.q.arrived(sent(t, "/eu", "a", 10, story{"1", "Goal", "t"}))
	d.q.arrived(sent(t, "/eu", "b", 5, story{"1", "Goal of b", "t"}))
	d.q.arrived(sent(t, "/eu", "a", 10, story{"1", "Goal", "t"}))
	d.q.arrived(sent(t, "/us", "a", 10, story{"2", "Rain", "t"}))
	d.work()
	d.q.arrived(sent(t, "/eu", "a", 12, story{"1", "Goal?", "t"}))
	d.q.arrived(sent(t, "/eu", "a", 11, story{"1", "Goal!", "t"})) // was overtaken
	d.q.arrived(sent(t, "/eu", "a", 9, story{"3", "Weather", "t"}))
	d.work()
	d.expect(eu, a+" new Goal", b+" new Goal of b", a+" changed Goal?", "zone:/eu a 3 new Weather")
	d.expect(us, "zone:/us a 2 new Rain")
	d.expect(goals, a+" new Goal", b+" new Goal of b", a+" changed Goal?")
	updates, err := d.store.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Channel: eu, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	u := updates[0]
	if s := u.Items[0].Source; u.FoundBy != "a" || u.SignedBy != "key of a" || s == nil ||
		*s != (tidings.Source{URL: eu, Title: "node a"}) {
		t.Errorf("it is told as %+v, from %+v", u, s)
	}
}

// A node that follows zones alone asks for what is sent to those, and for no news that is withdrawn.
func TestTopicsOfZones(t *testing.T) {
	d := newDesk(t)
	d.followZone("/eu/de")
	d.followZone("/eu")
	if want := []string{"zone:/eu", "zone:/eu/de"}; !slices.Equal(d.wanted, want) {
		t.Errorf("the network is asked for %q, not %q", d.wanted, want)
	}
}

// A message that claims to be one item, and is none or several, is refused. So is one that does not match its mark.
func TestWhatIsSentIsOneItem(t *testing.T) {
	d := newDesk(t)
	eu := d.followZone("/eu")
	for _, change := range []func(*changeset.Set){
		func(p *changeset.Set) { p.Items = append(p.Items, p.Items[0]) },
		func(p *changeset.Set) { p.Items = nil },
		func(p *changeset.Set) { p.Items[0].Whole = false },
		func(p *changeset.Set) { p.Items[0].Title = "Another" },
	} {
		e := event(t, eu, 1, []story{{"1", "Goal", "t"}}, change)
		e.FoundBy, e.Signed = "a", "key"
		if err := d.q.accept(t.Context(), &e); err == nil {
			t.Error("it is taken")
		}
	}
	more := event(t, eu, 1, []story{{"1", "Goal", "t"}, {"2", "Rain", "t"}}, nil)
	if _, _, err := sentItem(more.Payload, feed.Default()); err == nil ||
		!strings.Contains(err.Error(), "2 items, not one") {
		t.Errorf("two items: %v", err)
	}
	d.expect(eu)
}
