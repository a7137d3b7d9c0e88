package archive

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever the answers, a wanted item is in the queue or requested, once and within bounds, and ends once.
func TestPullEndsEachWantOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStub()
		s.config.Pulls, s.config.MaxWanted = 2, 4
		p := pull{env: s.env, config: &s.config, node: s, wanted: make(map[Name]*want)}
		begun := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			name, from := drawName(t), s.peer(t)
			number := uint64(0)
			for _, f := range p.flights {
				if f.to.ID == from.ID {
					number = f.number
				}
			}
			switch rapid.SampledFrom([]string{"want", "want", "item", "none", "busy", "down", "wait"}).Draw(t, "step") {
			case "want":
				if !p.wants(name) && p.hasRoom() && p.want(from, Held{Name: name, Size: 10}) {
					begun++
				}
			case "item":
				if wanted := p.wants(name); p.arrives(from, name) {
					if !wanted || p.arrives(from, name) {
						t.Fatalf("%v arrives, and was wanted: %v", name, wanted)
					}
					p.unwant(name)
				}
			case "none":
				p.onFetched(from, &Fetched{Number: number, None: []Name{name}})
			case "busy":
				p.onFetched(from, &Fetched{Number: number, Busy: true})
			case "down":
				p.down(from)
			case "wait":
				s.env.Advance(time.Second)
			}
			wants := slices.Clone(p.queue)
			for _, f := range p.flights {
				wants = append(wants, f.wants...)
			}
			if len(p.flights) > 2 || len(wants) > 4 || len(wants) != len(p.wanted) || len(s.ended)+len(wants) != begun {
				t.Fatalf("%d flights, %d of %d wanted; %d begun, %d ended", len(p.flights), len(wants), len(p.wanted),
					begun, len(s.ended))
			}
		}
		if s.env.Advance(time.Hour); len(p.wanted)+len(p.flights)+len(p.queue) > 0 {
			t.Fatalf("%d are wanted still", len(p.wanted))
		}
	})
}

// A bounded number of items is wanted of one peer, whatever others have.
func TestPullBoundsWhatOnePeerOffers(t *testing.T) {
	t.Parallel()
	s := newStub()
	p := pull{env: s.env, config: &s.config, node: s, wanted: make(map[Name]*want)}
	wanted := 0
	for i := range uint64(2 * maxWantedOfOne) {
		if p.want(s.peers[0], Held{Name: Name{Number: i}, Size: 1}) {
			wanted++
		}
	}
	if wanted != maxWantedOfOne+1 { // one is asked for at once
		t.Errorf("%d are wanted of one peer", wanted)
	}
	if !p.want(s.peers[1], Held{Name: Name{Topic: s.peers[0].ID}, Size: 1}) {
		t.Error("nothing is wanted of another")
	}
}
