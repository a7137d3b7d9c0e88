package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// listener notes what it is told.
type listener struct {
	name string
	log  *[]string
}

func (l listener) note(what string)             { *l.log = append(*l.log, l.name+" "+what) }
func (l listener) Receive(from Peer, _ Message) { l.note("receives from " + from.String()) }
func (l listener) PeerDown(p Peer)              { l.note("loses " + p.String()) }
func (l listener) Stop()                        { l.note("stops") }

// tracer is an Env that traces alone.
type tracer struct {
	Env
	traced []any
}

func (e *tracer) Trace(event any)    { e.traced = append(e.traced, event) }
func (e *tracer) Rand() *rand.Rand   { return nil }
func (e *tracer) Now() time.Duration { return 0 }

func TestStack(t *testing.T) {
	var log []string
	env := &tracer{}
	s := NewStack(env)
	s.Add(Experiment, listener{"lower", &log})
	s.Add(Experiment+1, listener{"upper", &log})
	peer := Peer{ID: PrefixID("a1")}

	s.Receive(peer, &ping{})
	s.Receive(peer, &Opaque{kind: KindOf(Experiment, 0xee)})
	s.Receive(peer, &Hello{})
	s.PeerDown(peer)
	s.Stop()

	want := []string{
		"lower receives from a1000000", "lower loses a1000000", "upper loses a1000000", "upper stops", "lower stops",
	}
	if !slices.Equal(log, want) {
		t.Errorf("the protocols were told %q, want %q", log, want)
	}
	wantTraced := []any{Unhandled{peer, KindOf(Experiment, 0xee)}, Unhandled{peer, (*Hello).Kind(nil)}}
	if !slices.Equal(env.traced, wantTraced) {
		t.Errorf("traced %v, want %v", env.traced, wantTraced)
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "engine: protocol 240 runs twice on a node" {
			t.Errorf("adding a second one: %s", got)
		}
	}()
	s.Add(Experiment, listener{})
}
