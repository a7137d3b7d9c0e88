package newswire_test

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

func authority(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(slices.Repeat([]byte{seed}, ed25519.SeedSize))
}

// certified returns a member's certificate, which authority 1 has signed unless another is named.
func certified(by byte, id engine.ID, z zone.Path, rights cert.Rights, until time.Time) cert.Chain {
	c := cert.Certificate{Zone: z, Member: id, Rights: rights, NotAfter: uint64(until.Unix())}
	c.Sign(authority(by))
	return cert.Chain{c}
}

// newTrust returns authority 1, which rules all zones.
func newTrust() []cert.Authority {
	return []cert.Authority{{Zone: zone.Root, Key: authority(1).Public().(ed25519.PublicKey)}}
}

// newClosed returns a plan of a closed network: node 20 may publish everywhere, node 21 within /~00, the others
// nowhere.
func newClosed() plan {
	p := newPlan(64, 8)
	until := sim.Default(codec).Epoch.Add(time.Hour)
	p.zoned = func(n int, id engine.ID, s *astrolabe.Seams) {
		s.Closed, s.Trusted = true, newTrust()
		switch n {
		case 20:
			s.Proof = certified(1, id, "/", cert.MayPublish, until)
		case 21:
			s.Proof = certified(1, id, s.Settled.Zone.At(1), cert.MayPublish, until)
		default:
			s.Proof = certified(1, id, "/", 0, until)
		}
	}
	return p
}

// In a closed network a node may not be permitted to publish. No other node forwards or accepts its items (hostile 48),
// by whatever message they come.
func TestUncertifiedPublishers(t *testing.T) {
	l := newLone(newClosed(), 0)
	own := l.paths[0]
	soon := l.env.Wall().Add(30 * time.Minute)
	id := func(n sim.Node) engine.ID { return l.Peer(n).ID }
	expired := certified(1, id(20), "/", cert.MayPublish, l.env.Wall().Add(-time.Hour))
	twice := append(certified(1, id(30), "/", 0, soon), certified(1, id(20), "/", cert.MayPublish, soon)...)
	for i, test := range []struct {
		what     string
		proof    cert.Chain
		to       zone.Path
		accepted bool
	}{
		{"a publisher", certified(1, id(20), "/", cert.MayPublish, soon), "/", true},
		{"a publisher of the zone", certified(1, id(20), own, cert.MayPublish, soon), own, true},
		{"no certificate", nil, "/", false},
		{"a member's", certified(1, id(20), "/", 0, soon), "/", false},
		{"another's", certified(1, id(21), "/", cert.MayPublish, soon), "/", false},
		{"a publisher of one zone, to all", certified(1, id(20), own, cert.MayPublish, soon), "/", false},
		{"a publisher of another zone", certified(1, id(20), "/~03", cert.MayPublish, soon), own, false},
		{"another network's", certified(9, id(20), "/", cert.MayPublish, soon), "/", false},
		{"an expired one", expired, "/", false},
		{"one that a member has signed", twice, "/", false},
		{"rights that were changed afterwards", func() cert.Chain {
			c := certified(1, id(20), "/", 0, soon)
			c[0].Rights = cert.MayPublish
			return c
		}(), "/", false},
	} {
		for how, send := range []func(m *newswire.Item){
			func(m *newswire.Item) { l.from(9, &newswire.Forward{Number: 1, Zone: own, Item: m}) },
			func(m *newswire.Item) { l.from(9, &newswire.Deliver{Number: 2, Item: m}) },
			func(m *newswire.Item) { l.from(9, &newswire.Missed{Items: []engine.Message{m}, Ages: []uint32{0}}) },
		} {
			number := uint64(10*i + how + 1)
			working := newswire.Working(l.wire)
			send(l.item(20, number, func(m *newswire.Item) { m.Proof, m.Zone = test.proof, test.to }))
			if got := len(l.got[number]) == 1; got != test.accepted {
				t.Errorf("%s, by message %d: whether it was delivered: %v", test.what, how, got)
			}
			if !test.accepted && newswire.Working(l.wire) != working {
				t.Errorf("%s, by message %d: it is passed on", test.what, how)
			}
		}
	}
}

// A certificate that has been checked before counts no longer than it holds.
func TestPublisherExpires(t *testing.T) {
	l := newLone(newClosed(), 0)
	proof := certified(1, l.Peer(20).ID, "/", cert.MayPublish, l.env.Wall().Add(30*time.Minute))
	deliver := func(number uint64) bool {
		l.from(9, &newswire.Deliver{Number: 2, Item: l.item(20, number, func(m *newswire.Item) { m.Proof = proof })})
		return len(l.got[number]) == 1
	}
	if !deliver(1) {
		t.Fatal("it is not accepted while the certificate holds")
	}
	l.env.Advance(36 * time.Minute)
	if deliver(2) {
		t.Error("it is accepted after that")
	}
}

// A node that may not publish learns that at once. One that may publish to one zone reaches that one alone.
func TestPublishInClosed(t *testing.T) {
	w := newTown(newClosed())
	w.Run(time.Second)
	send := func(n sim.Node, to zone.Path, number uint64) (err error) {
		w.Do(n, func(engine.Protocol) {
			err = w.testNode(n).wire.Send(to, sub(0), []engine.ID{sub(0)}, "", note(number, 0))
		})
		return err
	}
	if err := send(3, "/", 1); !errors.Is(err, cert.ErrRights) {
		t.Errorf("a member without the right: %v", err)
	}
	if err := send(21, "/", 2); !errors.Is(err, cert.ErrScope) {
		t.Errorf("a publisher to all that may reach some: %v", err)
	}
	if err := send(20, "/", 3); err != nil {
		t.Errorf("a publisher: %v", err)
	}
	if err := send(21, w.paths[21], 4); err != nil {
		t.Errorf("a publisher to its zone: %v", err)
	}
	w.Run(5 * time.Second)
	if len(w.got[1])+len(w.got[2]) > 0 || len(w.got[3]) != 64 || len(w.got[4]) != 8 {
		t.Errorf("%d, %d, %d and %d nodes have got it", len(w.got[1]), len(w.got[2]), len(w.got[3]), len(w.got[4]))
	}
}

// What its own signatures speak for any member can publish, and nobody else.
func TestVouched(t *testing.T) {
	p := newClosed()
	p.seams = func(_ int, s *newswire.Seams) {
		s.Vouched = func(topic engine.ID, _ engine.Message) bool { return topic == sub(0) }
	}
	l := newLone(p, 0)
	soon := l.env.Wall().Add(30 * time.Minute)
	for number, test := range map[uint64]struct {
		proof    cert.Chain
		topic    int
		accepted int
	}{
		1: {certified(1, l.Peer(20).ID, "/us", 0, soon), 0, 1},
		2: {nil, 0, 0},
		3: {certified(9, l.Peer(20).ID, "/us", 0, soon), 0, 0},
		4: {certified(1, l.Peer(20).ID, "/", 0, soon), 1, 0},
	} {
		sent := l.from(9, &newswire.Forward{Number: 2, Zone: l.paths[0],
			Item: l.item(20, number, func(m *newswire.Item) {
				m.Proof, m.Topic, m.Event = test.proof, sub(test.topic), note(number, test.topic)
			})})
		if got := count[*newswire.Taken](sent); got != test.accepted {
			t.Errorf("item %d: it was accepted %d times", number, got)
		}
	}
}

// A node that shows no certificate for its zone gets no missed items.
func TestCatchUpInClosed(t *testing.T) {
	l := newLone(newClosed(), 0)
	soon := l.env.Wall().Add(30 * time.Minute)
	l.from(9, &newswire.Deliver{Number: 1,
		Item: l.item(20, 1, func(m *newswire.Item) {
			m.Proof = certified(1, l.Peer(20).ID, "/", cert.MayPublish,
				soon)
		})})
	l.env.Advance(10 * time.Second)
	l.sent()
	ask := func(proof cert.Chain) int {
		return count[*newswire.Missed](l.from(40, &newswire.CatchUp{
			Filter: l.plan.config.Shape.Filter([]engine.ID{sub(0)}), Within: 600, Zone: l.paths[40], Proof: proof,
		}))
	}
	for what, proof := range map[string]cert.Chain{
		"no certificate": nil, "another's": certified(1, l.Peer(41).ID, "/", 0, soon),
		"one for another zone": certified(1, l.Peer(40).ID, l.paths[0], 0, soon),
		"an expired one":       certified(1, l.Peer(40).ID, "/", 0, l.env.Wall().Add(-time.Hour)),
	} {
		if ask(proof) != 0 {
			t.Errorf("%s: it is given something", what)
		}
	}
	if ask(certified(1, l.Peer(40).ID, "/", 0, soon)) != 1 {
		t.Error("a member is given nothing")
	}
}
