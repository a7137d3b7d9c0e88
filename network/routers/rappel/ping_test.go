package rappel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"tidings/network/engine"
)

// What a Ping cannot hold follows in others, of one number. Each names the trees that the others do not, and says of
// its sender what they say: a friend that is the parent in many trees is a friend by each of them.
func TestAPingOfManyTrees(t *testing.T) {
	for _, trees := range []int{1, maxEdges - 1, maxEdges, maxEdges + 1, 2 * maxEdges, 2*maxEdges + 1} {
		for _, friend := range []bool{false, true} {
			what := fmt.Sprintf("%d trees, of a friend: %v", trees, friend)
			p := newPuppet(t, Default(), f0, 100, 0)
			var want []engine.ID
			for i := range trees {
				topic := subject
				if binary.BigEndian.PutUint16(topic[2:], uint16(i)); i > 0 {
					p.Join(topic)
				}
				want = append(want, topic)
			}
			p.advance(0)
			for _, m := range sentOf[*Join](p) {
				p.Receive(f0, &JoinOK{Topic: m.Topic, Attempt: m.Attempt, Epoch: 1, Place: Place{
					Version: 7, Self: place(50, 0), Root: place(50, 0)}})
			}
			p.advance(0)
			if friend {
				nb := p.links.get(f0)
				p.friends.add(f0, &profile{filter: p.self.filter, coordinate: place(50, 0)}, engine.Peer{})
				nb.set = 5
			}
			p.sent = nil
			for step := 0; step < 200 && len(sentOf[*Ping](p)) == 0; step++ {
				p.advance(Default().Ping / 100)
			}
			pings := sentOf[*Ping](p)
			if len(pings) == 0 || p.links.byID[f0.ID].parents != trees {
				t.Fatalf("%s: %d pings; the root is the parent in %d trees", what, len(pings),
					p.links.byID[f0.ID].parents)
			}
			var named []engine.ID
			first := pings[0]
			for _, m := range pings {
				if m.Number != first.Number || m.Fan != friend || m.Needed != first.Needed ||
					m.Versions != first.Versions || m.Set != first.Set ||
					m.Known != first.Known {
					t.Errorf("%s: a part says %d, %v, %v, %d, %d; the first %d, %v, %v, %d, %d", what,
						m.Number, m.Fan, m.Versions, m.Set, m.Known, first.Number, first.Fan, first.Versions, first.Set,
						first.Known)
				}
				if len(m.Edges) > maxEdges {
					t.Errorf("%s: a part names %d trees", what, len(m.Edges))
				}
				for _, e := range m.Edges {
					named = append(named, e.Topic)
				}
			}
			compare := func(a, b engine.ID) int { return a.Compare(b) }
			slices.SortFunc(named, compare)
			slices.SortFunc(want, compare)
			if !slices.Equal(named, want) {
				t.Errorf("%s: %d are named", what, len(named))
			}
		}
	}
}
