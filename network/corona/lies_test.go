package corona_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// claim has a node report a change that is not there.
func (v *testWorld) claim(n sim.Node, content string) {
	v.Do(n, func(engine.Protocol) {
		version, base := v.Node(n).Library.Held(v.news.ID)
		v.Node(n).Corona.Polled(v.news.ID, corona.PollResult{
			Hash: coronatest.HashOf(content),
			Update: &corona.Update{
				Version: version, Base: base, Hash: coronatest.HashOf(content), Payload: []byte(content),
				FoundBy: v.Peer(n).ID, Size: uint32(len(content)),
			},
		})
	})
}

// bystander returns a node that polls the channel and does not own it: other tests are about owners.
func (v *testWorld) bystander() sim.Node {
	owners := v.Owners(v.news.ID, 3)
	for _, n := range v.Pollers(v.news.ID) {
		if !slices.Contains(owners, n) {
			return n
		}
	}
	v.t.Fatal("only owners poll the channel")
	return 0
}

// A poller reports changes that nobody else sees. None of them reaches any node, and the poller is known for false
// reports. After some lies they cause no more requests to the origin (hostile 43).
func TestFalseReports(t *testing.T) {
	simtest.Run(t, 12, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm, func(s *coronatest.Settings) {
			s.Corona.HostCeiling = 0 // with one, a primary that polls alone looks for nobody's sake
		})
		attacker := v.bystander()
		caught := v.lies(func(node engine.ID) bool { return node == v.Peer(attacker).ID })
		asked := func(lie int) int {
			before := v.Now()
			v.claim(attacker, fmt.Sprint("invented ", lie))
			v.Run(5 * time.Second)
			count := 0
			for _, r := range v.Origin.Requests(v.news.ID, before, v.Now()) {
				if r.At-before < 3*time.Second {
					count++
				}
			}
			return count
		}
		for lie := range 3 {
			if asked(lie) == 0 {
				t.Error("nobody has polled")
			}
			if *caught != lie+1 {
				t.Errorf("%d lies were noticed after %d", *caught, lie+1)
			}
			v.Run(v.interval())
		}
		extra := 0
		for lie := range 10 {
			extra += asked(3 + lie)
		}
		if extra > 2 { // there are ordinary polls
			t.Errorf("the origin got %d requests because of a node known for false reports", extra)
		}
		v.versions(1)
		v.ends()
	})
}

// What nobody can check, because the origin does not answer, makes no version, and accuses nobody.
func TestUncheckedReportIsNotFalse(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm, func(s *coronatest.Settings) { s.Corona.HostCeiling = 0 })
		finder := v.bystander()
		v.lies(func(engine.ID) bool { return false })
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{Down: true})
		v.claim(finder, "seen before the origin went down")
		v.Run(2 * v.interval())
		v.versions(1)
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{})
		v.ends()
	})
}

// A new primary checks reports once it knows what the other owners do. By then a change may be gone: it accuses nobody
// of a false report, and the later change reaches all.
func TestDelayedReportIsNotFalse(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 20, 16, defaultUpkeep, func(s *coronatest.Settings) { s.Corona.HostCeiling = 0 })
		finder, primary := v.finders(1), v.Owners(v.news.ID, 1)[0]
		owns := false
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			switch e := event.(type) {
			case roster.Owns:
				owns = owns || n == primary && e.Primary
			case corona.FalseReport:
				if n == primary {
					t.Errorf("a report of %v counts as false", e.Node.Short())
				}
			}
		})
		v.Crash(primary)
		v.Run(2 * time.Minute)
		v.Boot(primary)
		for !owns {
			v.Run(50 * time.Millisecond)
		}
		v.Origin.Change(v.news.ID, "soon gone")
		v.verify(finder...)
		v.Run(2 * time.Second)
		v.Origin.Change(v.news.ID, "what stays")
		v.Run(2 * v.interval())
		v.all("what stays")
		v.complete.AtLeast = 0.01 // a change that was soon gone may have a version, or none
		v.ends()
	})
}

// lies counts the traced lies of the nodes for which that is true, and fails on all others.
func (v *testWorld) lies(of func(node engine.ID) bool) *int {
	caught := new(int)
	v.Observe(func(_ time.Duration, _ sim.Node, event any) {
		if e, ok := event.(corona.FalseReport); ok {
			if !of(e.Node) {
				v.t.Errorf("a report of %v counts as false", e.Node.Short())
			}
			*caught++
		}
	})
	return caught
}

// slanderer is the Env of a node that reports in another's name.
type slanderer struct {
	engine.Env
	victim func() engine.Peer
}

func (s slanderer) Send(to engine.Peer, m engine.Message) {
	switch r := m.(type) {
	case *corona.Detected:
		m = s.renamed(r)
	case *pastry.Routed:
		if d, ok := r.Payload.(*corona.Detected); ok {
			changed := *r
			changed.Origin, changed.Payload = s.victim(), s.renamed(d)
			m = &changed
		}
	}
	s.Env.Send(to, m)
}

func (s slanderer) renamed(d *corona.Detected) *corona.Detected {
	if d.Update.FoundBy != s.Self().ID {
		return d
	}
	found, victim := *d, s.victim()
	found.Update.FoundBy, found.Update.Seal.Finder = victim.ID, victim.Address
	return &found
}

// A report in another's name does not count against that node, and causes no request to the origin (hostile 43).
func TestReportInAnothersName(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		var victim *engine.Peer
		v := newWorld(t, 24, 20, calm, func(s *coronatest.Settings) {
			s.Env = func(n sim.Node, env engine.Env) engine.Env {
				return slanderer{env, func() engine.Peer {
					if victim == nil {
						return env.Self()
					}
					return *victim
				}}
			}
		})
		attacker := v.bystander()
		for _, n := range v.finders(2) {
			if another := v.Peer(n); n != attacker {
				victim = &another
			}
		}
		v.lies(func(node engine.ID) bool { return node == v.Peer(attacker).ID }) // that may be caught
		before := v.Now()
		v.claim(attacker, "invented")
		v.Run(8 * time.Second)
		if asked := len(v.Origin.Requests(v.news.ID, before, v.Now())); asked > 1 {
			t.Errorf("the origin was asked %d times", asked)
		}
		v.Run(time.Minute)
		v.versions(1)
		v.ends()
	})
}

// A change that the primary's own address is not shown is believed if others see it.
func TestPrimaryIsShownOldContent(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm)
		primary := v.Owners(v.news.ID, 1)[0]
		old := v.Origin.Content(v.news.ID)
		v.lies(func(engine.ID) bool { return false })
		v.Origin.Behave(v.news.ID, coronatest.Behaviour{See: func(n sim.Node, content string) string {
			if n == primary {
				return old
			}
			return content
		}})
		v.Origin.Change(v.news.ID, "something new")
		v.verify(v.finders(1)...)
		v.Run(time.Minute)
		v.versions(2)
		v.all("something new")
		v.ends()
	})
}

// Numbers that no node can have assigned, contents with another's number, and states that do not come from an owner
// change nothing (hostile 42).
func TestImpossibleNumbers(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm)
		owners := v.Owners(v.news.ID, 24)
		primary, second, stranger := owners[0], owners[1], owners[23]
		latest := v.Node(primary).Library.Latest(v.news.ID)
		was := coronatest.HashOf(latest.Content)
		false1 := coronatest.HashOf("false")
		state := func(version uint64, h corona.Hash) corona.State {
			return corona.State{Version: version, Stamp: 1 << 40, Hash: h, Set: machine.Alone}
		}
		counter := latest.Number >> 24 << 24
		tag := func(h corona.Hash) uint64 { return uint64(h[0])<<16 | uint64(h[1])<<8 | uint64(h[2]) }
		for _, c := range []struct {
			what     string
			from, to sim.Node
			m        engine.Message
		}{
			{"2^63", second, primary, &corona.Commit{Channel: v.news.ID, State: state(1<<63|tag(false1), false1)}},
			{"2^63 for the second owner", primary, second,
				&corona.Commit{Channel: v.news.ID, State: state(1<<63|tag(false1), false1)}},
			{"a number of another content", second, primary,
				&corona.Commit{Channel: v.news.ID, State: state(counter+1<<24|tag(was), false1)}},
			{"another content for the number", primary, second,
				&corona.Commit{Channel: v.news.ID, State: state(latest.Number, equivocal(was))}},
			{"a stranger's", stranger, primary, &corona.Commit{Channel: v.news.ID,
				State: state(counter+1<<24|tag(false1), false1)}},
			{"an update of 2^63", second, 3, update(v, 1<<63|tag(false1), was, "false")},
			{"an update with a wrong tag", second, 3, update(v, counter+1<<24|(tag(false1)^1), was, "false")},
		} {
			refused := v.refusals()
			v.Do(c.to, func(engine.Protocol) { v.Node(c.to).Receive(v.Peer(c.from), c.m) })
			v.Run(10 * time.Second)
			if v.refusals() == refused {
				t.Errorf("%s was not refused: %v", c.what, v.events)
			}
		}
		v.Origin.Change(v.news.ID, "something new")
		v.Run(v.interval())
		v.all("something new")
		if last := v.numbered[len(v.numbered)-1]; last.Version>>24 != latest.Number>>24+1 {
			t.Errorf("after version %x comes %x", latest.Number, last.Version)
		}
		v.ends()
	})
}

// equivocal returns another hash with the same tag.
func equivocal(h corona.Hash) corona.Hash {
	h[31]++
	return h
}

func update(v *testWorld, version uint64, base corona.Hash, content string) *corona.Update {
	return &corona.Update{
		Channel: v.news.ID, Version: version, Base: base, Hash: coronatest.HashOf(content), Payload: []byte(content),
		Size: uint32(len(content)),
	}
}

// refusals returns how often something was refused.
func (v *testWorld) refusals() (count int) {
	for _, why := range []corona.Why{corona.Impossible, corona.Equivocal, corona.Stranger, corona.Unfit} {
		count += v.events["Refused: "+string(why)]
	}
	return count
}

// A node claims that an origin asks for a day without polls, or for one poll a day. That keeps no node from polling for
// longer than an interval.
func TestFalseLimits(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm)
		attacker := v.bystander()
		v.Do(attacker, func(engine.Protocol) {
			v.Node(attacker).Pastry.Route(v.news.ID, &corona.Limit{Channel: v.news.ID, Wait: 86400, Interval: 86400})
		})
		v.Run(v.interval())
		before, were := v.Now(), len(v.Pollers(v.news.ID))
		v.Origin.Change(v.news.ID, "something new")
		v.Run(v.interval() + time.Minute)
		// The level may change meanwhile.
		if polls, pollers := len(v.Origin.Requests(v.news.ID, before, v.Now())),
			min(were, len(v.Pollers(v.news.ID))); polls < pollers || pollers < 4 {
			t.Errorf("%d polls by %d pollers in an interval", polls, pollers)
		}
		v.all("something new")
		v.ends()
	})
}

// Subscribers request a document that is too long for a message from the origin.
func TestLongDocument(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 16, 12, calm)
		long := strings.Repeat("long ", corona.MaxPayload/4)
		v.Origin.Change(v.news.ID, long)
		v.Run(v.interval() + 3*time.Minute)
		v.versions(2)
		v.all(long)
		v.Origin.Change(v.news.ID, "short")
		v.Run(v.interval())
		v.all("short")
		v.ends()
	})
}
