package roster

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// An owner takes a subscription for its node's signature, by whatever message it comes, and each field counts (hostile 38).
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
		outside := map[string]string{"Node.Address": "the ID says whose key it is", "Age": "each sender says it as far as it knows"}
		for _, message := range map[string]func(s *Subscription) engine.Message{
			"Subscribe": func(s *Subscription) engine.Message {
				return &Subscribe{Node: s.Node, Wanted: []Wanted{{c.ID, c.URL, s.Outside, s.Count, s.Stamp, s.Signature}}}
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
