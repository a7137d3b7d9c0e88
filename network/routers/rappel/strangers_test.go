package rappel_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/window"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
	"tidings/network/vivaldi"
)

// Messages that only a parent, a child, a grandparent or the root may send are worth nothing from any other node
// (hostile 41).
func TestHostile41Strangers(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		w := newWorld(wire(), t.World, settings{nodes: 60, config: rappel.Default()})
		w.roots[topic(0)] = 0
		for n := range sim.Node(59) {
			w.Join(n, topic(0))
		}
		w.Run(5 * time.Minute)
		var sent []sim.Delivery
		w.Tap(func(p sim.Delivery) {
			if p.Fate == sim.Sent {
				sent = append(sent, p)
			}
		})
		// n has a parent, a grandparent that is not the root, and a child.
		var n sim.Node
		var v rappel.TreeView
		for ; ; n++ {
			if v, _ = w.Node(n).Tree(topic(0)); len(v.Ancestors) > 2 && len(v.Children) > 0 {
				break
			}
		}
		stranger, parent := w.Peer(59), v.Ancestors[0].Peer
		far := w.points[n].at
		far.Vector = []int32{900_000, 900_000}
		coordinate := func() vivaldi.Coordinate { return far }
		answer := func(from engine.Peer, m engine.Message) (answers []engine.Message) {
			sent = nil
			w.Node(n).Receive(from, m)
			for _, p := range sent {
				if p.From == n {
					answers = append(answers, p.Message)
				}
			}
			return answers
		}
		denied := func(from engine.Peer, m *rappel.Join, why uint8) {
			t.Helper()
			got := answer(from, m)
			if len(got) != 1 {
				t.Fatalf("a Join is answered by %v", got)
			}
			if d, ok := got[0].(*rappel.JoinDeny); !ok || d.Why != why {
				t.Errorf("a Join is answered by %#v, want a denial for %d", got[0], why)
			}
		}
		denied(parent, &rappel.Join{Topic: topic(0), Coordinate: coordinate()}, rappel.Ancestor)
		denied(v.Ancestors[2].Peer, &rappel.Join{Topic: topic(0), Coordinate: coordinate()}, rappel.Ancestor)
		denied(stranger, &rappel.Join{Topic: topic(0), Coordinate: vivaldi.Coordinate{Vector: []int32{1}}},
			rappel.Invalid)
		denied(stranger, &rappel.Join{Topic: topic(1), Coordinate: coordinate()}, rappel.NotMember)

		for _, c := range []struct {
			name string
			from engine.Peer
			m    engine.Message
		}{
			{"a Replace of a stranger", stranger, &rappel.Replace{Topic: topic(0), Child: stranger}},
			{"a Replace of a parent", parent, &rappel.Replace{Topic: topic(0), Child: stranger}},
			{"a ChangeParent of a stranger", stranger, &rappel.ChangeParent{Topic: topic(0), To: stranger}},
			{"a ChangeParent of a grandparent", v.Ancestors[1].Peer,
				&rappel.ChangeParent{Topic: topic(0), To: stranger}},
			{"an Orphaned of a stranger", stranger, &rappel.Orphaned{Topic: topic(0), Dead: parent.ID}},
			{"an Orphaned of the root", v.Ancestors[len(v.Ancestors)-1].Peer,
				&rappel.Orphaned{Topic: topic(0), Dead: parent.ID}},
			{"an Orphaned of another's death", v.Ancestors[1].Peer,
				&rappel.Orphaned{Topic: topic(0), Dead: stranger.ID}},
			{"a Leave of a stranger", stranger, &rappel.Leave{Topic: topic(0), Child: true}},
			{"a Leave of a stranger that is no child", stranger, &rappel.Leave{Topic: topic(0)}},
			{"a Placed of a stranger", stranger, &rappel.Placed{Topic: topic(0)}},
			{"a JoinForward that nobody waits for", stranger, &rappel.JoinForward{Topic: topic(0), To: stranger}},
			{"a JoinDeny that nobody waits for", stranger, &rappel.JoinDeny{Topic: topic(0), Why: rappel.Full}},
			{"a Pulled that nobody waits for", stranger,
				&rappel.Pulled{Topic: topic(0), Epoch: 1 << 62, Last: 1 << 62}},
			{"a Void of a stranger", stranger,
				&rappel.Void{Topic: topic(0), Stamp: window.Stamp{Epoch: v.Epoch, Number: 1000}}},
			{"an Ack that nobody waits for", parent, &rappel.Ack{News: []rappel.News{{Topic: topic(0), Gone: true}}}},
			{"a FriendReply that nobody waits for", stranger, &rappel.FriendReply{OK: true}},
			{"a Profile that nobody waits for", stranger, &rappel.Profile{}},
		} {
			got := answer(c.from, c.m)
			after, _ := w.Node(n).Tree(topic(0))
			if len(got) > 0 || after.Ancestors[0] != v.Ancestors[0] || len(after.Children) != len(v.Children) ||
				after.Last != v.Last || after.Missing > 0 {
				t.Errorf("%s is answered by %v and leaves %+v", c.name, got, after)
			}
		}
		if got := answer(stranger, &rappel.JoinOK{Topic: topic(0)}); len(got) != 1 ||
			got[0].Kind() != (&rappel.Leave{}).Kind() {
			t.Errorf("a JoinOK that nobody waits for is answered by %v", got)
		}
		if got := answer(stranger, &rappel.Update{Topic: topic(0), Stamp: window.Stamp{Epoch: v.Epoch, Number: 1},
			Event: &routertest.Note{Number: 1 << 50}}); len(got) != 1 {
			t.Errorf("an Update of a stranger is answered by %v", got)
		}
		// A new child comes, and names its heir; until that one has come it is sent nothing.
		child := v.Children[0]
		answer(child, &rappel.Replace{Topic: topic(0), Child: stranger})
		before := w.noise.Err()
		w.publish(0, topic(0))
		w.Run(time.Minute)
		if before != nil || w.noise.Err() != nil {
			t.Errorf("an heir that has not come is sent updates: %v", w.noise.Err())
		}
		// A node that is among its own ancestors is in a circle, and goes to the root.
		v, _ = w.Node(n).Tree(topic(0))
		up, _ := w.NodeAt(v.Ancestors[0].Peer)
		place := rappel.Place{Version: 1, Self: w.points[up].at, Root: w.points[0].at,
			Chain: []engine.Peer{child, w.Peer(n), w.Peer(0)}}
		got := answer(v.Ancestors[0].Peer, &rappel.Placed{Topic: topic(0), Place: place})
		if w.traced["Circle"] != 1 || len(got) != 2 || got[0].Kind() != (&rappel.Leave{}).Kind() ||
			got[1].Kind() != (&rappel.Join{}).Kind() {
			t.Errorf("a circle is answered by %v", got)
		}
	})
}
