package corona_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// next returns a version of an update that would be the next one of the news.
func (v *testWorld) next(content string) corona.Update {
	latest := v.Node(v.Owners(v.news.ID, 1)[0]).Library.Latest(v.news.ID)
	h := coronatest.HashOf(content)
	return *update(v, v.numberAfter(latest.Number, h), coronatest.HashOf(latest.Content), content)
}

// numberAfter returns a number with a counter one higher.
func (v *testWorld) numberAfter(last uint64, h corona.Hash) uint64 {
	return (last>>24+1)<<24 | uint64(h[0])<<16 | uint64(h[1])<<8 | uint64(h[2])
}

// Badly signed updates are not accepted, passed on, acknowledged or delivered, however they come. A node that sends
// several is ignored (hostile 42).
func TestForgedUpdates(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 48, 44, calm)
		near := v.Owners(v.news.ID, v.Len())
		primary, far := near[0], near[len(near)-1]
		victim := v.finders(1)[0]
		good := v.next("false")
		seal := func(u corona.Update, n sim.Node) corona.Update { return *corona.SealAs(&u, v.Keys(n), v.Peer(n)) }
		bySelf := seal(good, near[20])
		for _, c := range []struct {
			what  string
			forge func() corona.Update
			why   corona.Why
		}{
			{"no signature", func() corona.Update { return good }, corona.Forged},
			{"a giver without a signature", func() corona.Update {
				u := good
				u.Seal.Giver = v.Peer(primary)
				return u
			}, corona.Forged},
			{"another's signature", func() corona.Update { u := bySelf; u.Seal.Giver = v.Peer(primary); return u },
				corona.Forged},
			{"a signature for another number", func() corona.Update {
				u := seal(good, primary)
				u.Version += 1 << 24
				return u
			}, corona.Forged},
			{"a signature for another content", func() corona.Update {
				u := seal(v.next("more"), primary)
				u.Hash, u.Payload, u.Version = good.Hash, good.Payload, good.Version
				return u
			}, corona.Forged},
			{"a signature for another channel", func() corona.Update {
				u := good
				u.Channel = engine.PrefixID("77")
				u = seal(u, primary)
				u.Channel = v.news.ID
				return u
			}, corona.Forged},
			{"another finder than the signer", func() corona.Update {
				u := seal(good,
					primary)
				u.FoundBy = v.Peer(far).ID
				return u
			}, corona.Forged},
			{"a time that the finder did not say", func() corona.Update {
				u := seal(good,
					primary)
				u.FoundAt++
				return u
			}, corona.Forged},
			{"a finder without a signature, by a giver with one", func() corona.Update {
				return *corona.NameFinder(&good, v.Peer(far), make([]byte, engine.SignatureLength), v.Keys(primary),
					v.Peer(primary))
			}, corona.Forged},
			{"a finder without a signature", func() corona.Update {
				return *corona.NameFinder(&good, v.Peer(far), nil, v.Keys(primary), v.Peer(primary))
			}, corona.Forged},
			{"a node that is far from the channel", func() corona.Update { return seal(good, far) }, corona.Stranger},
			{"2^63", func() corona.Update { u := good; u.Version |= 1 << 63; return seal(u, primary) },
				corona.Impossible},
			{"a number of the year 2100", func() corona.Update {
				u := good
				u.Version |= 4102444800 << 24
				return seal(u, primary)
			}, corona.Impossible},
		} {
			for _, how := range []string{"Update", "Shared"} {
				u := c.forge()
				var m engine.Message = &u
				if how == "Shared" {
					m = &corona.Shared{Update: u}
				}
				from := v.Peer(near[30+int(v.Rand().Int64N(10))]) // each is caught once or twice
				refused, sent := v.events["Refused: "+string(c.why)]+v.events["Refused: "+string(corona.FalseReporter)],
					0
				tap := true
				v.Tap(func(p sim.Delivery) {
					if tap && p.From == victim && p.Fate == sim.Sent &&
						(p.Message.Kind() == (*corona.Got)(nil).Kind() ||
							p.Message.Kind() == (*corona.Shared)(nil).Kind()) {
						sent++
					}
				})
				v.Do(victim, func(engine.Protocol) { v.Node(victim).Receive(from, m) })
				v.Run(time.Second)
				tap = false
				if v.events["Refused: "+string(c.why)]+v.events["Refused: "+string(corona.FalseReporter)] == refused {
					t.Errorf("%s (%s) is not refused: %v", c.what, how, v.events)
				}
				if sent > 0 {
					t.Errorf("%s (%s): the victim sends %d messages", c.what, how, sent)
				}
			}
		}
		known := v.events["Refused: "+string(corona.FalseReporter)]
		for range 5 {
			v.Do(victim, func(engine.Protocol) { v.Node(victim).Receive(v.Peer(near[45]), &good) })
		}
		if got := v.events["Refused: "+string(corona.FalseReporter)] - known; got != 2 {
			t.Errorf("%d of five forged updates of one peer were not polled", got)
		}
		v.Run(time.Minute)
		v.versions(1)
		v.all(v.Origin.Content(v.news.ID))
		v.Origin.Change(v.news.ID, "something new")
		v.verify(v.finders(1)...)
		v.Run(time.Minute)
		v.all("something new")
		v.ends()
	})
}

// Anybody can send a delivered update again, as often as it likes: it has no effect (hostile 42).
func TestReplayedUpdates(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm, direct, trusting)
		var old []*corona.Update
		v.Tap(func(p sim.Delivery) {
			if u, ok := p.Message.(*corona.Update); ok && p.Fate == sim.Received && len(old) < 200 {
				copied := *u
				old = append(old, &copied)
			}
		})
		for i := range 3 {
			v.Origin.Change(v.news.ID, fmt.Sprint("change ", i))
			v.verify(v.finders(1)...)
			v.Run(time.Minute)
		}
		if len(old) < 40 {
			t.Fatalf("%d updates were recorded", len(old))
		}
		delivered, checks := v.events["Delivered"], v.events["Refused: "+string(corona.Forged)]
		for n := range sim.Node(20) {
			for _, u := range old {
				v.Do(n, func(engine.Protocol) {
					v.Node(n).Receive(v.Peer(23), u)
					v.Node(n).Receive(v.Peer(23), &corona.Shared{Update: *u})
				})
			}
		}
		v.Run(time.Minute)
		if got := v.events["Delivered"]; got != delivered || v.events["Refused: "+string(corona.Forged)] != checks {
			t.Errorf("%d deliveries of replayed updates, %v", got-delivered, v.events)
		}
		v.versions(4)
		v.all("change 2")
		v.nothingTwice()
		v.ends()
	})
}

// A finder's signed report is sent again by another node, as if the finder had found it again. It does not count
// against the finder (hostile 43).
func TestReplayedReports(t *testing.T) {
	simtest.Run(t, 6, func(t *simtest.T) {
		bad := make(adversaries)
		v := newWorld(t, 24, 20, bad.among, calm)
		finder, adversary := v.finders(2)[0], v.finders(2)[1]
		var found *corona.Detected
		bad[finder] = func(_ engine.Peer, m engine.Message) engine.Message {
			if r, ok := m.(*pastry.Routed); ok {
				if d, ok := r.Payload.(*corona.Detected); ok {
					found = d
				}
			}
			return m
		}
		lied := v.lies(func(node engine.ID) bool { return node == v.Peer(finder).ID })
		v.claim(finder, "shown to one alone")
		v.Run(time.Minute)
		if found == nil || *lied != 1 {
			t.Fatalf("found %v, and lied %d times", found, *lied)
		}
		before := v.Now()
		for range 12 {
			v.Do(adversary, func(engine.Protocol) { v.Node(adversary).Pastry.Route(v.news.ID, found) })
			v.Run(2 * time.Minute)
		}
		if *lied != 1 {
			t.Errorf("the finder has lied %d times", *lied)
		}
		if asked, polls := len(v.Origin.Requests(v.news.ID, before, v.Now())),
			len(v.Pollers(v.news.ID)); asked > polls+1 {
			t.Errorf("the origin was asked %d times in most of an interval, by %d pollers", asked, polls)
		}
		v.versions(1)
		v.ends()
	})
}

// A node that could be an owner sends some nodes a number that is a day ahead, for a content of its own. They have the
// origin's content soon after its next change, as the owners number the next version above. Without a change they have
// it when they renew their subscriptions (hostile 42).
func TestNumberAheadOfTheOthers(t *testing.T) {
	simtest.Run(t, 8, func(t *simtest.T) {
		v := newWorld(t, 30, 26, lies, trusting)
		adversary := v.Owners(v.news.ID, 8)[6]
		u := v.next("false")
		u.Version |= uint64(v.Wall(adversary).Add(10*time.Hour).Unix()) << 24
		sealed := corona.SealAs(&u, v.Keys(adversary), v.Peer(adversary))
		fooled := []sim.Node{v.finders(3)[2], v.finders(2)[1], 3, 4, 5}
		for _, n := range fooled {
			v.Do(n, func(engine.Protocol) { v.Node(n).Receive(v.Peer(adversary), sealed) })
		}
		v.Run(time.Second)
		if v.show("false") < 3 {
			t.Fatalf("%d nodes show it", v.show("false"))
		}
		if t.Seed()%2 == 1 {
			was := v.Origin.Content(v.news.ID)
			v.Run(3 * time.Hour)
			v.all(was)
		}
		v.Origin.Change(v.news.ID, "something new")
		v.verify(v.Owners(v.news.ID, 1)...)
		v.Run(30 * time.Second)
		v.all("something new")
		v.oneAssignment()
		v.Origin.Change(v.news.ID, "something else")
		v.Run(v.interval() + time.Minute)
		v.all("something else")
		v.away()
		v.ends()
	})
}

// A subscriber treats a number from a node that need not be believed as a rumour. It does not assign its content that
// number, and polls the origin a few times at most.
func TestRumours(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 30, 26, calm)
		attacker := v.Owners(v.news.ID, v.Len())[29]
		h := coronatest.HashOf(v.Origin.Content(v.news.ID))
		held, _ := v.Node(3).Library.Held(v.news.ID)
		for i := range uint64(20) {
			m := &roster.Subscribed{Entries: []roster.Acknowledged{{Channel: v.news.ID, Stamp: 1, Count: 1,
				Version: v.numberAfter(held+i<<24, h)}}}
			o := &plan.Maintenance{Assignments: []plan.Assignment{{Channel: v.news.ID, URL: v.news.URL,
				Version: m.Entries[0].Version}}}
			v.Do(3, func(engine.Protocol) { v.Node(3).Receive(v.Peer(attacker), o) })
			v.Run(30 * time.Second)
		}
		v.Run(5 * time.Minute)
		if now, _ := v.Node(3).Library.Held(v.news.ID); now != held {
			t.Errorf("the node has version %x after %x", now, held)
		}
		v.Origin.Change(v.news.ID, "something new")
		v.Run(v.interval() + time.Minute)
		v.all("something new")
		v.ends()
	})
}

// Clocks are off by an hour, the primary's or a finder's or a subscriber's, and the origin's date lies ahead: versions
// come all the same. A node with a clock off by days sees dated channels by its own polls (hostile 34).
func TestWrongClocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset time.Duration
	}{{"an hour fast", time.Hour}, {"an hour slow", -time.Hour}, {"not set", -30 * 365 * 24 * time.Hour},
		{"a week slow", -7 * 24 * time.Hour}} {
		t.Run(c.name, func(t *testing.T) {
			simtest.Run(t, 3, func(t *simtest.T) {
				v := newWorld(t, 24, 20, calm, func(s *coronatest.Settings) { s.OwnPolls = true })
				v.Origin.Behave(v.news.ID, coronatest.Behaviour{Dated: true})
				wrong := []sim.Node{v.Owners(v.news.ID, 1)[0], v.finders(1)[0], 7}
				if c.offset < -time.Hour*24 && c.offset > -365*24*time.Hour {
					wrong = wrong[2:]
				}
				for _, n := range wrong {
					v.SetWall(n, c.offset)
				}
				for i := range 3 {
					v.Origin.Change(v.news.ID, fmt.Sprint("change ", i))
					v.verify(wrong[0])
					v.Run(2*v.interval() + time.Minute)
				}
				if got := v.show("change 2"); got != 20 {
					t.Errorf("%d of 20 nodes show the latest content: %v", got, v.events)
				}
				if len(wrong) > 1 {
					v.versions(4)
					v.ends()
				}
			})
		})
	}
}

// Stamps of the far future lock nobody out: neither a subscription nor what owners say of a channel
// (hostile 42).
func TestStampsAhead(t *testing.T) {
	simtest.Run(t, 4, func(t *simtest.T) {
		v := newWorld(t, 24, 20, calm)
		owners := v.Owners(v.news.ID, 3)
		victim := v.Peer(3)
		refused := false
		v.Observe(func(_ time.Duration, n sim.Node, event any) {
			if e, ok := event.(corona.Acknowledgement); ok && n == 3 {
				refused = e.Refused
			}
		})
		for _, owner := range owners {
			v.Do(owner, func(engine.Protocol) {
				for _, stamp := range []uint64{1<<63 - 1, 1<<64 - 1, 1 << 62,
					uint64(v.Wall(owner).Add(48 * time.Hour).UnixMilli())} {
					v.Node(owner).Receive(victim, &corona.Subscribe{Node: victim,
						Wanted: []roster.Wanted{{Channel: v.news.ID, URL: v.news.URL, Stamp: stamp}}})
					v.Do(3, func(engine.Protocol) {
						acknowledged := []roster.Acknowledged{{Channel: v.news.ID, Stamp: stamp, Count: 1}}
						v.Node(3).Receive(v.Peer(owner), &roster.Subscribed{Entries: acknowledged})
					})
					held, hash := v.Node(owners[0]).Library.Held(v.news.ID)
					v.Node(owner).Receive(v.Peer(owners[1]),
						&corona.Commit{Channel: v.news.ID,
							State: corona.State{Version: held, Hash: hash, Stamp: stamp, Set: machine.Size{Bits: 1}}})
				}
			})
		}
		v.Run(20 * time.Second)
		if refused {
			t.Error("the owners refuse the victim's subscription")
		}
		v.Origin.Change(v.news.ID, "something new")
		v.Run(v.interval() + time.Minute)
		v.all("something new")
		v.Unsubscribe(3, v.news.ID)
		v.Run(30 * time.Second)
		if n := v.Node(3).Corona.Unacknowledged(); n > 0 {
			t.Errorf("%d subscriptions are not acknowledged", n)
		}
		if pollers := len(v.Pollers(v.news.ID)); pollers < 4 {
			t.Errorf("%d nodes poll", pollers)
		}
		v.ends()
	})
}
