package publish

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tidings"
	"tidings/network/feedtree"
)

// A publication stops at once if another node uses its key too. It withdraws its promise, and publishes nothing more,
// also after another start, until a person says so (hostile 33).
func TestAContestedPublicationStops(t *testing.T) {
	p, around := newPublisher(t)
	stop := run(t, p)
	entry := func(id string) error {
		_, err := p.PublishEntry(t.Context(), ownFeed, "", tidings.PublishedEntry{ID: id, Title: "No " + id})
		return err
	}
	if err := entry("1"); err != nil {
		t.Fatal(err)
	}
	for { // its item, and the promise before or after it
		if _, ok := next(t, around.said).(*feedtree.Item); ok {
			break
		}
	}
	topic := p.all()[0].topic
	p.Contested(topic)
	for {
		if word, ok := next(t, around.said).(*feedtree.Heartbeat); ok && word.Silence == 0 {
			break
		}
	}
	if gone := next(t, around.quit); gone != topic {
		t.Error("it goes on speaking")
	}
	stop()
	again, err := New(around, p.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	again.Start(trees{around})
	p = again
	run(t, p)
	for len(p.all()) == 0 { // it resumes what is published
		if _, err := p.Publications(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() { p.all()[0].send(ctx); close(ended) }()
	select {
	case <-ended:
	case word := <-around.said:
		t.Errorf("after another start it says %+v", word)
	}
	if err := entry("2"); !errors.Is(err, tidings.ErrInvalid) ||
		!strings.Contains(tidings.HintOf(err), "tidings publish --resume") {
		t.Errorf("after another start it publishes: %v", err)
	}
	all, err := p.Publications(t.Context())
	if err != nil || !all[0].Halted || !strings.Contains(all[0].Trouble, "another node") || all[0].Items != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if told := Problems(t.Context(), p.store, p.settings); len(told) != 1 || !strings.Contains(told[0].What, ownFeed) ||
		!strings.Contains(told[0].Hint, "--resume") {
		t.Errorf("%+v", told)
	}
	if err := p.ResumePublishing(t.Context(), ownFeed); err != nil {
		t.Fatal(err)
	}
	if told := Problems(t.Context(), p.store, p.settings); len(told) != 0 {
		t.Errorf("%+v", told)
	}
	if err := p.ResumePublishing(t.Context(), ownFeed); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("resumed again: %v", err)
	}
	if err := entry("2"); err != nil {
		t.Error(err)
	}
	for number := uint64(0); number < 2; {
		if item, ok := next(t, around.said).(*feedtree.Item); ok {
			number = item.Number
		}
	}
	if all, err := p.Publications(t.Context()); err != nil || all[0].Halted || all[0].Trouble != "" {
		t.Errorf("%+v, %v", all, err)
	}
}
