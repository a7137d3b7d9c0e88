package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/store/db"
	"tidings/store/published"
	"tidings/view"
)

// A key that is used at two nodes ends the publications with it at both. Otherwise each would answer the other's
// version of an item with its own, without end. Both stay stopped over restarts, until a person says at one of them
// that it goes on. A stop is kept under the topic: a key that replaces a stopped one is not stopped.

func haltSetting(topic engine.ID) string { return "publishing halted " + topic.String() }

// haltOf returns why publishing on a topic has stopped, with the remedy; nil: it goes on.
func haltOf(ctx context.Context, settings *db.DB, topic engine.ID) error {
	since, err := settings.Setting(ctx, haltSetting(topic))
	if err != nil || since == "" {
		return err
	}
	return tidings.WithHint(
		tidings.Invalidf(
			"stopped at %s: another node publishes with the same key, and readers' nodes do not know which of the two to believe", since),
		"end it on the other node, then say here: tidings publish --resume URL; if somebody else has the key: tidings key revoke NAME")
}

// Problems returns the publications that have stopped because another node publishes with the same key.
func Problems(ctx context.Context, s *published.Store, settings *db.DB) (problems []view.Problem) {
	all, err := s.Publications(ctx)
	if err != nil {
		return nil // the store says so itself
	}
	for _, kept := range all {
		if why := haltOf(ctx, settings, kept.Topic); errors.Is(why, tidings.ErrInvalid) && kept.Stopped.IsZero() {
			problems = append(problems,
				view.Problem{What: "Nothing of " + kept.Channel + " is published: " + tidings.Reason(why) + ".",
					Hint: tidings.HintOf(why)})
		}
	}
	return problems
}

// Contested ends what is published on a topic, as another node publishes with the same key. It is called in the loop.
func (p *Publisher) Contested(topic engine.ID) {
	c := p.onTopic(topic)
	if c == nil {
		return
	}
	p.log.Error("another node publishes with the same key: this one has stopped", "channel", c.name.channel, "key",
		c.name.key)
	p.host.Work(func(ctx context.Context) {
		if err := p.halt(ctx, c); err != nil && ctx.Err() == nil {
			p.log.Error("that a publication has stopped is forgotten at the next start", "channel", c.name.channel,
				"error", err)
		}
	})
}

// halt ends the work for a publication. Its last word, that nothing is promised any more, lets the other node stop too.
func (p *Publisher) halt(ctx context.Context, c *publication) error {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	err := p.settings.SetSetting(ctx, haltSetting(c.topic), time.Now().UTC().Format(time.RFC3339))
	p.publications.halt(c.topic)
	p.speaker.quit(ctx, c.topic, c.farewell())
	return err
}

// ResumePublishing makes this node resume the publications of a channel that have stopped because another node
// published with the same key. Errors: tidings.ErrNotFound if none has, tidings.ErrInvalid.
func (p *Publisher) ResumePublishing(ctx context.Context, channel string) error {
	halted, err := halts(ctx, p.store, p.settings, channel)
	for _, kept := range halted {
		err = errors.Join(err, p.settings.SetSetting(ctx, haltSetting(kept.Topic), ""))
		if c := p.onTopic(kept.Topic); c != nil {
			c.flights.forget()
			p.publications.restart(c)
		}
	}
	return err
}

// ResumePublishing has the publications of a channel go on once the node knows others.
func (a Alone) ResumePublishing(ctx context.Context, channel string) error {
	halted, err := halts(ctx, a.Store, a.Settings, channel)
	for _, kept := range halted {
		err = errors.Join(err, a.Settings.SetSetting(ctx, haltSetting(kept.Topic), ""))
	}
	return err
}

// halts returns the publications of a channel that have stopped; tidings.ErrNotFound if there is none.
func halts(ctx context.Context, s *published.Store, settings *db.DB,
	channel string) (halted []published.Publication, err error) {
	canonical, err := canonicalOf(channel)
	if err != nil {
		return nil, err
	}
	all, err := s.Publications(ctx)
	if err != nil {
		return nil, err
	}
	for _, kept := range all {
		if kept.Channel != canonical {
			continue
		}
		switch why := haltOf(ctx, settings, kept.Topic); {
		case errors.Is(why, tidings.ErrInvalid):
			halted = append(halted, kept)
		case why != nil:
			return nil, why
		}
	}
	if len(halted) == 0 {
		return nil, fmt.Errorf("%s has not stopped: %w", canonical, tidings.ErrNotFound)
	}
	return halted, nil
}
