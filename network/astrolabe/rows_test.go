package astrolabe_test

import (
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// stamped changes an update's stamp, and signs it again.
func stamped(u astrolabe.Update, change func(*table.Stamp)) astrolabe.Update {
	s := *u.Stamp.(*table.Stamp)
	change(&s)
	u.Stamp = &s
	return sign(u, u.Content.(*table.Content).Issuer)
}

// written is an update of a content that has been changed.
func written(c *table.Content, at uint32, change func(*table.Content)) astrolabe.Update {
	change(c)
	return update(c, at, 60)
}

// blob is an attribute of so many bytes.
func blob(n int) attr.Attribute {
	return attr.Attribute{Name: "filter", Value: attr.Bytes(make([]byte, n))}
}

// A row stands in a table if its issuer may have written it. As soon as one thing is wrong with it, it does not.
func TestAdmit(t *testing.T) {
	const home = zone.Path("/eu/de")
	base := memberRow(puppet, home).Attributes.Size()
	fits := astrolabe.Default().MaxAttributes - base - len("filter")
	for _, test := range []struct {
		what string
		make func(now uint32) astrolabe.Update
		want string // why it is refused; "": it is not
	}{
		{"a member", func(now uint32) astrolabe.Update { return update(memberRow(puppet, home), now, 60) }, ""},
		{"a member above", func(now uint32) astrolabe.Update { return update(memberRow(puppet, "/"), now, 60) }, ""},
		{"a zone beside", func(now uint32) astrolabe.Update { return update(zoneRow(puppet, "/eu/fr"), now, 60) }, ""},
		{"a false signature", func(now uint32) astrolabe.Update {
			return sign(update(memberRow(puppet, home), now, 60),
				stranger)
		}, "signature"},
		{"another's signature on a zone",
			func(now uint32) astrolabe.Update { return sign(update(zoneRow(puppet, "/eu/fr"), now, 60), stranger) },
			"signature"},
		{"a wrong digest", func(now uint32) astrolabe.Update {
			return stamped(update(memberRow(puppet, home), now, 60), func(s *table.Stamp) { s.Content[3]++ })
		}, "another content"},
		{"the label of another member", func(now uint32) astrolabe.Update {
			return written(memberRow(puppet, home), now, func(c *table.Content) { c.Label = zone.Member(stranger.ID) })
		}, "another's"},
		{"no label", func(now uint32) astrolabe.Update {
			return written(memberRow(puppet, home), now, func(c *table.Content) { c.Label = "" })
		}, "a label"},
		{"a label that no zone has", func(now uint32) astrolabe.Update {
			return written(zoneRow(puppet, "/eu/fr"), now, func(c *table.Content) { c.Label = "Berlin!" })
		}, "a label"},
		{"a label beside its own", func(now uint32) astrolabe.Update {
			u := update(memberRow(puppet, home), now, 60)
			u.Label = zone.Member(stranger.ID)
			return u
		}, "a label"},
		{"a time as far ahead as may be", func(now uint32) astrolabe.Update {
			return update(memberRow(puppet, home), now+uint32(table.MaxAhead/time.Second), 60)
		}, ""},
		{"a time far ahead", func(now uint32) astrolabe.Update {
			return update(memberRow(puppet, home), now+uint32(table.MaxAhead/time.Second)+1, 60)
		}, "far ahead"},
		{"the longest lifetime", func(now uint32) astrolabe.Update {
			return update(memberRow(puppet, home), now, uint16(astrolabe.MaxLifetime/time.Second))
		}, ""},
		{"a lifetime beyond the bound", func(now uint32) astrolabe.Update {
			return update(memberRow(puppet, home), now, uint16(astrolabe.MaxLifetime/time.Second)+1)
		}, "lifetime"},
		{"a member for ever", func(now uint32) astrolabe.Update {
			return update(memberRow(puppet, home), now,
				table.Forever)
		}, "lifetime"},
		{"as many attributes as may be",
			func(now uint32) astrolabe.Update { return update(memberRow(puppet, home, blob(fits)), now, 60) }, ""},
		{"too many attributes", func(now uint32) astrolabe.Update {
			return update(memberRow(puppet, home, blob(fits+1)),
				now, 60)
		}, "more attributes"},
		{"attributes out of order", func(now uint32) astrolabe.Update {
			return written(memberRow(puppet, home), now,
				func(c *table.Content) { c.Attributes[0], c.Attributes[1] = c.Attributes[1], c.Attributes[0] })
		}, "not a row"},
		{"a row of another zone", func(now uint32) astrolabe.Update {
			u := update(memberRow(puppet, "/eu/fr"), now, 60)
			return u
		}, "elsewhere"},
		{"a row of the zone above", func(now uint32) astrolabe.Update {
			u := update(memberRow(puppet, "/eu"), now, 60)
			u.Depth = 2
			return u
		}, "elsewhere"},
		{"a function that nobody has signed", func(now uint32) astrolabe.Update {
			return written(memberRow(puppet, home), now, func(c *table.Content) { c.Label = "&f" })
		}, "lifetime"},
	} {
		o := newOne(t, home, nil)
		u := test.make(o.now())
		o.give(home, u)
		if got := o.refusal(); test.want == "" && got != "" || test.want != "" && !strings.Contains(got, test.want) {
			t.Errorf("%s: refused because of %q, want %q", test.what, got, test.want)
		}
		if o.has(u) != (test.want == "") {
			t.Errorf("%s: whether it stands in the table: %v", test.what, o.has(u))
		}
	}
}

// Rows are about a zone that both ends share, and those above it.
func TestRowsOfSharedZones(t *testing.T) {
	o := newOne(t, "/eu/de", nil)
	u := update(memberRow(puppet, "/eu/de"), o.now(), 60)
	o.give("/eu", u)
	if o.has(u) {
		t.Error("a row below the zone that is shared was accepted")
	}
	o.give("/us", u)
	o.give("/eu/de/berlin", u)
	if o.has(u) {
		t.Error("a row was accepted from a zone that the node is not in")
	}
	o.give("/eu/de", u)
	if !o.has(u) {
		t.Error("the row was not accepted where it should be")
	}
}

// A stamp alone says that a content which is held still holds, and is checked like another.
func TestStampAlone(t *testing.T) {
	const home = zone.Path("/eu/de")
	o := newOne(t, home, nil)
	c := memberRow(puppet, home)
	alone := func(at uint32, by engine.Peer) astrolabe.Update {
		u := sign(update(c, at, 60), by)
		u.Content = nil
		return u
	}
	if u := alone(o.now(), puppet); true {
		o.give(home, u)
		if o.has(u) {
			t.Error("a stamp stands for a content that is not known")
		}
	}
	o.give(home, update(c, o.now(), 60))
	later := alone(o.now()+1, puppet)
	o.give(home, later)
	if !o.has(later) {
		t.Error("a later stamp was not accepted")
	}
	o.give(home, alone(o.now()+2, stranger))
	if !o.has(later) || !strings.Contains(o.refusal(), "signature") {
		t.Error("a stamp that another has signed replaced the member's")
	}
	o.give(home, alone(o.now()+1<<20, puppet))
	if !o.has(later) || !strings.Contains(o.refusal(), "far ahead") {
		t.Error("a stamp of the far future was accepted")
	}
}

// Members of the zones with the longest names know each other, and there is none below.
func TestDeepestZone(t *testing.T) {
	home := zone.Root
	for range zone.MaxDepth {
		home = home.Child(strings.Repeat("x", zone.MaxLabel))
	}
	o := newOne(t, home, nil)
	member := update(memberRow(puppet, home), o.now(), 60)
	o.give(home, member)
	if !o.has(member) {
		t.Errorf("a member of %d levels down was refused: %s", zone.MaxDepth, o.refusal())
	}
	below := update(zoneRow(puppet, home.Child("y")), o.now(), 60)
	o.give(home, below)
	if o.has(below) || !strings.Contains(o.refusal(), "elsewhere") {
		t.Error("a zone deeper than may be was accepted")
	}
}

// A node that others know from before a restart writes its row anew, later than that.
func TestOutlive(t *testing.T) {
	const home = zone.Path("/eu/de")
	o := newOne(t, home, nil)
	old := memberRow(self, home, blob(3))
	o.give(home, update(old, o.now()+3600, 600))
	r, ok := o.Table(home).Get(zone.Member(self.ID))
	if !ok || r.Time <= o.now()+3600 || !r.Attributes.Get("filter").Equal(attr.Value{}) {
		t.Errorf("the node's own row is %v", r)
	}
	// An old row in a zone above, where the node was a member before, is no more than that: copies of the table must
	// become equal.
	above := update(memberRow(self, "/"), o.now(), 600)
	o.give(home, above)
	if r, ok := o.Table(zone.Root).Get(zone.Member(self.ID)); ok && r.Lifetime != 0 {
		t.Errorf("the node is still a member of the root: %v", r.Attributes)
	}
	if _, age, ok := o.Table(zone.Root).Known(zone.Member(self.ID), o.Now()); !ok || age > time.Second {
		t.Error("nobody will learn that the node is no longer a member of the root")
	}
	before, _ := o.Table(home).Get(zone.Member(self.ID))
	gone := stamped(above, func(s *table.Stamp) { s.Time, s.Lifetime = o.now()+3600, 0 })
	o.give(home, gone)
	if after, _ := o.Table(home).Get(zone.Member(self.ID)); after.Stamp != before.Stamp {
		t.Error("the node stamps its row whenever it receives one that it has withdrawn")
	}
}
