package feedtree

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// Statements are noted in any order. The first item of a number stays, and another one is proof. A topic's latest
// number never goes back. Withdrawn items are not kept for others.
func TestARecordNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Default()
		r := newRecord(enginetest.NewEnv(enginetest.NewPeer("10")), c)
		var doubled *Equivocation
		r.onDoubled = func(e *Equivocation) { doubled = e }
		topic := engine.PrefixID("80")
		first, latest := make(map[uint64]Head), mark{}
		t.Repeat(map[string]func(*rapid.T){
			"item": func(t *rapid.T) {
				i := &Item{Number: rapid.Uint64Range(1, 6).Draw(t, "number"),
					Time: rapid.Int64Range(1, 3).Draw(t, "time")}
				h := *i.Head()
				known, was := first[i.Number]
				doubled = nil
				noted := r.note(topic, i, &statement{number: i.Number, time: i.Time})
				if want := was && known.Time != h.Time; want != (doubled != nil) || want == noted {
					t.Fatalf("item %d of %d is proof: %v", i.Number, i.Time, doubled != nil)
				}
				if doubled != nil {
					if doubled.First.Time != known.Time || doubled.Second.Time != h.Time {
						t.Fatalf("the proof is %+v", doubled)
					}
					return
				}
				first[i.Number] = h
				latest = mark{max(latest.number, i.Number), max(latest.time, i.Time)}
			},
			"advance": func(t *rapid.T) {
				at := rapid.Int64Range(0, 5).Draw(t, "time")
				r.advance(topic, 0, at)
				latest.time = max(latest.time, at)
			},
			"withdraw": func(t *rapid.T) {
				numbers := []uint64{rapid.Uint64Range(1, 9).Draw(t, "number")}
				i := &Item{Number: 10, Entry: Withdrawing(numbers, nil)}
				r.passed.add(topic, &Item{Number: numbers[0]})
				r.noteWithdrawn(topic, i)
				if !r.isWithdrawn(topic, &Item{Number: numbers[0]}) || r.isWithdrawn(topic, i) ||
					r.passed.find(topic, numbers[0]) != nil {
					t.Fatalf("item %d is not withdrawn", numbers[0])
				}
			},
			"": func(t *rapid.T) {
				for number, h := range first {
					if got, _ := r.headOf(topic, number); got.Time != h.Time {
						t.Fatalf("item %d is of %d, not %d", number, got.Time, h.Time)
					}
				}
				if got, _ := r.marks.get(topic); got != latest || r.timeOf(topic) != latest.time {
					t.Fatalf("the topic has come to %+v, not %+v", got, latest)
				}
			},
		})
	})
}

// A peer is banned after more faults than any honest node has, each soon after the one before. Others count for
// nothing. A ban ends. The peer with the oldest last fault is forgotten first.
func TestPeersAreBannedForWhatNoHonestNodeSends(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	c := Default()
	c.Strikes, c.MaxPeers = 3, 2
	r := newRefusals(env, c)
	liar := enginetest.NewPeer("20")
	strike := func(times int, why Why) (bans int) {
		for range times {
			if r.count(liar, why) {
				bans++
			}
		}
		return bans
	}
	if strike(9, Replayed) != 0 || strike(2, Forged) != 0 || r.isBanned(liar.ID) {
		t.Error("banned too soon")
	}
	env.Advance(c.StrikeFor + 1)
	if strike(2, Forged) != 0 || strike(5, Forged) != 1 || !r.isBanned(liar.ID) {
		t.Error("three strikes are not one ban")
	}
	env.Advance(c.StrikeFor + 1)
	if r.isBanned(liar.ID) {
		t.Error("a ban does not end")
	}
	if r.count(env.Self(), Forged) || r.count(engine.Peer{}, Forged) || r.of[liar.ID] != nil || len(r.all()) != 2 {
		t.Errorf("%d peers are kept: %+v", len(r.of), r.all())
	}
}

// Proofs are kept of the first number and of the latest, no more often than once in proofRest.
func TestConvictionsKeepTheFirstAndTheLatest(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	c := convictions{env, newRecent[engine.ID, *conviction](4)}
	proof := func(number uint64) *Equivocation { return &Equivocation{First: Head{Number: number}} }
	for _, step := range []struct {
		wait   time.Duration
		number uint64
		adds   bool
	}{{0, 5, true}, {0, 6, false}, {proofRest, 5, false}, {0, 7, true}, {proofRest - 1, 8, false}, {1, 9, true}} {
		env.Advance(step.wait)
		e := proof(step.number)
		if got := c.adds(e); got != step.adds {
			t.Fatalf("a proof of %d adds something: %v", step.number, got)
		} else if got {
			c.add(e)
		}
	}
	k := c.on(engine.ID{})
	if len(k.proofs()) != 2 || k.of(5) == nil || k.of(9) == nil || k.of(7) != nil {
		t.Errorf("kept are %+v", k.proofs())
	}
	if upTo := c.forgive(engine.ID{}); upTo != 9 || c.on(engine.ID{}) != nil || !c.adds(proof(1)) {
		t.Errorf("forgiven is up to %d", upTo)
	}
}

// Items of two topics with one number are two items.
func TestPassedItemsAreThoseOfTheirTopics(t *testing.T) {
	t.Parallel()
	var p passed
	topics := []engine.ID{engine.PrefixID("a"), engine.PrefixID("b")}
	items := []*Item{{Number: 7, Entry: []byte("one")}, {Number: 7, Entry: []byte("the other")}}
	for i, topic := range topics {
		p.add(topic, items[i])
	}
	for range 2 {
		for i, topic := range topics {
			if got := p.find(topic, 7); got != items[i] {
				t.Errorf("item 7 of topic %d is %+v", i, got)
			}
		}
		p.add(topics[0], items[1]) // it is there
	}
	p.remove(topics[0], 7)
	if p.find(topics[0], 7) != nil || p.find(topics[1], 7) != items[1] || p.bytes != len(items[1].Entry) {
		t.Errorf("after the first was removed there are %+v", p)
	}
}
