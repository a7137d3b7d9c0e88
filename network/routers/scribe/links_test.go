package scribe

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// Peers become and stop being parents and children in any order. A link exists for each peer that is a parent or child,
// and for no other. Its sums are those that a check of all groups finds.
func TestLinksAgreeWithGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := enginetest.NewEnv(enginetest.NewPeer("10"))
		s := links{env: env, ring: &place{}, index: make(map[engine.ID]*link), onMeasured: func(Group) {}}
		s.probe = newProber(env).probe
		nodes := peers("20", "30", "40")
		kins := make([]kin, 4)
		for i := range kins {
			kins[i].Group = Group{Topic: engine.IDOf([]byte{byte(i)})}
		}
		type at struct{ kin, node int }
		below, above := make(map[at]bool), make(map[int]int) // the model: children, and the parent of a group
		draw := func(t *rapid.T) at {
			return at{rapid.IntRange(0, len(kins)-1).Draw(t, "group"), rapid.IntRange(0, len(nodes)-1).Draw(t, "node")}
		}
		t.Repeat(map[string]func(*rapid.T){
			"child": func(t *rapid.T) {
				a := draw(t)
				if below[a] {
					s.disown(s.child(&kins[a.kin], nodes[a.node].ID))
					delete(below, a)
				} else {
					s.adopt(&kins[a.kin], nodes[a.node])
					below[a] = true
				}
			},
			"parent": func(t *rapid.T) {
				a := draw(t)
				if _, has := above[a.kin]; has {
					s.dropParent(&kins[a.kin])
					delete(above, a.kin)
				} else {
					s.setParent(&kins[a.kin], nodes[a.node])
					above[a.kin] = a.node
				}
			},
			"wait": func(*rapid.T) { env.Advance(time.Second) },
			"": func(t *rapid.T) {
				if s.load != len(below) {
					t.Fatalf("%d children are counted as %d", len(below), s.load)
				}
				linked := 0
				for i, p := range nodes {
					var down, up uint64
					used := false
					for j := range kins {
						k := &kins[j]
						if is := below[at{j, i}]; is != (s.child(k, p.ID) != nil) {
							t.Fatalf("node %d is a child in group %d: %v", i, j, is)
						} else if is {
							down, used = down+k.hash(), true
						}
						parent, has := above[j]
						if is := has && parent == i; is != k.isParent(p) {
							t.Fatalf("node %d is the parent in group %d: %v", i, j, is)
						} else if is {
							up, used = up+k.hash(), true
						}
					}
					l := s.find(p)
					if used != (l != nil) {
						t.Fatalf("node %d has a link: %v, not %v", i, l != nil, used)
					}
					if l == nil {
						continue
					}
					linked++
					if l.down.sum != down || l.up.sum != up || s.list[l.at] != l {
						t.Fatalf("the sums of node %d are %x and %x, not %x and %x", i, l.down.sum, l.up.sum, down, up)
					}
					if n := len(l.namesBelow()) +
						len(l.namesAbove()); (s.ofChild(p) != nil) != (len(l.namesBelow()) > 0) || n == 0 {
						t.Fatalf("node %d has %d groups", i, n)
					}
				}
				if len(s.list) != linked || len(s.index) != linked {
					t.Fatalf("%d links are listed as %d", linked, len(s.list))
				}
			},
		})
	})
}

// A sweep comes to each group that stays, however others come and go meanwhile. It comes once more if it is requested
// meanwhile.
func TestASweepComesToAllGroups(t *testing.T) {
	env := enginetest.NewEnv(enginetest.NewPeer("10"))
	s := groups{env: env, index: make(map[Group]*group)}
	var all []*group
	for i := range 3 * sweepStep {
		g := &group{kin: kin{Group: Group{Topic: engine.IDOf([]byte{byte(i), byte(i >> 8)})}}}
		s.add(g)
		all = append(all, g)
	}
	visits := make(map[*group]int)
	sweep := func() { s.sweepSoon(func(g *group) { visits[g]++ }) }
	sweep()
	env.Advance(sweepWait)
	sweep()
	for _, g := range all[:sweepStep] {
		s.remove(g)
	}
	env.Advance(3 * sweepRest)
	once := len(visits)
	for _, g := range all[sweepStep:] {
		if s.list[g.place] != g || s.index[g.Group] != g {
			t.Fatal("a group is out of place")
		}
		if visits[g] == 0 {
			t.Fatal("a group is left out")
		}
	}
	env.Advance(2 * sweepWait)
	for _, g := range all[sweepStep:] {
		if visits[g] < 2 {
			t.Fatal("a group is left out the second time")
		}
	}
	if len(visits) != once {
		t.Errorf("%d groups are visited, of %d", len(visits), once)
	}
	tidied := 0
	for range 3 {
		s.tidy(func(*group) { tidied++ })
	}
	if tidied != 3*sweepStep {
		t.Errorf("%d groups are tidied at a time, not %d", tidied/3, sweepStep)
	}
}
