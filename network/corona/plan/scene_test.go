package plan

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary,
			{Protocol: engine.Corona, Name: "plan", Messages: Messages}},
		Start: startActor,
		Commands: map[string]scene.Command{
			"create":     func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).ring.Create() },
			"join":       joinCommand,
			"primary":    primaryCommand,
			"limit":      limitCommand,
			"show polls": showPolls,
		},
	})
}

// sceneNews is the channel of all scenes. Its ID begins with 5000.
var sceneNews = machine.Channel{ID: engine.IDOf([]byte("http://news/3149")), URL: "http://news/3149"}

// actor is a node of a scene: Pastry and a plan with a host that answers as commands have set it.
type actor struct {
	*engine.Stack
	env     engine.Env
	ring    *pastry.Node
	plan    *Plan
	readers int
	limits  Limits
	task    Task
	polls   bool
}

func startActor(env engine.Env, _ *sim.Disk) engine.Protocol {
	a := &actor{Stack: engine.NewStack(env), env: env, ring: pastry.New(env, pastry.Default())}
	a.plan = New(machine.Base{Env: env, Ring: a.ring, Seed: 1}, sceneHost{a}, scenePoller{a}, testConfig())
	a.ring.OnNeighbours(a.plan.NeighboursChanged)
	application := corona{&member{plan: a.plan}}
	a.ring.Handle(engine.Corona, application)
	a.Add(engine.Pastry, a.ring)
	a.Add(engine.Corona, application)
	return a
}

type scenePoller struct{ *actor }

func (p scenePoller) Poll(_ machine.Channel, t Task) { p.task, p.polls = t, true }
func (p scenePoller) Stop(engine.ID)                 { p.polls = false }

type sceneHost struct{ *actor }

func (h sceneHost) Factors(engine.ID) honeycomb.Factors {
	return honeycomb.Factors{Subscribers: uint32(h.readers)}
}
func (h sceneHost) Limits(engine.ID) Limits                  { return h.limits }
func (sceneHost) Most(engine.ID) (float64, bool)             { return 0, false }
func (sceneHost) Proved(machine.Channel, machine.Size) bool  { return true }
func (sceneHost) Asking(engine.ID) bool                      { return false }
func (sceneHost) Waits(engine.ID, time.Duration)             {}
func (sceneHost) MayJoin(machine.Channel, machine.Size) bool { return true }
func (sceneHost) Ended(engine.ID)                            {}
func (sceneHost) Held(engine.ID) uint64                      { return 0 }
func (sceneHost) Learned(engine.Peer, engine.ID, uint64)     {}
func (sceneHost) Moved(engine.ID)                            {}
func (sceneHost) Planned()                                   {}

// joinCommand has nodes join: join 50 90 via=10.
func joinCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).ring.Join(c.Named(c.Need("via")).Peer())
	}
}

// primaryCommand makes a node the primary, with so many readers: primary 51 readers=9 [from=58], where from sends its
// knowledge of the set as another owner. Without readers it ends that; next=58 names the new primary.
func primaryCommand(c *scene.Call) {
	a, readers := scene.On[*actor](c, c.Node(0)), c.Int("readers", 0)
	a.readers = readers
	if c.Has("from") {
		a.plan.Adopt(sceneNews, scene.On[*actor](c, c.Named(c.Need("from"))).plan.Set(sceneNews.ID))
	}
	s := Standing{Primary: readers > 0, Informed: true}
	if c.Has("next") {
		s.Next = c.Named(c.Need("next")).Peer()
	} else {
		s.Ended = readers == 0
	}
	a.plan.Changed(sceneNews, s)
}

// limitCommand has the origin ask a primary for a least interval, in seconds: limit 51 interval=600.
func limitCommand(c *scene.Call) {
	a := scene.On[*actor](c, c.Node(0))
	a.limits.Interval = time.Duration(c.Int("interval", 0)) * time.Second
	a.plan.Renew(sceneNews.ID)
}

// showPolls prints the pollers, and when in the interval they poll.
func showPolls(c *scene.Call) {
	for _, n := range c.Cast() {
		if !n.Up() {
			continue
		}
		if a := scene.On[*actor](c, n); a.polls {
			c.Printf("%s at %4.0f s of %v\n", n.Name(), (a.task.First % a.task.Interval).Seconds(), a.task.Interval)
		}
	}
}
