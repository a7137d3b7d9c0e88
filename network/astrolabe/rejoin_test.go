package astrolabe_test

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/sim"
)

// A chain with an upper certificate that expires before the last one ends with it, also at a node that has checked it
// before.
func TestUpperCertificateExpires(t *testing.T) {
	o := closed(t)
	a := cert.Certificate{Zone: "/eu", NotAfter: uint64(soon.Add(-30 * time.Minute).Unix())}
	copy(a.Key[:], authority(2).Public().(ed25519.PublicKey))
	a.Sign(authority(1))
	c := memberRow(puppet, "/eu/de")
	c.Proof = append(cert.Chain{a}, certify(2, puppet.ID, "/eu/de", soon)...)
	o.give("/eu/de", update(c, o.now(), 7200))
	o.Advance(20 * time.Minute)
	good := update(c, o.now(), 7200)
	if o.give("/eu/de", good); !o.has(good) {
		t.Fatalf("refused while the chain holds: %s", o.refusal())
	}
	o.Advance(16 * time.Minute) // beyond the grace for clocks; the member's own certificate still holds
	late := update(c, o.now(), 7200)
	o.Env.Traced()
	if o.give("/eu/de", late); o.has(late) || !strings.Contains(o.refusal(), "expired") {
		t.Error("a row was accepted whose chain has expired")
	}
	o.Env.Sent()
	o.Receive(puppet, &astrolabe.Want{Zone: "/eu/de", Tables: []astrolabe.Names{{Depth: 2}}})
	o.Receive(puppet, &astrolabe.Gossip{Zone: "/eu/de", Sums: []uint64{1, 2, 3}, Labels: []uint32{1, 2, 3},
		Proof: c.Proof})
	if n := len(o.Env.Sent()); n > 0 {
		t.Errorf("%d answers after the chain has expired", n)
	}
}

// A node that asks for its place learns why it is not let in.
func TestDenied(t *testing.T) {
	for _, test := range []struct {
		proof cert.Chain
		want  astrolabe.Denial
	}{
		{nil, astrolabe.DeniedNone},
		{certify(1, stranger.ID, "/eu/de", soon), astrolabe.DeniedNone},
		{certify(1, puppet.ID, "/eu/de", soon.Add(-2*time.Hour)), astrolabe.DeniedExpired},
		{certify(1, puppet.ID, "/us", soon), astrolabe.DeniedZone},
		{certify(9, puppet.ID, "/eu/de", soon), astrolabe.DeniedUntrusted},
	} {
		o := closed(t)
		o.Receive(puppet, &astrolabe.Locate{Home: "/eu/de", Proof: test.proof})
		sent := o.Env.Sent()
		if len(sent) != 1 {
			t.Fatalf("%v: the answers are %v", test.want, sent)
		}
		if m, ok := sent[0].Message.(*astrolabe.Denied); !ok || m.Why != test.want || sent[0].To.ID != puppet.ID {
			t.Errorf("the answer is %+v, want %v", sent[0].Message, test.want)
		}
	}
}

// A node that is denied asks another. What nobody was asked for is not believed.
func TestDenialHeard(t *testing.T) {
	o := newOne(t, "/eu/de", nil)
	o.Rejoin(astrolabe.Membership{Home: "/us"})
	o.Receive(puppet, &astrolabe.Denied{Home: "/us", Why: astrolabe.DeniedNone})
	if o.Denied() != 0 {
		t.Error("it believes what it has not asked")
	}
	o.Meet(puppet)
	o.Rejoin(astrolabe.Membership{Home: "/fr"})
	for _, m := range []*astrolabe.Denied{{Home: "/us", Why: 1}, {Home: "/fr", Why: 0}, {Home: "/fr", Why: 99}} {
		if o.Receive(puppet, m); o.Denied() != 0 {
			t.Errorf("it believes %+v", m)
		}
	}
	o.Receive(stranger, &astrolabe.Denied{Home: "/fr", Why: astrolabe.DeniedNone})
	if o.Denied() != 0 {
		t.Error("it believes a node that it has not asked")
	}
	o.Env.Sent()
	o.Receive(puppet, &astrolabe.Denied{Home: "/fr", Why: astrolabe.DeniedExpired})
	if o.Denied() != astrolabe.DeniedExpired || o.answers(puppet, &astrolabe.Locate{}) != 1 {
		t.Errorf("it is denied because %s", o.Denied())
	}
	o.Receive(puppet, &astrolabe.Located{Home: "/fr", Zone: "/fr"})
	if p, ok := o.Path(); !ok || p != "/fr" || o.Denied() != 0 {
		t.Errorf("it is in %q, and denied because %q", p, o.Denied())
	}
}

// A node that gets no answer comes to its new zone nevertheless, and notifies its old one.
func TestRejoinAlone(t *testing.T) {
	o := newOne(t, "/eu/de", nil)
	o.give("/eu/de", update(memberRow(puppet, "/eu/de"), o.now(), 600))
	o.Set(attr.Attribute{Name: "own", Value: attr.Int(7)})
	o.Env.Sent()
	o.Rejoin(astrolabe.Membership{Home: "/us"})
	o.Advance(time.Minute)
	p, ok := o.Path()
	if !ok || p != "/us" {
		t.Fatalf("it is in %q", p)
	}
	r, ok := o.Table("/us").Get(zone.Member(self.ID))
	if !ok || r.Attributes.Get("own").Integer != 7 {
		t.Error("it has lost what it says")
	}
	if _, ok := o.Table("/").Get("eu"); ok || o.answers(puppet, &astrolabe.Rows{}) == 0 {
		t.Error("it still has its old table, or has notified no node")
	}
}

// The zones' members see one of them go to another zone, and accept it there; its filter and attributes go along.
func TestRejoin(t *testing.T) {
	t.Parallel()
	homes := slices.Concat(all(4, "/eu/de"), all(4, "/us"))
	w := newWorld(setup{homes: homes, step: 200 * time.Millisecond})
	w.Run(time.Minute)
	w.node(1).Set(attr.Attribute{Name: "own", Value: attr.Int(7)})
	w.Do(1, func(engine.Protocol) { w.node(1).Rejoin(astrolabe.Membership{Home: "/us"}) })
	label := zone.Member(w.Peer(1).ID)
	w.until(t, 5*time.Minute, func() error {
		for _, n := range []sim.Node{4, 5, 6, 7} {
			r, ok := w.node(n).Table("/us").Get(label)
			if !ok || r.Attributes.Get("own").Integer != 7 {
				return fmt.Errorf("node %d does not know it in /us", n)
			}
		}
		for _, n := range []sim.Node{0, 2, 3} {
			if _, ok := w.node(n).Table("/eu/de").Get(label); ok {
				return fmt.Errorf("node %d knows it in /eu/de still", n)
			}
		}
		return w.agreed(w.up())
	})
}

// A network is closed while it runs: a node that shows no certificate is known to no other afterwards. A certificate
// that was renewed reaches all before the old one has expired.
func TestCloseWhileRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(setup{homes: all(6, "/eu"), step: 200 * time.Millisecond})
	w.Run(time.Minute)
	join := func(n sim.Node, until time.Duration) {
		w.Do(n, func(engine.Protocol) {
			w.node(n).Rejoin(astrolabe.Membership{Home: "/eu", Trusted: trust(), Closed: true,
				Proof: certify(1, w.Peer(n).ID, "/eu", w.Wall(n).Add(until))})
		})
	}
	for n := range sim.Node(5) {
		join(n, time.Duration(20+n)*time.Minute)
	}
	known := func(of, at sim.Node) bool {
		t := w.node(at).Table("/eu")
		if t == nil {
			return false
		}
		_, ok := t.Get(zone.Member(w.Peer(of).ID))
		return ok
	}
	all := func() error {
		for a := range sim.Node(5) {
			for b := range sim.Node(5) {
				if !known(a, b) {
					return fmt.Errorf("node %d is not known to %d", a, b)
				}
			}
			if known(5, a) {
				return fmt.Errorf("the node without a certificate is known to %d", a)
			}
		}
		return nil
	}
	w.until(t, 5*time.Minute, all)
	w.Run(time.Minute)
	for n := range sim.Node(5) {
		if n != 2 {
			join(n, 24*time.Hour)
		}
	}
	w.until(t, time.Minute, func() error {
		for n := range sim.Node(5) {
			r, _ := w.node(n).Table("/eu").Get(zone.Member(w.Peer(1).ID))
			if r.IsZero() || r.Proof.Until().Before(w.Wall(0).Add(12*time.Hour)) {
				return fmt.Errorf("node %d has not the new certificate", n)
			}
		}
		return nil
	})
	w.Run(40 * time.Minute) // node 2's certificate expires after 22, and the grace for clocks
	for n := range sim.Node(5) {
		if n != 2 && (known(2, n) || !known(3, n)) {
			t.Errorf("node %d knows the one whose certificate has expired: %v, another: %v", n, known(2, n),
				known(3, n))
		}
	}
}

// A member's filter with too many bits set does not count in that of its zone, whatever it is filled up with; in a
// closed network it does.
func TestOverfull(t *testing.T) {
	filter := func(set, length int) attr.Attribute {
		b := make([]byte, length)
		for i := range set {
			b[i/8] |= 1 << (i % 8)
		}
		return attr.Attribute{Name: "filter", Value: attr.Bytes(b)}
	}
	most := astrolabe.Default().MaxFilter
	for _, test := range []struct {
		what   string
		filter attr.Attribute
		closed bool
		counts bool
	}{
		{"as many as it may", filter(most, 128), false, true},
		{"one more", filter(most+1, 128), false, false},
		{"all", filter(1024, 128), false, false},
		{"all, among zeros", filter(1024, 1500), false, false},
		{"all, in a closed network", filter(1024, 128), true, true},
	} {
		o := newOne(t, "/eu", nil)
		row := memberRow(puppet, "/eu", test.filter)
		if test.closed {
			o = newOne(t, "/eu", func(s *astrolabe.Seams) {
				s.Trusted, s.Closed, s.Proof = trust(), true, certify(1, self.ID, "/eu", soon)
			})
			row.Proof = certify(1, puppet.ID, "/eu", soon)
		}
		o.give("/eu", update(row, o.now(), 600))
		o.Advance(time.Minute)
		r, ok := o.Table("/").Get("eu")
		if !ok || r.Attributes.Get(astrolabe.AttrMembers).Integer != 2 ||
			(len(r.Attributes.Get("filter").Bytes) > 0) != test.counts {
			t.Errorf("%s: the zone's row is %v; refused: %s", test.what, r.Attributes, o.refusal())
		}
		if m, ok := o.Table("/eu").Get(zone.Member(puppet.ID)); !ok || len(m.Attributes.Get("filter").Bytes) == 0 {
			t.Errorf("%s: the member's own row lacks its filter", test.what)
		}
	}
}

// A node stays where it is if its authorities are the same. It looks for its place anew, with empty tables, if one of
// them has another key, or another zone, or if there is one more.
func TestRejoinWithOtherAuthorities(t *testing.T) {
	one, two := trust()[0].Key, authority(2).Public().(ed25519.PublicKey)
	for name, c := range map[string]struct {
		trusted []cert.Authority
		stays   bool
	}{
		"the same":     {trust(), true},
		"another key":  {[]cert.Authority{{Zone: zone.Root, Key: two}}, false},
		"another zone": {[]cert.Authority{{Zone: "/eu", Key: one}}, false},
		"one more":     {append(trust(), cert.Authority{Zone: "/eu", Key: two}), false},
		"none":         {nil, false},
	} {
		o := closed(t)
		content := memberRow(puppet, "/eu/de")
		content.Proof = certify(1, puppet.ID, "/eu/de", soon)
		row := update(content, o.now(), 7200)
		if o.give("/eu/de", row); !o.has(row) {
			t.Fatalf("a member's row is refused: %s", o.refusal())
		}
		proof := certify(1, self.ID, "/eu/de", soon)
		o.Rejoin(astrolabe.Membership{Home: "/eu/de", Trusted: c.trusted, Closed: true, Proof: proof})
		if o.has(row) != c.stays {
			t.Errorf("%s: it has its table: %v", name, !c.stays)
		}
	}
}
