package corona_test

import (
	"testing"
	"time"

	"tidings/network/corona"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	t.Parallel()
	scene.Play(t, "testdata/scenes", scene.Stage{
		Vocabularies: []engine.Vocabulary{pastry.Vocabulary, corona.Vocabulary},
		Start:        startActor,
		Commands: map[string]scene.Command{
			"create": func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).ring.Create() },
			"join":   joinCommand,
			"subscribe": func(c *scene.Call) {
				scene.On[*actor](c, c.Node(0)).corona.Subscribe(sceneNews, "", c.Int("count", 1))
			},
			"publish": publishCommand,
			"verify":  func(c *scene.Call) { scene.On[*actor](c, c.Node(0)).Verify(sceneNews) },
			"poll": func(c *scene.Call) {
				scene.On[*actor](c, c.Node(0)).poll(sceneNews, 100*time.Millisecond,
					false)
			},
			"brief": briefCommand,
			"busy": func(c *scene.Call) {
				scene.On[*actor](c, c.Node(0)).busy = time.Duration(c.Int("seconds", 60)) * time.Second
			},
			"show held": showHeld,
		},
	})
}

// sceneNews is the channel of all scenes. Its ID begins with 5000.
var sceneNews = corona.Channel{ID: engine.IDOf([]byte("http://news/3149")), URL: "http://news/3149"}

// actor is a node of a scene: Pastry and Corona, and in one the poller, the library, and its view of the origin.
// Nothing is signed: signatures would not read well. It polls only on command.
type actor struct {
	*engine.Stack
	env     engine.Env
	ring    *pastry.Node
	corona  *corona.Node
	content string        // at the origin
	brief   bool          // it reports contents by their hash alone
	busy    time.Duration // how long polls out of turn last

	version uint64
	held    string
	seen    corona.Hash // by a poll
}

func startActor(env engine.Env, _ *sim.Disk) engine.Protocol {
	a := &actor{Stack: engine.NewStack(env), env: env, ring: pastry.New(env, pastry.Default())}
	a.corona = corona.New(env, a.ring, nil, scenePoller{a}, a, corona.Default())
	a.ring.Handle(engine.Corona, a.corona)
	a.Add(engine.Pastry, a.ring)
	a.Add(engine.Corona, a.corona)
	return a
}

// scenePoller is an actor's Poller.
type scenePoller struct{ *actor }

func (scenePoller) Poll(corona.Channel, corona.Task) {}
func (scenePoller) Stop(engine.ID)                   {}

func (scenePoller) FirstPoll(engine.ID) time.Duration { return 0 }

func (a *actor) Verify(c corona.Channel) { a.poll(c, max(a.busy, 100*time.Millisecond), true) }

// poll polls the origin, which lasts busy.
func (a *actor) poll(c corona.Channel, busy time.Duration, checked bool) {
	a.env.After(busy, func() {
		version, held := a.Held(c.ID)
		r := corona.PollResult{Verified: checked, Hash: coronatest.HashOf(a.content), Size: uint32(len(a.content))}
		if r.Hash != held {
			r.Update = &corona.Update{Channel: c.ID, Version: version, Base: held, Hash: r.Hash, Size: r.Size}
			if a.seen = r.Hash; !a.brief {
				r.Update.Payload = []byte(a.content)
			}
		}
		a.corona.Polled(c.ID, r)
	})
}

func (a *actor) Content(c engine.ID) corona.Hash {
	if a.seen != (corona.Hash{}) {
		return a.seen
	}
	_, hash := a.Held(c)
	return hash
}

func (a *actor) Held(engine.ID) (uint64, corona.Hash) {
	if a.version == 0 {
		return 0, corona.Hash{}
	}
	return a.version, coronatest.HashOf(a.held)
}

func (a *actor) Relay(corona.Channel) {}
func (a *actor) Release(engine.ID)    {}

func (a *actor) Store(u *corona.Update) {
	a.env.After(time.Millisecond, func() {
		a.version = u.Version
		switch {
		case len(u.Payload) > 0:
			a.held = string(u.Payload)
		case a.seen == u.Hash:
			a.held = a.content
		}
		a.seen = corona.Hash{}
		a.corona.Stored(u.Channel, u.Version, true)
	})
}

func (a *actor) Lend(channel engine.ID, _ corona.Hash, found func(*corona.Update)) {
	if a.seen != (corona.Hash{}) && a.seen != coronatest.HashOf(a.held) {
		a.env.After(time.Millisecond, func() { found(nil) })
		return
	}
	a.env.After(time.Millisecond, func() {
		found(&corona.Update{Channel: channel, Version: a.version, Hash: coronatest.HashOf(a.held),
			Size: uint32(len(a.held)), Payload: []byte(a.held)})
	})
}

// joinCommand has nodes join: join 50 90 via=10.
func joinCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).ring.Join(c.Named(c.Need("via")).Peer())
	}
}

// publishCommand changes what the origin serves to all: publish text=news.
func publishCommand(c *scene.Call) {
	text := c.Need("text")
	for _, n := range c.Cast() {
		if n.Up() {
			scene.On[*actor](c, n).content = text
		}
	}
}

// briefCommand makes nodes report contents by their hash alone: brief 10 50.
func briefCommand(c *scene.Call) {
	for _, n := range c.Nodes() {
		scene.On[*actor](c, n).brief = true
	}
}

// showHeld prints what nodes hold: show held 10 50.
func showHeld(c *scene.Call) {
	for _, n := range c.Nodes() {
		a := scene.On[*actor](c, n)
		c.Printf("%s has %q\n", n.Name(), a.held)
	}
}
