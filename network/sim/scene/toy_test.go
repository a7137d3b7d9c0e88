package scene

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// toy is the smallest protocol that has everything a scene can show. It answers pings, remembers in the order of coming
// which nodes pinged, keeps a count on its disk, and complains of silence.
type toy struct {
	env    engine.Env
	disk   *sim.Disk
	heard  []engine.Peer
	silent engine.Timer
	lies   bool
}

type ping struct {
	Number uint64        `cbor:"1,keyasint"`
	Key    engine.ID     `cbor:"2,keyasint"`
	Heard  []engine.Peer `cbor:"3,keyasint" max:"64"`
}

type pong struct {
	Number uint64 `cbor:"1,keyasint"`
	Note   string `cbor:"2,keyasint" max:"64"`
}

// heard, silence and stopped are traced.
type (
	heard   struct{ From engine.Peer }
	silence struct{ For time.Duration }
	stopped struct{}
)

func (*ping) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }
func (*pong) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 2) }

var vocabulary = engine.Vocabulary{Protocol: engine.Experiment, Name: "toy", Messages: []engine.MessageType{
	{Message: new(ping)}, {Message: new(pong)},
}}

func startToy(env engine.Env, disk *sim.Disk) engine.Protocol {
	starts, _ := disk.Get("starts")
	disk.Put("starts", append(starts, '.'))
	return &toy{env: env, disk: disk}
}

func startLiar(env engine.Env, disk *sim.Disk) engine.Protocol {
	p := startToy(env, disk).(*toy)
	p.lies = true
	return p
}

func (p *toy) ping(to engine.Peer, number uint64, key engine.ID) {
	p.env.Send(to, &ping{Number: number, Key: key, Heard: p.heard})
	p.silent.Stop()
	p.silent = p.env.After(time.Second, func() { p.env.Trace(silence{time.Second}) })
}

func (p *toy) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *ping:
		p.heard = append(p.heard, from)
		p.env.Trace(heard{from})
		answer := &pong{Number: m.Number}
		if p.lies {
			answer.Number, answer.Note = m.Number+1, "never mind"
		}
		p.env.Send(from, answer)
	case *pong:
		p.silent.Stop()
	}
}

func (p *toy) PeerDown(engine.Peer) {}
func (p *toy) Stop()                { p.env.Trace(stopped{}) }

// toyStage is a stage as a protocol's scene test has it.
func toyStage() Stage {
	return Stage{
		Vocabularies: []engine.Vocabulary{vocabulary},
		Start:        startToy,
		Roles:        map[string]sim.Start{"liar": startLiar},
		Commands: map[string]Command{
			"ping": func(c *Call) {
				On[*toy](c, c.Node(0)).ping(c.NodeOf("to").Peer(), uint64(c.Int("number", 1)), c.ID("key"))
			},
			"show heard": func(c *Call) {
				for _, n := range c.Nodes() {
					p := On[*toy](c, n)
					starts, _ := p.disk.Get("starts")
					c.Printf("%s heard %s in %d starts\n", n.Name(), c.Format(p.heard), len(starts))
				}
			},
		},
	}
}

func TestScenes(t *testing.T) { Play(t, "testdata", toyStage()) }
