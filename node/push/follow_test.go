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
