package astrolabe_test

import (
	"testing"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// Only a representative of a full zone sends its members elsewhere, and only within their homes, to zones that made
// themselves.
func TestMove(t *testing.T) {
	to := func(p zone.Path) *astrolabe.Move {
		return &astrolabe.Move{From: "/eu", To: p, Peers: []engine.Peer{puppet}}
	}
	for _, test := range []struct {
		what    string
		members int
		from    engine.Peer
		move    *astrolabe.Move
		moves   bool
	}{
		{"by a representative", 49, puppet, to("/eu/~1"), true},
		{"from a zone that is not full", 48, puppet, to("/eu/~1"), false},
		{"by a member that represents nobody", 49, stranger, to("/eu/~1"), false},
		{"by no known node", 49, enginetest.NewPeer("dd04"), to("/eu/~1"), false},
		{"from another zone", 49, puppet, &astrolabe.Move{From: "/us", To: "/eu/~1", Peers: []engine.Peer{puppet}},
			false},
		{"to where it is", 49, puppet, to("/eu"), false},
		{"to its parent, out of its home", 49, puppet, to("/"), false},
		{"beside, out of its home", 49, puppet, to("/~1"), false},
		{"two levels down", 49, puppet, to("/eu/~1/~2"), false},
		{"to a zone with a name", 49, puppet, to("/eu/de"), false},
		{"to no zone", 49, puppet, to("/eu/~"), false},
		{"to nobody", 49, puppet, &astrolabe.Move{From: "/eu", To: "/eu/~1"}, false},
	} {
		o := newOne(t, "/eu", nil)
		first := attr.Attribute{Name: "load", Value: attr.Float(0)}
		o.give("/eu", update(memberRow(puppet, "/eu", first), o.now(), 600),
			update(memberRow(stranger, "/eu"), o.now(), 600))
		for i := range test.members - 3 {
			p := engine.Peer{ID: engine.IDOf([]byte{byte(i)}), Address: "there"}
			o.give("/eu", update(memberRow(p, "/eu"), o.now(), 600))
		}
		o.Receive(test.from, test.move)
		if p, _ := o.Path(); (p == test.move.To && p != "/eu") != test.moves {
			t.Errorf("%s: the node is in %s", test.what, p)
		}
	}
}

// A member of a zone that made itself, and has become small, goes beside it or up, but not out of its home.
func TestMoveFromSmall(t *testing.T) {
	for _, test := range []struct {
		home  zone.Path
		to    zone.Path
		moves bool
	}{{"/eu", "/eu/~2", true}, {"/eu", "/eu", true}, {"/eu", "/eu/de", false}, {"/eu", "/", false},
		{"/eu/~1", "/eu/~2", false}, {"/eu/~1", "/eu", false}} {
		o := newOne(t, "/eu/~1", func(s *astrolabe.Seams) { s.Home = "/eu/~1" })
		if test.home == "/eu" {
			o = newOne(t, "/eu", nil)
			first := attr.Attribute{Name: "load", Value: attr.Float(0)}
			o.give("/eu", update(memberRow(puppet, "/eu", first), o.now(), 600))
			for i := range 60 {
				p := engine.Peer{ID: engine.IDOf([]byte{byte(i)}), Address: "there"}
				o.give("/eu", update(memberRow(p, "/eu"), o.now(), 600))
			}
			o.Receive(puppet, &astrolabe.Move{From: "/eu", To: "/eu/~1", Peers: []engine.Peer{puppet}})
		}
		if p, _ := o.Path(); p != "/eu/~1" {
			t.Fatalf("the node is in %s", p)
		}
		o.give("/eu/~1", update(memberRow(puppet, "/eu/~1"), o.now(), 600))
		o.Receive(puppet, &astrolabe.Move{From: "/eu/~1", To: test.to, Peers: []engine.Peer{puppet}})
		if p, _ := o.Path(); (p == test.to) != test.moves {
			t.Errorf("a node of %s that is sent to %s is in %s", test.home, test.to, p)
		}
	}
}

// A search follows answers only of nodes that were asked, to the question that was asked, and only rows that may stand
// in their table.
func TestLocated(t *testing.T) {
	for _, test := range []struct {
		what    string
		from    engine.Peer
		spoil   func(*astrolabe.Located, *astrolabe.Update)
		follows bool
	}{
		{"the answer", puppet, nil, true},
		{"from another", stranger, nil, false},
		{"to another question", puppet, func(m *astrolabe.Located, _ *astrolabe.Update) { m.Home = "/us" }, false},
		{"about a zone beside", puppet, func(m *astrolabe.Located, _ *astrolabe.Update) { m.Zone = "/us" }, false},
		{"a forged row", puppet, func(_ *astrolabe.Located, u *astrolabe.Update) { *u = sign(*u, puppet) }, false},
		{"a row of another table", puppet, func(_ *astrolabe.Located, u *astrolabe.Update) { u.Depth = 1 }, false},
		{"a label beside its own", puppet, func(_ *astrolabe.Located, u *astrolabe.Update) { u.Label = "us" }, false},
		{"a row that is withdrawn", puppet, func(_ *astrolabe.Located, u *astrolabe.Update) {
			*u = update(zoneRow(stranger, "/eu"), 5, 0)
		}, false},
	} {
		env := enginetest.NewEnv(self)
		o := &one{astrolabe.New(env, astrolabe.Default(),
			astrolabe.Seams{Keys: keys{self.ID}, Home: "/eu", Contacts: []engine.Peer{puppet}}), env, t}
		if o.answers(puppet, &astrolabe.Locate{}) != 1 {
			t.Fatal("the contact is not asked")
		}
		m := &astrolabe.Located{Home: "/eu", Zone: "/",
			Rows: []astrolabe.Update{update(zoneRow(stranger, "/eu"), o.now(), 600)}}
		if test.spoil != nil {
			test.spoil(m, &m.Rows[0])
		}
		o.Receive(test.from, m)
		if follows := o.answers(stranger, &astrolabe.Locate{}) == 1; follows != test.follows {
			t.Errorf("%s: whether the search goes on to the zone's representative: %v", test.what, follows)
		}
	}
}

// If a representative does not answer, the search begins anew at the node's home: the zone that it had chosen may be
// gone.
func TestASearchBeginsAnewAtHome(t *testing.T) {
	env, seams := enginetest.NewEnv(self),
		astrolabe.Seams{Keys: keys{self.ID}, Home: "/eu", Contacts: []engine.Peer{puppet}}
	o := &one{astrolabe.New(env, astrolabe.Default(), seams), env, t}
	asked := func(to engine.Peer) (homes []zone.Path) {
		for _, s := range o.Env.Sent() {
			if m, ok := s.Message.(*astrolabe.Locate); ok && s.To == to {
				homes = append(homes, m.Home)
			}
		}
		return homes
	}
	for range 3 {
		if homes := asked(puppet); len(homes) != 1 || homes[0] != "/eu" {
			t.Fatalf("the contact is asked for %v", homes)
		}
		child := update(zoneRow(stranger, "/eu/~1"), o.now(), 600)
		o.Receive(puppet, &astrolabe.Located{Home: "/eu", Zone: "/eu", Rows: []astrolabe.Update{child}})
		if homes := asked(stranger); len(homes) != 1 || homes[0] != "/eu/~1" {
			t.Fatalf("the zone is asked for %v", homes)
		}
		o.Advance(astrolabe.Default().Patience)
	}
}
