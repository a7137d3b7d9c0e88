package newswire_test

import (
	"testing"
	"time"

	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/sim"
)

// In a closed network an item is accepted for its publisher's signature and certificate, each field of which counts, by
// whatever message it comes. Else it is neither delivered, nor kept, nor forwarded (hostile 48, 74).
func TestEachFieldOfAnItemCounts(t *testing.T) {
	w := newTown(newClosed())
	proof := func(of sim.Node) cert.Chain {
		return certified(1, w.Peer(of).ID, "/", cert.MayPublish, w.plan.epoch().Add(time.Hour))
	}
	item := func(number uint64, change func(*newswire.Item)) *newswire.Item {
		return w.item(20, number, func(m *newswire.Item) {
			m.Proof, m.Predicate = proof(20), ""
			change(m)
		})
	}
	valid := item(7, func(*newswire.Item) {})
	other := item(8, func(m *newswire.Item) {
		m.Zone, m.Predicate, m.Bits, m.Proof = "/~03", "category 2", []uint16{3}, proof(21)
	})
	outside := map[string]string{
		"Publisher.Address": "the ID is that of the key, of which these addresses say nothing",
		"Event.Text":        "these notes differ in their numbers alone",
		"Event.Publisher":   "as Event.Text",
		"Event.Signature":   "as Event.Text",
	}
	for _, send := range []func(l *lone, m *newswire.Item){
		func(l *lone, m *newswire.Item) { l.from(9, &newswire.Forward{Number: 1, Zone: zone.Root, Item: m}) },
		func(l *lone, m *newswire.Item) { l.from(9, &newswire.Deliver{Number: 2, Item: m}) },
		func(l *lone, m *newswire.Item) {
			l.from(9, &newswire.Missed{Items: []engine.Message{m}, Ages: []uint32{0}})
		},
	} {
		enginetest.CheckProof(t, valid, other, outside, func(m *newswire.Item) bool {
			l := loneOf(w, 0)
			l.env.Advance(time.Minute)
			working := newswire.Working(l.wire)
			send(l, m)
			items, _, known := newswire.Kept(l.wire)
			return len(l.got) > 0 || items+known > 0 || newswire.Working(l.wire) != working
		})
	}
}

// A request for what was missed is answered for a certificate, each field of which counts.
func TestEachFieldOfAnAskersCertificateCounts(t *testing.T) {
	w := newTown(newClosed())
	ask := func(filter []byte, of sim.Node) *newswire.CatchUp {
		return &newswire.CatchUp{
			Filter: filter, Have: make([]byte, 8), Within: 600, Zone: w.paths[0],
			Proof: certified(1, w.Peer(of).ID, "/", 0, w.plan.epoch().Add(time.Hour)),
		}
	}
	valid := ask(w.plan.config.Shape.Filter([]engine.ID{sub(0)}), 9)
	other := ask(w.plan.config.Shape.Filter([]engine.ID{sub(0), sub(1)}), 10)
	enginetest.CheckProof(t, valid, other, map[string]string{
		"Filter": "an asker says what it wants",
		"Have":   "an asker says what it has",
		"Within": "an asker says what it wants",
		"Zone":   "a member of the whole may ask for any zone",
	}, func(m *newswire.CatchUp) bool {
		l := loneOf(w, 0)
		l.from(20, &newswire.Deliver{Number: 2, Item: w.item(20, 7, func(m *newswire.Item) {
			m.Proof = certified(1, w.Peer(20).ID, "/", cert.MayPublish, w.plan.epoch().Add(time.Hour))
		})})
		l.env.Advance(10 * time.Second)
		l.sent()
		return count[*newswire.Missed](l.from(9, m)) > 0
	})
}
