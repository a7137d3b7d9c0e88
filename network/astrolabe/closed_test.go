package astrolabe_test

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// soon is when certificates of these tests expire: the worlds begin on the first day of 2026.
var soon = time.Date(2026, time.January, 1, 1, 0, 0, 0, time.UTC)

// closed is a node of a closed network that trusts authority 1, and is in /eu/de.
func closed(t testing.TB) *one {
	return newOne(t, "/eu/de", func(s *astrolabe.Seams) {
		s.Trusted, s.Closed, s.Proof = trust(), true, certify(1, self.ID, "/eu/de", soon)
	})
}

// delegated is a chain of a member that authority 2 has certified, to which authority 1 has given a zone.
func delegated(id engine.ID, over, z zone.Path, until time.Time) cert.Chain {
	a := cert.Certificate{Zone: over, NotAfter: uint64(soon.Unix())}
	copy(a.Key[:], authority(2).Public().(ed25519.PublicKey))
	a.Sign(authority(1))
	return append(cert.Chain{a}, certify(2, id, z, until)...)
}

// The writer of a row in a closed network has a valid certificate for it.
func TestAdmitCertified(t *testing.T) {
	mine := func(z zone.Path) cert.Chain { return certify(1, puppet.ID, z, soon) }
	member := func(z zone.Path) *table.Content { return memberRow(puppet, z) }
	for _, test := range []struct {
		what  string
		row   *table.Content
		proof cert.Chain
		want  string
	}{
		{"a member", member("/eu/de"), mine("/eu/de"), ""},
		{"a member of a zone above", member("/eu/de"), mine("/eu"), ""},
		{"a member by a delegated authority", member("/eu/de"), delegated(puppet.ID, "/eu", "/eu/de", soon), ""},
		{"a representative of a zone above", zoneRow(puppet, "/eu"), mine("/eu/fr"), ""},
		{"a representative of its zone", zoneRow(puppet, "/eu/fr"), mine("/eu/fr"), ""},
		{"more attributes than an open network has", memberRow(puppet, "/eu/de", blob(4000)), mine("/eu/de"), ""},
		{"no certificate", member("/eu/de"), nil, "no certificate"},
		{"somebody else's", member("/eu/de"), certify(1, stranger.ID, "/eu/de", soon), "no certificate"},
		{"an authority's", member("/eu/de"), delegated(puppet.ID, "/eu", "/eu/de", soon)[:1], "no certificate"},
		{"one of another network", member("/eu/de"), certify(9, puppet.ID, "/eu/de", soon), "trusted"},
		{"an expired one", member("/eu/de"), certify(1, puppet.ID, "/eu/de", soon.Add(-66*time.Minute)), "expired"},
		{"one beside its signer's zone", member("/eu/de"), delegated(puppet.ID, "/us", "/eu/de", soon), "authority"},
		{"a member above its zone", member("/eu"), mine("/eu/de"), "authority"},
		{"a member of the root", member("/"), mine("/eu/de"), "authority"},
		{"a member beside its zone", member("/eu/de"), mine("/us"), "authority"},
		{"a representative beside its zone", zoneRow(puppet, "/us"), mine("/eu/de"), "authority"},
		{"a representative of a zone with a longer name", zoneRow(puppet, "/eu/de"), mine("/eu/d"), "authority"},
	} {
		o := closed(t)
		test.row.Proof = test.proof
		u := update(test.row, o.now(), 60)
		o.give("/eu/de", u)
		if got := o.refusal(); test.want == "" && got != "" || test.want != "" && !strings.Contains(got, test.want) {
			t.Errorf("%s: refused because of %q, want %q", test.what, got, test.want)
		}
		if o.has(u) != (test.want == "") {
			t.Errorf("%s: whether it stands in the table: %v", test.what, o.has(u))
		}
	}
}

// A member with an expired certificate cannot go on by stamping what it said before.
func TestCertificateExpires(t *testing.T) {
	o := closed(t)
	c := memberRow(puppet, "/eu/de")
	c.Proof = certify(1, puppet.ID, "/eu/de", soon)
	o.give("/eu/de", update(c, o.now(), 7200))
	o.Advance(30 * time.Minute)
	good := update(c, o.now(), 7200)
	o.give("/eu/de", good)
	if !o.has(good) {
		t.Fatalf("refused while the certificate holds: %s", o.refusal())
	}
	o.Advance(40 * time.Minute)
	late := update(c, o.now(), 7200)
	late.Content = nil
	o.Env.Traced()
	o.give("/eu/de", late)
	if o.has(late) || !strings.Contains(o.refusal(), "expired") {
		t.Error("a stamp was accepted of a member whose certificate has expired")
	}
}

// A node that shows no certificate of its own learns nothing of a closed network.
func TestNothingForStrangers(t *testing.T) {
	for _, test := range []struct {
		what     string
		proof    cert.Chain
		answered int
	}{
		{"a member", certify(1, puppet.ID, "/eu/de", soon), 1},
		{"a member of a zone above", certify(1, puppet.ID, "/eu", soon), 1},
		{"a member of another zone", certify(1, puppet.ID, "/us", soon), 0},
		{"a member of a zone with a longer name", certify(1, puppet.ID, "/eu/denmark", soon), 0},
		{"nothing", nil, 0},
		{"somebody else's", certify(1, stranger.ID, "/us", soon), 0},
		{"another network's", certify(9, puppet.ID, "/us", soon), 0},
		{"an expired one", certify(1, puppet.ID, "/us", soon.Add(-2*time.Hour)), 0},
	} {
		t.Run(test.what, func(t *testing.T) {
			o := closed(t)
			o.Receive(puppet, &astrolabe.Compare{Zone: zone.Root, Tables: []astrolabe.Marks{{Depth: 0}}})
			o.Receive(puppet, &astrolabe.Want{Zone: "/eu/de", Tables: []astrolabe.Names{{Depth: 2}}})
			if n := len(o.Env.Sent()); n > 0 {
				t.Errorf("%d messages to a node that has shown nothing yet", n)
			}
			first := closed(t) // a node that has begun an exchange may not know which node it has asked
			first.Receive(puppet, &astrolabe.Compare{Zone: "/eu/de", Tables: []astrolabe.Marks{{Depth: 2}},
				Proof: test.proof})
			if got := first.answers(puppet, &astrolabe.Rows{}); got != test.answered {
				t.Errorf("%d answers to the first Compare", got)
			}
			o.Receive(puppet, &astrolabe.Locate{Home: "/eu/de", Proof: test.proof})
			if got := o.answers(puppet, &astrolabe.Located{}); got != test.answered {
				t.Errorf("%d answers to a Locate", got)
			}
			o.Receive(puppet, &astrolabe.Gossip{Zone: "/eu/de", Sums: []uint64{1, 2, 3}, Labels: []uint32{1, 2, 3},
				Proof: test.proof})
			if got := o.answers(puppet, &astrolabe.Compare{}); got != test.answered {
				t.Errorf("%d answers to a Gossip", got)
			}
			o.Receive(puppet, &astrolabe.Compare{Zone: "/eu/de", Tables: []astrolabe.Marks{{Depth: 2}},
				Proof: test.proof})
			if got := o.answers(puppet, &astrolabe.Rows{}); got != test.answered {
				t.Errorf("%d answers to a Compare", got)
			}
			r, _ := o.Table("/eu/de").Get(zone.Member(self.ID))
			marks := new(table.Table)
			marks.Put(r, 0, 0)
			_, names, _ := new(table.Table).Compare(marks.Marks(5, true), 5, 0)
			o.Receive(puppet, &astrolabe.Want{Zone: "/eu/de", Salt: 5,
				Tables: []astrolabe.Names{{Depth: 2, Names: names}}})
			if got := o.answers(puppet, &astrolabe.Rows{}); got != test.answered {
				t.Errorf("%d answers to a Want", got)
			}
			o.WallClock = o.WallClock.Add(2 * time.Hour)
			o.Receive(puppet, &astrolabe.Want{Zone: "/eu/de", Salt: 5,
				Tables: []astrolabe.Names{{Depth: 2, Names: names}}})
			o.Receive(puppet, &astrolabe.Gossip{Zone: "/eu/de", Sums: []uint64{1, 2, 3}, Labels: []uint32{1, 2, 3},
				Proof: test.proof})
			if n := len(o.Env.Sent()); n > 0 {
				t.Errorf("%d answers after the certificate has expired", n)
			}
		})
	}
}

// Certified members find each other. Others, which run the same program, learn nothing and are known to nobody.
func TestCertificates(t *testing.T) {
	t.Parallel()
	const members, intruders = 20, 4
	homes := append(append(all(10, "/eu/de"), all(10, "/us")...), all(intruders, "/eu/de")...)
	late := sim.Default(engine.NewCodec(astrolabe.Vocabulary)).Epoch.Add(24 * time.Hour)
	w := newWorld(setup{homes: homes, step: 200 * time.Millisecond,
		seams: func(w *world, n sim.Node, s *astrolabe.Seams) {
			s.Trusted, s.Closed = trust(), true
			id := w.Peer(n).ID
			switch n {
			case members: // shows nothing
				s.Closed = false
			case members + 1:
				s.Proof = certify(9, id, "/eu/de", late)
				s.Trusted = []cert.Authority{{Zone: zone.Root, Key: authority(9).Public().(ed25519.PublicKey)}}
			case members + 2:
				s.Closed, s.Proof = false, certify(1, id, "/eu/de", late.Add(-48*time.Hour))
			case members + 3:
				s.Closed, s.Proof = false, certify(1, w.Peer(0).ID, "/eu/de", late)
			default:
				s.Proof = certify(1, id, s.Home, late)
			}
			if n >= members {
				s.Contacts = []engine.Peer{w.Peer(0), w.Peer(3), w.Peer(12)}
			}
		}})
	answers := []engine.Kind{new(astrolabe.Located).Kind(), new(astrolabe.Compare).Kind(), new(astrolabe.Rows).Kind(),
		new(astrolabe.Want).Kind(), new(astrolabe.Move).Kind()}
	asked := 0
	w.Tap(func(p sim.Delivery) {
		if p.Fate == sim.Sent && p.From >= members && p.To < members {
			asked++
		}
		if p.Fate == sim.Sent && p.To >= members && p.From < members && slices.Contains(answers, p.Message.Kind()) {
			t.Errorf("node %d sends %T to intruder %d", p.From, p.Message, p.To)
		}
	})
	w.Run(5 * time.Minute)
	w.node(2).Set(attr.Attribute{Name: "load", Value: attr.Float(0.5)})
	w.Run(5 * time.Minute)
	var inside []sim.Node
	for n := range sim.Node(members) {
		inside = append(inside, n)
	}
	if err := w.agreed(inside); err != nil {
		t.Error(err)
	}
	for _, n := range inside {
		p, _ := w.node(n).Path()
		for depth := range p.Depth() + 1 {
			for i := range sim.Node(intruders) {
				if _, _, ok := w.node(n).Table(p.At(depth)).Known(zone.Member(w.Peer(members+i).ID), 0); ok {
					t.Errorf("intruder %d stands in the table of %s at node %d", i, p.At(depth), n)
				}
			}
		}
	}
	if asked < 10*intruders {
		t.Errorf("the intruders have asked %d times", asked)
	}
}
