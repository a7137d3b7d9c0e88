package roster

import (
	"bytes"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// A subscription in another's name is accepted from no node, neither directly, nor as a copy, nor in a transfer. Nor is
// a true one of another channel, count or stamp (hostile 38, 44).
func TestUnsignedSubscriptionsAreRefused(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 12)
		c, d := channel(0), channel(1)
		owners := v.owners(c, 12)
		primary, attacker, victim := owners[0], owners[1], owners[11]
		v.subscribe(victim, d, "", 1)
		v.acknowledge(10 * time.Second)
		signed := func(by sim.Node, w Wanted) Wanted {
			w.Signature = v.Keys(by).Sign(w.of(v.Peer(by)).Words(w.Channel))
			return w
		}
		wanted := Wanted{Channel: c.ID, URL: c.URL, Count: 1, Stamp: 1 << 40}
		forged := func(change func(*Wanted)) Wanted {
			w := signed(victim, wanted)
			change(&w)
			return w
		}
		ofAnother := signed(victim, Wanted{Channel: d.ID, URL: d.URL, Count: 1, Stamp: 1 << 40})
		ofAnother.Channel, ofAnother.URL = c.ID, c.URL
		for i, w := range []Wanted{
			forged(func(w *Wanted) { w.Signature = nil }),
			forged(func(w *Wanted) { w.Signature = bytes.Repeat([]byte{1}, 64) }),
			forged(func(w *Wanted) { w.Count = 64 }),
			forged(func(w *Wanted) { w.Outside = "xmpp:a@b" }),
			forged(func(w *Wanted) { w.Stamp++ }),
			signed(attacker, wanted),
			ofAnother,
		} {
			s := *w.of(v.Peer(victim)).Subscription
			for _, m := range []engine.Message{
				&Subscribe{Node: v.Peer(victim), Wanted: []Wanted{w}},
				&Copies{Number: uint32(i), Copies: []Copy{{c.ID, c.URL, []Subscription{s}}}},
				&Entries{Channel: c.ID, URL: c.URL, Number: uint32(i), Subscriptions: []Subscription{s}},
			} {
				v.Do(primary, func(engine.Protocol) { v.at(primary).Roster.Receive(v.Peer(attacker), m) })
				v.Run(time.Second)
				if o := v.at(primary).Find(c.ID); o != nil && o.Entries() > 0 {
					t.Fatalf("forgery %d was accepted by %T", i, m)
				}
			}
		}
		v.becomesRight(0, c, d)
		truth := signed(victim, wanted)
		true1 := *truth.of(v.Peer(victim)).Subscription
		v.Do(primary, func(engine.Protocol) {
			v.at(primary).Roster.Receive(v.Peer(attacker),
				&Copies{Number: 1, Copies: []Copy{{c.ID, c.URL, []Subscription{true1}}}})
		})
		if o := v.at(primary).Find(c.ID); o == nil || o.Entries() != 1 {
			t.Error("a true subscription was not accepted")
		}
	})
}

// Signatures follow entries wherever these go: to the other owners, and past removals.
func TestSignaturesStayWithTheirEntries(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 30, quick)
		c := channel(0)
		for i, n := range v.nodes {
			v.subscribe(n, c, "", 1+i%3)
		}
		v.acknowledge(20 * time.Second)
		for _, n := range v.nodes[:10] {
			v.subscribe(n, c, "", 0)
		}
		v.Run(5 * v.config.Maintenance)
		v.Crash(v.owners(c, 1)[0])
		v.Run(2 * v.config.Maintenance)
		for _, n := range v.owners(c, v.config.Owners) {
			o := v.at(n).Find(c.ID)
			if o.Entries() < 15 {
				t.Errorf("an owner has %d entries", o.Entries())
			}
			for i := range o.readers.entries {
				s := v.at(n).Subscription(o, i)
				if !v.Keys(n).Signed(s.Node, s.Words(c.ID), s.Signature) {
					t.Errorf("the entry of %v is not signed", s.Node)
				}
			}
		}
	})
}
