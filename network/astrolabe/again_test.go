package astrolabe_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/table"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// However often a member was lost, one sign of life is enough. A stamp from before it was lost is none.
func TestLostTwiceAndBack(t *testing.T) {
	o := newOne(t, "/eu", nil)
	c := memberRow(puppet, "/eu")
	stamp := func(ago uint32) {
		u := update(c, o.now()-ago, 600)
		u.Age = uint16(ago)
		o.Receive(stranger, &astrolabe.Rows{Zone: "/eu", Rows: []astrolabe.Update{u}})
	}
	stamp(0)
	for times := 1; times <= 3; times++ {
		for range times {
			o.Advance(10 * time.Second)
			o.PeerDown(puppet)
		}
		if !o.Down(puppet.ID) {
			t.Fatalf("after %d times it counts as there", times)
		}
		o.Advance(5 * time.Second)
		if stamp(7); !o.Down(puppet.ID) {
			t.Errorf("lost %d times, it counts as there for what it said before", times)
		}
		if stamp(1); o.Down(puppet.ID) {
			t.Errorf("lost %d times, it counts as down though it has spoken since", times)
		}
	}
}

// The row of a zone that another member has written, by a clock that is ahead, is followed by one of this node, when
// that is alone again. Logical time goes on from the time in the table.
func TestTimeGoesOnFromAnothersRow(t *testing.T) {
	for _, ahead := range []uint32{0, 5, 3600} {
		o := newOne(t, "/eu/de", nil)
		o.Advance(time.Minute)
		r, ok := o.Table("/eu").Get("de")
		if !ok || r.Issuer != self {
			t.Fatal("the node has written no row of its zone")
		}
		theirs := update(zoneRow(puppet, "/eu/de"), max(o.now(), r.Time)+ahead, 30)
		if o.give("/eu", theirs); !o.has(theirs) {
			t.Fatalf("the other's row is refused: %s", o.refusal())
		}
		for range 20 {
			o.Advance(30 * time.Second)
		}
		r, ok = o.Table("/eu").Get("de")
		if !ok || r.Issuer != self || r.Time <= theirs.Stamp.(*table.Stamp).Time {
			t.Errorf("with a row %d s ahead, ten minutes later the zone has the row %+v, %v", ahead, r, ok)
		}
		if _, ok = o.Table("/").Get("eu"); !ok {
			t.Error("the zone above has no row")
		}
	}
}

// A node does not meet itself, nor a peer without an address. It gossips with each other one, as it is alone.
func TestANodeDoesNotMeetItself(t *testing.T) {
	o := newOne(t, "/eu", nil)
	o.Meet(self, engine.Peer{}, puppet, self)
	o.Advance(time.Minute)
	met := 0
	for _, s := range o.Env.Sent() {
		switch s.To {
		case puppet:
			met++
		default:
			t.Errorf("%T is sent to %v", s.Message, s.To)
		}
	}
	if met == 0 {
		t.Error("nothing is sent to the peer that it has met")
	}
}

// A node whose contacts do not answer asks a few times, and then begins alone where it belongs. It comes to rest there.
func TestANodeWhoseContactsAreSilent(t *testing.T) {
	env := enginetest.NewEnv(self)
	n := astrolabe.New(env, astrolabe.Default(), astrolabe.Seams{Keys: keys{self.ID}, Home: "/eu",
		Contacts: []engine.Peer{puppet, stranger}})
	asked := func() (count int) {
		for _, s := range env.Sent() {
			if m, ok := s.Message.(*astrolabe.Locate); ok && m.Home == "/eu" {
				count++
			}
		}
		return count
	}
	const tries = 4
	for try := range tries {
		if _, placed := n.Path(); placed || asked() != 1 {
			t.Fatalf("try %d: it is placed: %v", try, placed)
		}
		env.Advance(astrolabe.Default().Patience)
	}
	if p, placed := n.Path(); !placed || p != "/eu" || asked() != 0 {
		t.Errorf("after %d tries it is in %q: %v", tries, p, placed)
	}
}
