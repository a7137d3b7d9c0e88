package main

import (
	"context"
	"strings"
	"sync"
	"testing"

	"tidings/delivery/api"
	"tidings/view"
)

// slowPublisher has published when it was asked for what it waits.
type slowPublisher struct {
	api.Publisher
	once  sync.Once
	asked chan struct{}
}

func (p *slowPublisher) Publish(ctx context.Context, _ view.PublishOrder) (view.Issued, error) {
	select {
	case <-p.asked:
		return view.Issued{}, nil
	case <-ctx.Done():
		return view.Issued{}, ctx.Err()
	}
}

func (p *slowPublisher) Publications(context.Context) ([]view.Publication, error) {
	p.once.Do(func() { close(p.asked) })
	return []view.Publication{{Channel: feedURL, Key: "me", Waiting: "asking the network"}}, nil
}

// A person that publishes sees what the node waits for, once where there is no terminal.
func TestPublishSaysWhatItWaitsFor(t *testing.T) {
	f := newFakeNode()
	f.publisher = &slowPublisher{asked: make(chan struct{})}
	out, errors, status := f.command(t, "", "publish", feedURL)
	if status != 0 || !strings.HasPrefix(errors, "asking the network\n") || strings.Count(errors, "asking") != 1 {
		t.Errorf("%d: %q, %q", status, out, errors)
	}
}
