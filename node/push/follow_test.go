package push

import (
	"context"
	"testing"

	"tidings"
	"tidings/network/engine"
)

// forgetful is a node that forgets what is noted of a channel until it knows that the channel is followed.
type forgetful struct {
	alone
	knows, pushed bool
	jobs          []func(context.Context)
}

func (f *forgetful) Work(job func(context.Context)) { f.jobs = append(f.jobs, job) }
func (f *forgetful) SetPushed(_ engine.ID, pushed bool) {
	if f.knows {
		f.pushed = pushed
	}
}

// A person may forgive a publisher before it is stored that its key was doubled. It stays forgiven after a start.
func TestADoubledKeyIsForgivenBeforeItIsStored(t *testing.T) {
	g := newGiven(t)
	topic, _ := g.signed()
	host := new(forgetful)
	g.pushes.host = host
	work := func() {
		for _, job := range host.jobs {
			job(t.Context())
		}
		host.jobs = nil
	}
	doubled := func() bool {
		t.Helper()
		is, err := g.pushes.isDoubled(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	listener{g.pushes}.Equivocated(topic)
	if err := g.pushes.forgive(t.Context(), engine.ID(tidings.IDOf(g.url))); err != nil {
		t.Fatal(err)
	}
	if work(); doubled() {
		t.Error("what was forgiven is stored")
	}
	listener{g.pushes}.Equivocated(topic)
	if work(); !doubled() {
		t.Error("what came later is not stored")
	}
}

// If a channel's pushes can be relied on before the node knows that it is followed, it is left to its publisher
// nevertheless.
func TestPushesThatWereGoodBeforeTheReview(t *testing.T) {
	g := newGiven(t)
	topic, _ := g.signed()
	host := new(forgetful)
	g.pushes.host = host
	g.pushes.setFollows(engine.ID(tidings.IDOf(g.url)), topic)
	g.pushes.became(topic, tidings.PushGood)
	if p := g.pushes.of(topic); p.Heard.IsZero() {
		t.Error("the publisher is said to have never spoken")
	}
	host.knows = true
	g.pushes.Reviewed(t.Context(), g.url, true)
	for _, job := range host.jobs {
		job(t.Context())
	}
	if !host.pushed {
		t.Error("the node goes on to poll")
	}
	host.jobs = nil
	g.pushes.Reviewed(t.Context(), g.url, false)
	for _, job := range host.jobs {
		job(t.Context())
	}
	if host.pushed {
		t.Error("nobody follows the channel, and it is left to its publisher")
	}
}
