package forward_test

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
	"tidings/network/sim/scene"
)

func TestScenes(t *testing.T) {
	stage := scene.Stage{
		Vocabularies: []engine.Vocabulary{forward.Vocabulary, words},
		Start: func(env engine.Env, _ *sim.Disk) engine.Protocol {
			return start(env, signer{env.Self().ID}, forward.Default())
		},
		Roles:     make(map[string]sim.Start),
		Commands:  map[string]scene.Command{"say": sayCommand},
		Configure: connections,
	}
	for name, lie := range lies {
		stage.Roles[name] = func(env engine.Env, _ *sim.Disk) engine.Protocol {
			m := start(env, signer{env.Self().ID}, forward.Default())
			m.Protocol = &liar{Node: m.forward, env: env, lie: lie}
			return m
		}
	}
	scene.Play(t, "testdata/scenes", stage)
}

// sayCommand has the protocol of a node say a word, which may name another node, so that the receiver may ask the
// speaker for a way to it:
//
//	say a3 to=b7 number=1 of=c1
func sayCommand(c *scene.Call) {
	w := &word{Number: uint64(c.Int("number", 0))}
	if c.Has("of") {
		w.Of = append(w.Of, c.NodeOf("of").Peer())
	}
	scene.On[member](c, c.Node(0)).say(c.NodeOf("to").Peer(), w)
}
