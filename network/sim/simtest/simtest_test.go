package simtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// beat is sent to the next node once a second.
type beat struct{}

func (*beat) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

var codec = engine.NewCodec(engine.Vocabulary{
	Protocol: engine.Experiment, Name: "ring", Messages: []engine.MessageType{{Message: new(beat)}},
})

// ring sends beats to its neighbour.
type ring struct {
	env   engine.Env
	next  func() engine.Peer // asked anew: an address changes with a move
	heard time.Duration      // when the last beat came
	downs int
}

func (r *ring) beat() {
	r.env.Send(r.next(), &beat{})
	r.env.After(time.Second, r.beat)
}
func (r *ring) Receive(engine.Peer, engine.Message) { r.heard = r.env.Now() }
func (r *ring) PeerDown(engine.Peer)                { r.downs++ }
func (r *ring) Stop()                               {}

func newRing(t *simtest.T) *sim.World {
	w := t.World(sim.Default(codec))
	for i := range 10 {
		w.Add(engine.IDOf([]byte{byte(i)}), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			next := sim.Node(i+1) % 10
			r := &ring{env: env, next: func() engine.Peer { return w.Peer(next) }}
			r.beat()
			return r
		})
	}
	w.BootAll(0)
	return w
}

// After the faults, all nodes are up and receive; during them, something was wrong.
func TestSwarmEndsInLiveness(t *testing.T) {
	simtest.Run(t, 40, func(t *simtest.T) {
		w := newRing(t)
		plan := simtest.Swarm(t.Seed())
		plan.Run(w, 5*time.Minute)
		w.Run(time.Minute)
		for n := range sim.Node(10) {
			if !w.Up(n) {
				t.Fatalf("with %v: node %d is down", plan, n)
			}
			r := w.Protocol(n).(*ring)
			if silent := r.env.Now() - r.heard; silent > 2*time.Second {
				t.Errorf("with %v: node %d has heard nothing for %v", plan, n, silent)
			}
		}
	})
}

func TestSwarmSwitchesOff(t *testing.T) {
	names := map[string]int{}
	const seeds = 200
	for seed := range uint64(seeds) {
		for _, name := range strings.Split(simtest.Swarm(seed).String(), ", ") {
			names[name]++
		}
	}
	all := strings.Split(simtest.Storm().String(), ", ")
	for _, name := range all {
		if n := names[name]; n < seeds/4 || n > seeds*3/4 {
			t.Errorf("%s is on with %d of %d seeds", name, n, seeds)
		}
	}
	if len(all) != 13 {
		t.Errorf("the storm is of %d parts: %v", len(all), all)
	}
}

const failing = "SIMTEST_FAIL"

// TestFailing fails where another test asks it to.
func TestFailing(t *testing.T) {
	how := os.Getenv(failing)
	if how == "" {
		t.Skip("for TestFailureNamesTheSeed")
	}
	simtest.Run(t, 8, func(t *simtest.T) {
		newRing(t).Run(time.Minute)
		switch {
		case t.Seed() != 3:
		case how == "panic":
			panic("seed 3 is bad")
		default:
			t.Error("seed 3 is bad")
		}
	})
}

func TestFailureNamesTheSeed(t *testing.T) {
	for _, how := range []string{"panic", "error"} {
		out := runFailing(t, how)
		want := "seed 3; repeat: go test ./network/sim/simtest -run '^TestFailing$' -seed 3"
		if !strings.Contains(out, want) || strings.Count(out, "repeat:") != 1 {
			t.Errorf("%s prints\n%s\nwhich lacks %q", how, out, want)
		}
	}
	out := runFailing(t, "error", "-seed", "3", "-test.v")
	if strings.Contains(out, "seed=1") || !strings.Contains(out, "seed=3") {
		t.Errorf("with one seed it prints\n%s", out)
	}
}

func TestTraceIsWritten(t *testing.T) {
	folder := t.TempDir()
	runFailing(t, "error", "-seed", "3", "-simtrace", folder)
	trace, err := os.ReadFile(filepath.Join(folder, "TestFailing-seed3-world1.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(trace), "ring.beat"); lines != 10*60 {
		t.Errorf("%d lines are about beats", lines)
	}
}

// runFailing runs TestFailing in a process of its own, and returns what it prints.
func runFailing(t *testing.T, how string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-test.run", "^TestFailing$"}, args...)...)
	cmd.Env = append(os.Environ(), failing+"="+how)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("a failing test passed:\n%s", out)
	}
	return string(out)
}
