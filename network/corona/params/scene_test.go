package params

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{{Protocol: engine.Corona, Name: "corona", Messages: Messages}},
		Start:        startActor,
		Roles:        map[string]sim.Start{"liar": startLiar},
		Commands: map[string]scene.Command{
			"meet":      meetCommand,
			"found":     foundCommand,
			"start":     startCommand,
			"show uses": showUses,
		},
	})
}

// actor is a node of a scene, in the ring that the script sets. It begins when the script says so, with the script's
// settings.
type actor struct {
	*Settler
	machine.Ring
	env    engine.Env
	known  []engine.Peer
	active bool
	least  time.Duration // interval that it adopts
}

func startActor(env engine.Env, _ *sim.Disk) engine.Protocol { return &actor{env: env} }

// startLiar starts a node that reports the greatest age for everything, and ten seconds for all intervals.
func startLiar(env engine.Env, _ *sim.Disk) engine.Protocol {
	return &actor{env: lyingParams{env, func(engine.Peer) *Params {
		return &Params{Interval: 10_000, Maintenance: 20_000, Since: 1, Settled: true}
	}}}
}

func (a *actor) Active() bool { return a.active }

func (a *actor) Owners(engine.ID, int) ([]engine.Peer, bool) { return a.known, true }

func (a *actor) WedgeContacts(engine.ID, int) []engine.Peer { return nil }

func (a *actor) Adopt(to Agreement) error {
	if to.Interval < a.least {
		return errors.New("too short an interval")
	}
	return nil
}

func (a *actor) Agreed(Agreed)          {}
func (a *actor) Disagreed(Disagreed)    {}
func (a *actor) PeerDown(p engine.Peer) {}
func (a *actor) Stop()                  {}

func (a *actor) Receive(from engine.Peer, m engine.Message) {
	if a.Settler != nil {
		a.Settler.Receive(from, m)
	}
}

// startCommand has nodes begin: start a1 b2 interval=10m least=1m.
func startCommand(c *scene.Call) {
	own := Agreement{Interval: c.Duration("interval", 30*time.Minute), Maintenance: time.Hour}
	least := c.Duration("least", 0)
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		a.least = least
		a.Settler = New(machine.Base{Env: a.env, Ring: a}, a, own)
	}
}

// foundCommand has a ring begin at nodes: found a1.
func foundCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).active = true
	}
}

// meetCommand makes one ring of nodes, in which all know all: meet a1 b2 c3.
func meetCommand(c *scene.Call) {
	nodes := c.Nodes()
	for _, n := range nodes {
		a := scene.On[*actor](c, n)
		for _, m := range nodes {
			if m != n && !slices.Contains(a.known, m.Peer()) {
				a.known = append(a.known, m.Peer())
			}
		}
		a.NeighboursChanged()
		a.active = true // a joining node knows others before it is part of the ring
	}
}

// showUses prints by which interval nodes go: show uses a1 b2.
func showUses(c *scene.Call) {
	for _, n := range c.Nodes() {
		uses, settled := scene.On[*actor](c, n).Params()
		c.Printf("%s polls every %v, settled: %v\n", n.Name(), uses.Interval, settled)
	}
}
