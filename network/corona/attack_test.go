package corona_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/budget"
	"tidings/network/corona/coronatest"
	"tidings/network/corona/machine"
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
	seen      []budget.Grants // to anybody
	seenBy    []engine.Peer
}

// tricks is what the attackers do.
type tricks struct {
	assignments bool // they order whole rings to poll, with certificates of all kinds
	readers     bool // they subscribe to channels that they make up, for as many readers as count
	grants      bool // as owners of hosts they grant everything to everybody
	split       bool // as primaries they claim different channels of different owners, and few pollers
	invent      bool // as primaries they say that all nodes subscribe, for a million readers
	ground      bool // they have made keys beside the host's: all are its owners, and grant whatever they order
	reports     bool // they report that all has changed, to contents that cannot be fetched
}

// attackCeiling is of requests in an interval.
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
	v.Tap(func(p sim.Delivery) {
		if m, ok := p.Message.(*budget.Grants); ok && p.Fate == sim.Received {
			v.seen, v.seenBy = append(v.seen, *m), append(v.seenBy, v.Peer(p.From))
		}
	})
	return v
}

// attacker is the Env of a node that lies in what it sends.
type attacker struct {
	engine.Env
	attackWorld *attackWorld
	node        sim.Node
}

func (l *attacker) Send(to engine.Peer, m engine.Message) {
	tricks := &l.attackWorld.tricks
	switch of := m.(type) {
	case *budget.Grants:
		if tricks.grants {
			m = l.grantAll(of)
		}
	case *budget.Claims:
		if tricks.split {
			claims := *of
			claims.Claims = nil
			for _, c := range of.Claims {
				if c, ok := l.split(to, c); ok {
					claims.Claims = append(claims.Claims, c)
				}
			}
			m = &claims
		}
	case *budget.Proof:
		if tricks.invent {
			m = l.invent(of)
		}
		if tricks.split {
			c, ok := l.split(to, of.Claim)
			if !ok {
				return
			}
			proof := *of
			proof.Claim = c
			m = &proof
		}
	}
	l.Env.Send(to, m)
}

// split leaves out a third of the owners for each channel, and names few pollers.
func (l *attacker) split(to engine.Peer, c budget.Claim) (budget.Claim, bool) {
	c.Size, c.Pollers = machine.Size{}, []uint32{1}
	return c, (int(to.ID[19])+len(c.URL)+int(c.URL[len(c.URL)-1]))%3 > 0
}

// invent adds subscriptions of all other nodes to a proof, with its own signature and with real ones of other channels.
func (l *attacker) invent(m *budget.Proof) *budget.Proof {
	proof := *m
	proof.Claim.Readers, proof.Claim.Size = 1_000_000, machine.Size{}
	proof.Subscriptions = slices.Clone(m.Subscriptions)
	channel := engine.IDOf([]byte(m.Claim.URL))
	for n := range sim.Node(l.attackWorld.Len()) {
		if len(proof.Subscriptions) == 64 || l.attackWorld.tricks.ground && n == l.node ||
			slices.ContainsFunc(m.Subscriptions, func(s corona.Subscription) bool {
				return s.Node.ID == l.attackWorld.Peer(n).ID
			}) {
			continue
		}
		s := corona.Subscription{Node: l.attackWorld.Peer(n), Count: 64,
			Stamp: uint64(sim.Default(nil).Epoch.Add(l.attackWorld.Now()).UnixMilli())}
		by := channel
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

// grantAll grants everything.
func (l *attacker) grantAll(m *budget.Grants) *budget.Grants {
	all := *m
	all.Grants = slices.Clone(m.Grants)
	for i := range all.Grants {
		g := &all.Grants[i]
		g.Size, g.Every = machine.Size{}, 0
		g.Signature = l.attackWorld.Keys(l.node).Sign(budget.GrantWords(g, m.Host, g.Channel))
	}
	return &all
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
	until := sim.Default(nil).Epoch.Add(v.Now() + 2*time.Hour).Unix()
	m := &plan.Maintenance{}
	for k := range 8 {
		c := v.honest
		if k < 7 {
			c = v.Origin.Add(fmt.Sprintf("https://%s/?order=%d", v.host, 8*round+k))
		}
		m.Assignments = append(m.Assignments, plan.Assignment{Channel: c.ID, URL: c.URL, Width: 1000,
			Certificate: v.certificate(k, c, until)})
	}
	for to := range sim.Node(v.Len()) {
		if to != n {
			v.Do(to, func(engine.Protocol) { v.Node(to).Corona.Receive(v.Peer(n), m) })
		}
	}
}

// certificate returns one of the k-th kind.
func (v *attackWorld) certificate(k int, c corona.Channel, until int64) (list []machine.Grant) {
	host := budget.HostKey(c.URL)
	if v.tricks.ground {
		for _, n := range v.attackers[:min(9, len(v.attackers))] {
			g := machine.Grant{Owner: v.Peer(n), Until: until}
			g.Signature = v.Keys(n).Sign(budget.GrantWords(&g, host, c.ID))
			list = append(list, g)
		}
		return list
	}
	switch k {
	case 0: // none
	case 1: // signed by nobody
		for _, p := range v.Owners(host, 9) {
			list = append(list, machine.Grant{Owner: v.Peer(p), Until: until, Signature: make([]byte, 64)})
		}
	case 2: // signed by attackers in the owners' names
		for i, p := range v.Owners(host, 9) {
			g := machine.Grant{Owner: v.Peer(p), Until: until}
			g.Signature = v.Keys(v.attackers[i%len(v.attackers)]).Sign(budget.GrantWords(&g, host, c.ID))
			list = append(list, g)
		}
	case 3: // one attacker many times
		g := machine.Grant{Owner: v.Peer(v.attackers[0]), Until: until}
		g.Signature = v.Keys(v.attackers[0]).Sign(budget.GrantWords(&g, host, c.ID))
		for range 9 {
			list = append(list, g)
		}
	case 4, 5: // what all attackers grant, for ever
		if k == 5 {
			until += 1 << 40
		}
		attackers := slices.Clone(v.attackers)
		slices.SortFunc(attackers, func(a, b sim.Node) int {
			if engine.Closer(host, v.Peer(a).ID, v.Peer(b).ID) {
				return -1
			}
			return 1
		})
		for _, n := range attackers[:min(9, len(attackers))] {
			g := machine.Grant{Owner: v.Peer(n), Until: until}
			g.Signature = v.Keys(n).Sign(budget.GrantWords(&g, host, c.ID))
			list = append(list, g)
		}
	default: // true grants of other channels, and of this one but for less
		for i := range v.seen {
			for _, g := range v.seen[i].Grants {
				if g.Channel != c.ID == (k == 6) && len(list) < 9 {
					g.Owner, g.Channel = v.seenBy[i], engine.ID{}
					if k == 7 {
						g.Size = machine.Size{}
					}
					list = append(list, g)
				}
			}
		}
	}
	return list
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

// attackersAmong returns how many of the owners of the victim are attackers.
func (v *attackWorld) attackersAmong() (count int) {
	for _, n := range v.Owners(budget.HostKey(v.honest.URL), 9) {
		if slices.Contains(v.attackers, n) {
			count++
		}
	}
	return count
}

// A tenth of the nodes lie, and aim at one victim. With each trick alone and all at once, its load stays below the
// ceiling, by its own count of honest nodes' requests. The channel with real readers is served (hostile 44).
func TestNobodyCanAimTheNetwork(t *testing.T) {
	for _, c := range []struct {
		name   string
		tricks tricks
	}{
		{"assignments", tricks{assignments: true}},
		{"readers", tricks{readers: true}},
		{"grants", tricks{readers: true, grants: true, split: true}},
		{"reports", tricks{reports: true, readers: true}},
		{"all", tricks{assignments: true, readers: true, grants: true, split: true, invent: true, reports: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "all" {
				t.Skip("all tricks at once are enough with -short")
			}
			simtest.Run(t, 2, func(t *simtest.T) {
				v := newAttackWorld(t, some(60), attackCeiling, c.tricks)
				v.settle(8, some(60))
				v.attack(2 * time.Hour)
				from := v.Now()
				v.attack(4 * v.config.Interval)
				load := v.load(0, v.Now())
				served := len(v.those(v.honest.URL, from, v.Now()))
				t.Logf("%d attackers among the victim's owners: %d requests in the busiest interval, ceiling %d; %d "+
					"for the honest channel in 4 intervals; %v",
					v.attackersAmong(), load, attackCeiling, served, v.events)
				if load > attackCeiling {
					t.Errorf("%d requests in an interval", load)
				}
				if served < 4 {
					t.Errorf("the honest channel was polled %d times in 4 intervals", served)
				}
			})
		})
	}
}

// Sybils with IDs close to a channel own all of it. They can invent readers, and send assignments for it. Nodes poll it
// only with a permit of its host's owners, which are elsewhere on the ring. That permit covers only the readers that
// have signed (hostile 38).
func TestSybilsAroundAChannel(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := &attackWorld{host: "victim.example", tricks: tricks{assignments: true, invent: true, split: true}}
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

// Keys made beside a host's own it, and grant whatever an accomplice orders. It is primary of its channel and shows all
// subscriptions that exist. Only as many nodes poll it as its readers have signed for, and none polls a channel without
// readers (hostile 69).
func TestKeysMadeBesideAHost(t *testing.T) {
	for _, owners := range []int{6, 9, 20} {
		t.Run(fmt.Sprint(owners), func(t *testing.T) {
			if testing.Short() && owners != 9 {
				t.Skip("one number is enough with -short")
			}
			simtest.Run(t, 2, func(t *simtest.T) {
				const readers, url = 6, "https://victim.example/feed"
				v := &attackWorld{host: "victim.example",
					tricks: tricks{assignments: true, grants: true, invent: true, ground: true}}
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
