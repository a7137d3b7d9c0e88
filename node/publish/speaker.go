package publish

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store/published"
)

// speaker has FeedTree speak for publications: on their topics it says what they publish, and meanwhile that they still
// do.
type speaker struct {
	host    Host
	store   *published.Store
	log     *slog.Logger
	onTopic func(engine.ID) *publication // nil: there is none

	// Used in the loop alone.
	trees    Trees
	promised map[engine.ID]time.Duration // by topics that this node speaks on: the silence that is promised
}

// start is called in the loop.
func (s *speaker) start(trees Trees) {
	s.trees, s.promised = trees, make(map[engine.ID]time.Duration)
}

// author has FeedTree speak for a publication. It reports whether it does.
func (s *speaker) author(ctx context.Context, c *publication) (ok bool) {
	unsent, err := s.store.Unsent(ctx, c.name.channel, c.name.key, 1)
	if err != nil {
		return false
	}
	first := uint64(0)
	if len(unsent) > 0 {
		first = unsent[0].Number
	}
	last := c.restart(first)
	s.host.InLoop(ctx, func() {
		if silence, known := s.promised[c.topic]; known && silence == c.silence {
			ok = true
			return
		}
		s.trees.Unauthor(c.topic) // with another silence, if it was before
		delete(s.promised, c.topic)
		err = s.trees.Author(feedtree.Authoring{Topic: c.topic, Last: last, Silence: c.silence,
			Beat: func() engine.Message { return s.beat(c.topic) }})
		if ok = err == nil; ok {
			s.promised[c.topic] = c.silence
		}
	})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("a publication is not spoken for", "channel", c.name.channel, "error", err)
	}
	return ok
}

// greet announces to readers at once what is promised. Readers that knew of no promise rely on pushes again from then
// on. Readers with a promise do not wait in vain if nothing is promised any more. It reports whether that is done; it
// waits for what is still to be sent, as beat does.
func (s *speaker) greet(ctx context.Context, c *publication) (done bool, err error) {
	s.host.InLoop(ctx, func() {
		if word := c.word(c.silence); word != nil {
			err = s.trees.Publish(c.topic, word)
			done = err == nil
		}
	})
	return done, err
}

// quit ends what author began on a topic at once, after a last word if there is one.
func (s *speaker) quit(ctx context.Context, topic engine.ID, last *feedtree.Heartbeat) {
	s.host.InLoop(ctx, func() { s.leave(topic, last) })
}

// leave is quit in the loop.
func (s *speaker) leave(topic engine.ID, last *feedtree.Heartbeat) {
	if last != nil {
		_ = s.trees.Publish(topic, last) // readers that miss it notice the silence
	}
	s.trees.Unauthor(topic)
	delete(s.promised, topic)
}

// unauthor ends what author began, after a last word if there is one, without waiting for it.
func (s *speaker) unauthor(topic engine.ID, last *feedtree.Heartbeat) {
	s.host.Work(func(ctx context.Context) {
		s.host.InLoop(ctx, func() {
			if s.onTopic(topic) != nil {
				return // another speaks there since
			}
			s.leave(topic, last)
		})
	})
}

// beat returns what to say on a topic while nothing is published, if anything; it is called in the loop.
func (s *speaker) beat(topic engine.ID) engine.Message {
	if c := s.onTopic(topic); c != nil {
		if word := c.word(c.silence); word != nil {
			return word
		}
	}
	return nil
}

// publish gives FeedTree an item. Those between it and the one behind were sent before, or are not sent any
// more.
func (s *speaker) publish(ctx context.Context, c *publication, item *feedtree.Item, behind uint64) (err error) {
	s.host.InLoop(ctx, func() {
		if behind+1 < item.Number {
			s.trees.LeaveOut(c.topic, behind+1, item.Number-1)
		}
		if err = s.trees.Publish(c.topic, item); err == nil {
			c.gave(item.Number)
		}
	})
	return err
}

// announce announces a change of a publication's key on its topic.
func (s *speaker) announce(ctx context.Context, c *publication, word engine.Message) {
	var err error
	s.host.InLoop(ctx, func() { err = s.trees.Publish(c.topic, word) })
	if err != nil && !errors.Is(err, context.Canceled) {
		s.log.Warn("readers were not told of a key's change", "channel", c.name.channel, "error", err)
	}
}

// checking reports whether FeedTree still asks the network for what was published on a topic.
func (s *speaker) checking(ctx context.Context, topic engine.ID) (checking bool) {
	s.host.InLoop(ctx, func() { checking = s.trees.Checking(topic) })
	return checking
}
