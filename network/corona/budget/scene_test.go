package budget

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{{Protocol: engine.Corona, Name: "corona", Messages: Messages}},
		Start:        func(env engine.Env, _ *sim.Disk) engine.Protocol { return &actor{env: env} },
		Roles:        map[string]sim.Start{"generous": startGenerous},
		Commands: map[string]scene.Command{
			"ring":        ringCommand,
			"return":      returnCommand,
			"lead":        leadCommand,
			"plan":        planCommand,
			"refuse":      refuseCommand,
			"assign":      assignCommand,
			"show permit": showPermit,
		},
	})
}

// actor is a node of a scene, in a ring in which all know all. It wants what the script says.
type actor struct {
	*Budget
	machine.Ring
	env      engine.Env
	all      []engine.Peer
	generous engine.Keys // of one that signs whatever it is asked for
	wants    map[engine.ID]*wanted
	urls     map[string]machine.Channel
}

// wanted is the claim for a channel.
type wanted struct {
	Wants
	proof     []roster.Subscription
	notBefore time.Duration
}

// startGenerous starts an owner that grants everything to everybody.
func startGenerous(env engine.Env, _ *sim.Disk) engine.Protocol {
	a := &actor{}
	a.env = generousEnv{env, a}
	return a
}

type generousEnv struct {
	engine.Env
	*actor
}

func (e generousEnv) Send(to engine.Peer, m engine.Message) {
	if grants, ok := m.(*Grants); ok {
		for i := range grants.Grants {
			g := &grants.Grants[i]
			g.Size, g.Every = machine.Size{}, 0
			g.Signature = e.generous.Sign(GrantWords(g, grants.Host, g.Channel))
		}
	}
	e.Env.Send(to, m)
}

func (a *actor) Active() bool { return true }
func (a *actor) Nodes() int   { return len(a.all) }

func (a *actor) Owners(key engine.ID, k int) ([]engine.Peer, bool) {
	all := slices.Clone(a.all)
	slices.SortFunc(all, func(p, q engine.Peer) int {
		if engine.Closer(key, p.ID, q.ID) {
			return -1
		}
		return 1
	})
	return all[:min(k, len(all))], true
}

func (a *actor) Route(key engine.ID, m engine.Message) {
	to, _ := a.Owners(key, 1)
	a.env.Send(to[0], m)
}

func (a *actor) Receive(from engine.Peer, m engine.Message) {
	if claims, ok := m.(*Claims); ok && !claims.Handed {
		a.Deliver(from, m)
		return
	}
	a.Budget.Receive(from, m)
}

func (a *actor) PeerDown(engine.Peer) {}
func (a *actor) Stop()                {}

func (a *actor) Wants(channel engine.ID, _ int) Wants      { return a.wants[channel].Wants }
func (a *actor) NotBefore(channel engine.ID) time.Duration { return a.wants[channel].notBefore }
func (a *actor) Plausible(share float64) uint32            { return uint32(4*float64(len(a.all))*share) + 16 }

// AlternateKey has the last digits of a key flipped, which makes no difference in so small a ring.
func (a *actor) AlternateKey(key engine.ID) engine.ID {
	key[len(key)-1] ^= 0xff
	return key
}

func (a *actor) Pollers(_ engine.ID, s machine.Size) float64        { return float64(len(a.all)) * s.Share() }
func (a *actor) Joins(channel engine.ID)                            { a.env.Trace(event{"may join", channel}) }
func (a *actor) Polls(engine.ID) bool                               { return false }
func (a *actor) Permitted(channel engine.ID)                        { a.env.Trace(event{"may poll", channel}) }
func (a *actor) Patient(channel engine.ID)                          { a.env.Trace(event{"waits", channel}) }
func (a *actor) Sample(c engine.ID, _ uint64) []roster.Subscription { return a.wants[c].proof }

// event is what a Budget has reported to its Host.
type event struct {
	What    string
	Channel engine.ID
}

// ringCommand makes a ring of nodes: ring a1 b2 c3 ceiling=1000 owners=3.
func ringCommand(c *scene.Call) {
	config := usual
	config.HostCeiling, config.HostOwners = c.Int("ceiling", 1000), c.Int("owners", 3)
	nodes := c.Nodes()
	var all []engine.Peer
	for _, n := range nodes {
		all = append(all, n.Peer())
	}
	for _, n := range nodes {
		scene.On[*actor](c, n).enter(c, n, all, config)
	}
}

// returnCommand puts a node that has restarted, without any state, back into the ring of another: return 50 to=30.
func returnCommand(c *scene.Call) {
	n, of := c.Node(0), scene.On[*actor](c, c.Named(c.Need("to")))
	scene.On[*actor](c, n).enter(c, n, of.all, of.Budget.core.config)
}

func (a *actor) enter(c *scene.Call, n *scene.Node, all []engine.Peer, config Config) {
	a.wants, a.urls, a.generous = make(map[engine.ID]*wanted), make(map[string]machine.Channel),
		c.World().Keys(n.Number())
	a.all = all
	a.Budget = New(machine.Base{Env: a.env, Ring: a, Keys: c.World().Keys(n.Number())}, a, config)
}

// leadCommand has a node be primary of a channel for which others subscribe: lead 50 url=news.example/1 readers=(10,20)
// count=3 wants=8 pollers=4. What it wants is the number of machine.Fine. With signer=30 that node has signed all.
func leadCommand(c *scene.Call) {
	n := c.Node(0)
	a := scene.On[*actor](c, n)
	url := "https://" + c.Need("url")
	channel := machine.Channel{ID: engine.IDOf([]byte(url)), URL: url}
	w := &wanted{Wants: Wants{Size: machine.Fine(c.Int("wants", 0)), Pollers: []uint32{uint32(c.Int("pollers", 0))}}}
	count := c.Int("count", 1)
	for _, name := range c.Values("readers") {
		reader := c.Named(name)
		s := roster.Subscription{Node: reader.Peer(), Count: uint32(count), Stamp: uint64(a.env.Wall().UnixMilli())}
		s.Signature = c.World().Keys(c.Named(c.Text("signer", name)).Number()).Sign(s.Words(channel.ID))
		w.proof = append(w.proof, s)
		w.Readers += uint64(count)
	}
	a.wants[channel.ID], a.urls[url] = w, channel
	a.Changed(channel, true)
}

// planCommand has nodes choose sizes: plan 50. What they want stays as it is.
func planCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).Planned()
	}
}

// refuseCommand has an origin ask a node not to poll a channel: refuse 50 url=news.example/1 wait=10m.
func refuseCommand(c *scene.Call) {
	a := scene.On[*actor](c, c.Node(0))
	channel := a.channel(c)
	a.wants[channel.ID].notBefore = a.env.Now() + c.Duration("wait", time.Hour)
	a.HostWaits(channel.ID)
}

func (a *actor) channel(c *scene.Call) machine.Channel {
	channel, ok := a.urls["https://"+c.Need("url")]
	if !ok {
		c.Fatalf("it does not lead that")
	}
	return channel
}

// assignCommand assigns a node a channel by its primary, with a set of the size of that number: assign 30 by=50
// url=news.example/1 size=8. With bare=yes the certificate is left out, with url it is of another channel.
func assignCommand(c *scene.Call) {
	by := scene.On[*actor](c, c.Named(c.Need("by")))
	channel := by.channel(c)
	a := Assigned{Channel: channel, Size: machine.Fine(c.Int("size", 0)), Grants: by.Certificate(channel.ID)}
	if c.Has("bare") {
		a.Grants = nil
	}
	for _, n := range c.Nodes() {
		to := scene.On[*actor](c, n)
		to.Check([]Assigned{a}, func(verdict func(int) Verdict) {
			name := map[Verdict]string{Refused: "refuses", Unproved: "asks for the certificate of", Allowed: "polls",
				Renewed: "polls, by a new certificate,"}[verdict(0)]
			c.Printf("%s %s %s\n", n.Name(), name, channel.URL)
		})
	}
}

// showPermit prints what hosts let nodes have, and whether they may go on polling: show permit 50.
func showPermit(c *scene.Call) {
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		for _, p := range a.Budget.claims.list {
			for _, p := range p.permits {
				permit, ok := a.Permit(p.channel.ID)
				switch {
				case !ok:
					c.Printf("%s has nothing for %s, may poll: %v\n", n.Name(), p.channel.URL, a.MayPoll(p.channel.ID))
				case permit.alone():
					c.Printf("%s polls %s alone, every %v\n", n.Name(), p.channel.URL,
						max(permit.Every, usual.Interval))
				default:
					c.Printf("%s may have %s polled by %.3f of the ring\n", n.Name(), p.channel.URL,
						permit.Size.Share())
				}
			}
		}
	}
}
