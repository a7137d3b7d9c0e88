package roster

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// An owner accepts a subscription for its node's signature, by whatever message it comes, and each field counts
// (hostile 38).
func TestEachFieldOfASubscriptionCounts(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 12)
		c, owners := channel(0), v.owners(channel(0), 12)
		wanted := func(by sim.Node, outside string, stamp uint64) *Subscription {
			w := Wanted{Channel: c.ID, URL: c.URL, Outside: outside, Count: 2, Stamp: stamp}
			w.Signature = v.Keys(by).Sign(w.of(v.Peer(by)).Words(c.ID))
			return w.of(v.Peer(by)).Subscription
		}
		valid, other := wanted(owners[11], "xmpp:a@b", 1<<40), wanted(owners[10], "xmpp:c@d", 1<<40+1)
		outside := map[string]string{"Node.Address": "the ID names the key",
			"Age": "each sender fills it in by its own knowledge"}
		for _, message := range map[string]func(s *Subscription) engine.Message{
			"Subscribe": func(s *Subscription) engine.Message {
				return &Subscribe{Node: s.Node, Wanted: []Wanted{{c.ID, c.URL, s.Outside, s.Count, s.Stamp,
					s.Signature, false}}}
			},
			"Copies": func(s *Subscription) engine.Message {
				return &Copies{Copies: []Copy{{c.ID, c.URL, []Subscription{*s}}}}
			},
			"Entries": func(s *Subscription) engine.Message {
				return &Entries{Channel: c.ID, URL: c.URL, Subscriptions: []Subscription{*s}}
			},
		} {
			enginetest.CheckProof(t, valid, other, outside, func(s *Subscription) bool {
				r := v.at(owners[0]).Roster
				before := 0
				if o := r.Find(c.ID); o != nil {
					before = o.Entries()
				}
				v.Do(owners[0], func(engine.Protocol) { r.Receive(v.Peer(owners[1]), message(s)) })
				o := r.Find(c.ID)
				if o == nil || o.Entries() == before {
					return false
				}
				v.Crash(owners[0])
				v.Boot(owners[0])
				v.settle()
				return true
			})
		}
	})
}

// Of the subscriptions of a node the latest holds, and of two with one stamp the one for more readers, in whatever
// order they come, by whatever messages, and however often.
func TestTheLatestSubscriptionStands(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 8)
		list := []Subscription{{Stamp: 1, Count: 5}, {Stamp: 2, Count: 3}, {Stamp: 3, Count: 0}, {Stamp: 4, Count: 1},
			{Stamp: 4, Count: 2}}
		for i := range 60 {
			c := channel(i)
			owners, latest := v.owners(c, 8), Subscription{}
			owner, second, reader := owners[0], owners[1], owners[7]
			for range 1 + v.Rand().IntN(8) {
				s := list[v.Rand().IntN(len(list))]
				s.Node = v.Peer(reader)
				if s.Stamp > latest.Stamp || s.Stamp == latest.Stamp && s.Count > latest.Count {
					latest = s
				}
				way := v.Rand().IntN(3)
				m := []engine.Message{
					&Subscribe{Node: s.Node, Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Count: s.Count,
						Stamp: s.Stamp}}},
					&Copies{Copies: []Copy{{c.ID, c.URL, []Subscription{s}}}},
					&Entries{Channel: c.ID, URL: c.URL, Subscriptions: []Subscription{s}},
				}[way]
				from := []sim.Node{reader, second, second}[way]
				v.Do(owner, func(engine.Protocol) { v.at(owner).Roster.Receive(v.Peer(from), m) })
				o := v.at(owner).Roster.Find(c.ID)
				if o == nil {
					if latest.Count > 0 {
						t.Fatalf("channel %d: %+v is forgotten", i, latest)
					}
					continue
				}
				if got := v.at(owner).Roster.Subscription(o, 0); o.Entries() != 1 || got.Stamp != latest.Stamp ||
					got.Count != latest.Count {
					t.Fatalf("channel %d: %+v stands, not %+v", i, got, latest)
				}
			}
		}
	})
}
