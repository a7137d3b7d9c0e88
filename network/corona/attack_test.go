package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/budget"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// attackWorld is a hostsWorld in which a tenth of the nodes lie, to direct as many of the others' requests as possible
// to one victim. The attackers know each other, and all messages.
type attackWorld struct {
	*hostsWorld
	attackers []sim.Node
	host      string
	honest    corona.Channel // of the victim, with real readers
	other     corona.Channel // of another host, with the same readers
	tricks    tricks
}

// tricks is what the attackers do.
type tricks struct {
	assignments bool // they order whole rings to poll
	readers     bool // they subscribe to channels that they make up, for as many readers as count
	invent      bool // as primaries they say that all nodes subscribe, for many readers
	ground      bool // they have made keys beside the host's and the channel's
	reports     bool // they report that all has changed, to contents that cannot be fetched
}

// attackCeiling is of turns in an interval.
const attackCeiling = 100

func newAttackWorld(t *simtest.T, nodes, ceiling int, tricks tricks) *attackWorld {
	v := &attackWorld{host: "victim.example", tricks: tricks}
	for i := range nodes / 10 {
		v.attackers = append(v.attackers, sim.Node(10*i+3))
	}
	return v.begin(t, nodes, ceiling)
}

func (v *attackWorld) begin(t *simtest.T, nodes, ceiling int, change ...func(*coronatest.Settings)) *attackWorld {
	v.hostsWorld = newHostsWorld(t, nodes, append(change, func(s *coronatest.Settings) {
		s.Corona.HostCeiling = ceiling
		s.Env = func(n sim.Node, env engine.Env) engine.Env {
			if !slices.Contains(v.attackers, n) {
				return env
			}
			return &attacker{env, v, n}
		}
	})...)
	return v
}

// attacker is the Env of a node that lies in what it sends.
type attacker struct {
	engine.Env
	attackWorld *attackWorld
	node        sim.Node
}

func (l *attacker) Send(to engine.Peer, m engine.Message) {
	if proof, ok := m.(*budget.Proof); ok && l.attackWorld.tricks.invent {
		m = l.invent(proof)
	}
	l.Env.Send(to, m)
}

// invent adds subscriptions of all other nodes to a proof, with its own signature and with real ones of other channels.
func (l *attacker) invent(m *budget.Proof) *budget.Proof {
	proof := *m
	proof.Subscriptions = slices.Clone(m.Subscriptions)
	for n := range sim.Node(l.attackWorld.Len()) {
		if len(proof.Subscriptions) == 64 || n == l.node || // it may subscribe itself: no lie
			slices.ContainsFunc(m.Subscriptions, func(s corona.Subscription) bool {
				return s.Node.ID == l.attackWorld.Peer(n).ID
			}) {
			continue
		}
		s := corona.Subscription{Node: l.attackWorld.Peer(n), Count: 64,
			Stamp: uint64(sim.Default(nil).Epoch.Add(l.attackWorld.Now()).UnixMilli())}
		by := m.Channel
		if n%2 == 1 {
			by = l.attackWorld.other.ID
		}
		signer := n
		if n%2 == 0 {
			signer = l.node
		}
		s.Signature = l.attackWorld.Keys(signer).Sign(s.Words(by))
		proof.Subscriptions = append(proof.Subscriptions, s)
	}
	return &proof
}

// settle subscribes real readers to one channel of the victim and one of another host, and attackers to invented ones.
func (v *attackWorld) settle(readers, invented int) {
	v.honest = v.Origin.Add("https://" + v.host + "/feed")
	v.other = v.Origin.Add("https://bystander.example/feed")
	for i := range readers {
		n := sim.Node(10 * i % v.Len())
		v.Subscribe(n, v.honest, 1)
		v.Subscribe(n, v.other, 1)
	}
	if v.tricks.readers {
		for i := range invented {
			c := v.Origin.Add(fmt.Sprintf("https://x%d.%s:%d/?x=%d", i%7, v.host, 8000+i%3, i))
			for j := range 3 {
				v.Subscribe(v.attackers[(i+j)%len(v.attackers)], c, 64)
			}
		}
	}
}

// attack attacks every twenty minutes, for a while.
func (v *attackWorld) attack(lasts time.Duration) {
	for end := v.Now() + lasts; v.Now() < end; v.Run(20 * time.Minute) {
		for i, n := range v.attackers {
			if v.tricks.assignments {
				v.assignAll(n, i)
			}
			if v.tricks.reports {
				v.reportAll(n)
			}
		}
	}
}

// assignAll has an attacker order all nodes to poll channels of the victim.
func (v *attackWorld) assignAll(n sim.Node, round int) {
	m := &plan.Maintenance{}
	for k := range 8 {
		c := v.honest
		if k < 7 {
			c = v.Origin.Add(fmt.Sprintf("https://%s/?order=%d", v.host, 8*round+k))
		}
		m.Assignments = append(m.Assignments, plan.Assignment{Channel: c.ID, URL: c.URL, Width: 1000})
	}
	for to := range sim.Node(v.Len()) {
		if to != n {
			v.Do(to, func(engine.Protocol) { v.Node(to).Corona.Receive(v.Peer(n), m) })
		}
	}
}

// reportAll reports changes of all channels of the victim that nobody else sees, requests polls, and announces versions
// that do not exist.
func (v *attackWorld) reportAll(n sim.Node) {
	for _, c := range v.Origin.Channels() {
		if coronatest.Host(c.URL) == "bystander.example" {
			continue
		}
		content := fmt.Sprintf("invented at %v by %d", v.Now(), n)
		h := coronatest.HashOf(content)
		v.Do(n, func(engine.Protocol) {
			v.Node(n).Pastry.Route(c.ID, &corona.Detected{Update: corona.Update{Channel: c.ID, Hash: h, Size: 3,
				Payload: []byte(content), FoundBy: v.Peer(n).ID}})
			v.Node(n).Pastry.Route(c.ID, &corona.Limit{Channel: c.ID, Wait: 40_000})
		})
		version := 1<<40 | uint64(h[0])<<16 | uint64(h[1])<<8 | uint64(h[2])
		for to := range sim.Node(v.Len()) {
			if v.Node(to).Corona.Subscribed(c.ID) && (int(to)+int(v.Now()/time.Minute))%7 == 0 {
				v.Do(to, func(engine.Protocol) {
					v.Node(to).Corona.Receive(v.Peer(n), &corona.Verify{Channel: c.ID})
					v.Node(to).Corona.Receive(v.Peer(n),
						&corona.Update{Channel: c.ID, Version: version, Hash: h,
							Base: coronatest.HashOf("what nobody has"), Size: 3})
				})
			}
		}
	}
}

// load returns the most requests that honest nodes sent to the victim in any interval.
func (v *attackWorld) load(from, to time.Duration) (most int) {
	all := v.those("", from, to)
	first := 0
	for i := range all {
		for all[i].At-all[first].At >= v.config.Interval {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// those returns the requests of honest nodes for the victim, or for one channel of it.
func (v *attackWorld) those(url string, from, to time.Duration) (list []coronatest.Request) {
	for _, c := range v.Origin.Channels() {
		if corona.HostOf(c.URL) == v.host && (url == "" || c.URL == url) {
			list = append(list, v.Origin.Requests(c.ID, from, to)...)
		}
	}
	list = slices.DeleteFunc(list, func(r coronatest.Request) bool { return slices.Contains(v.attackers, r.Node) })
	slices.SortFunc(list, func(a, b coronatest.Request) int { return int(a.At - b.At) })
	return list
}

// A tenth of the nodes lie, and aim at one victim, with many times as many subscriptions to made-up channels as a node
// counts for at a host. With each trick alone and all at once, the victim gets no more requests than the attackers'
// nodes may have readers there, besides two of each node. The channel with real readers is served (hostile 44).
func TestNobodyCanAimTheNetwork(t *testing.T) {
	for _, c := range []struct {
		name   string
		tricks tricks
	}{
		{"assignments", tricks{assignments: true}},
		{"readers", tricks{readers: true}},
		{"reports", tricks{reports: true, readers: true}},
		{"all", tricks{assignments: true, readers: true, invent: true, reports: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "all" {
				t.Skip("all tricks at once are enough with -short")
			}
			simtest.Run(t, 2, func(t *simtest.T) {
				const readers = 8
				v := newAttackWorld(t, some(60), corona.Default().HostCeiling, c.tricks)
				v.settle(readers, some(60))
				v.attack(2 * time.Hour)
				from := v.Now()
				v.attack(4 * v.config.Interval)
				load, most := v.load(0, v.Now()), 2*readers
				if c.tricks.readers {
					// Proofs have an eighth of room. A node sees a host's channels only if it polls three.
					most = (most+len(v.attackers)*v.config.MaxHostReaders)*9/8 + 2*v.Len()
				}
				served := len(v.those(v.honest.URL, from, v.Now()))
				t.Logf("%d requests in the busiest interval, where %d are paid for; %d for the honest channel in 4 "+
					"intervals; %v", load, most, served, v.events)
				if load > most {
					t.Errorf("%d requests in an interval, not %d", load, most)
				}
				if served < 4 {
					t.Errorf("the honest channel was polled %d times in 4 intervals", served)
				}
			})
		})
	}
}

// Whatever attackers subscribe to and order, each node takes so few turns of a host that the ceiling holds.
func TestTheCeilingHoldsForTurns(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newAttackWorld(t, some(60), attackCeiling, tricks{assignments: true, readers: true, invent: true})
		v.settle(8, some(60))
		v.attack(2 * time.Hour)
		load := v.load(0, v.Now())
		t.Logf("%d requests in the busiest interval; %v", load, v.events)
		if load > attackCeiling {
			t.Errorf("%d requests in an interval, where %d turns are allowed", load, attackCeiling)
		}
	})
}

// Sybils with IDs close to a channel own all of it. They can invent readers, and send assignments for it. Nodes poll it
// only for the readers that have signed (hostile 38).
func TestSybilsAroundAChannel(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := &attackWorld{host: "victim.example", tricks: tricks{assignments: true, invent: true}}
		channel := engine.IDOf([]byte("https://victim.example/feed"))
		var ids []engine.ID
		for i := range 4 {
			id := channel
			id[19] += byte(1 + i)
			ids, v.attackers = append(ids, id), append(v.attackers, sim.Node(i))
		}
		const readers = 6
		v.begin(t, 40, 10_000, func(s *coronatest.Settings) { s.IDs = ids })
		v.honest = v.Origin.Add("https://victim.example/feed")
		v.other = v.Origin.Add("https://bystander.example/feed")
		for i := range readers {
			v.Subscribe(sim.Node(10+i), v.honest, 1)
			v.Subscribe(sim.Node(10+i), v.other, 1)
		}
		v.attack(3 * time.Hour)
		load := v.load(0, v.Now())
		t.Logf("%d requests in the busiest interval for %d readers; %v", load, readers, v.events)
		if load > 2*readers {
			t.Errorf("%d requests in an interval for %d readers", load, readers)
		}
	})
}

// Keys are made beside a host's and beside its channel's, which makes one the primary. It shows all subscriptions that
// exist. Only as many nodes poll the channel as its readers have signed for, and none polls a channel without readers
// (hostile 69).
func TestKeysMadeBesideAHost(t *testing.T) {
	for _, owners := range []int{6, 9, 20} {
		t.Run(fmt.Sprint(owners), func(t *testing.T) {
			if testing.Short() && owners != 9 {
				t.Skip("one number is enough with -short")
			}
			simtest.Run(t, 2, func(t *simtest.T) {
				const readers, url = 6, "https://victim.example/feed"
				v := &attackWorld{host: "victim.example",
					tricks: tricks{assignments: true, invent: true, ground: true}}
				var ids []engine.ID
				beside := func(id engine.ID, by int) {
					id[19] += byte(by)
					ids, v.attackers = append(ids, id), append(v.attackers, sim.Node(len(ids)))
				}
				for i := range owners {
					beside(budget.HostKey(url), 1+i)
				}
				beside(engine.IDOf([]byte(url)), 1)
				v.begin(t, 60, 10_000, func(s *coronatest.Settings) { s.IDs = ids })
				v.honest = v.Origin.Add(url)
				v.other = v.Origin.Add("https://bystander.example/feed")
				for i := range readers {
					v.Subscribe(sim.Node(30+i), v.honest, 1)
					v.Subscribe(sim.Node(30+i), v.other, 1)
				}
				v.Run(time.Hour)
				from := v.Now()
				v.attack(4 * v.config.Interval)
				all, pollers := v.those("", from, v.Now()), make(map[sim.Node]bool)
				for _, r := range all {
					pollers[r.Node] = true
				}
				invented := len(all) - len(v.those(url, from, v.Now()))
				t.Logf("%d requests by %d nodes in 4 intervals for %d readers, %d in the busiest; %v", len(all),
					len(pollers), readers, v.load(from, v.Now()), v.events)
				// Slots move with each order, three times in two intervals, and each poller then polls again.
				if most := 2 * 4 * readers; len(all) > most || len(pollers) > readers+2 {
					t.Errorf("%d requests by %d nodes in 4 intervals for %d readers", len(all), len(pollers), readers)
				}
				if invented > 0 {
					t.Errorf("%d requests for channels that nobody reads", invented)
				}
			})
		})
	}
}

// Where the load of hosts is not bounded, the same attackers drown the victim.
func TestTheAttackIsReal(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newAttackWorld(t, 40, 0, tricks{assignments: true})
		v.settle(8, 0)
		v.attack(2 * time.Hour)
		if load := v.load(0, v.Now()); load < 4*attackCeiling {
			t.Errorf("%d requests in an interval", load)
		}
	})
}

// some returns how many nodes are enough where n are better: with -short.
func some(n int) int {
	if testing.Short() {
		return n * 2 / 3
	}
	return n
}
