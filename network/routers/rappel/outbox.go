package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// outbox holds what was published here and is not known to be at the root yet (section 2: secondary publishers).
type outbox struct {
	*core
	list []*letter
}

type letter struct {
	topic  engine.ID
	event  engine.Message
	digest uint64
	tries  int
	next   time.Duration
}

// add accepts an event, to be sent at once. If there is no room it is dropped.
func (o *outbox) add(topic engine.ID, event engine.Message, digest uint64) {
	if slices.ContainsFunc(o.list, func(l *letter) bool { return l.topic == topic && l.digest == digest }) {
		return
	}
	if len(o.list) >= o.config.MaxUntaken {
		o.env.Trace(LimitHit{"MaxUntaken", o.config.MaxUntaken})
		o.env.Trace(Untaken{topic, event})
		return
	}
	o.list = append(o.list, &letter{topic: topic, event: event, digest: digest})
	o.wake(o.now())
}

// run sends what is due, and returns when something will be. Where this node itself has become the root, issue is
// called.
func (o *outbox) run(now time.Duration, issue func(*letter)) (next time.Duration) {
	next = never
	var own []*letter
	o.list = slices.DeleteFunc(o.list, func(l *letter) bool {
		root := o.seams.Directory.Root(l.topic)
		switch {
		case now >= l.next && l.tries >= o.config.PublishTries:
			o.env.Trace(Untaken{l.topic, l.event})
			return true
		case root.ID == o.id():
			own = append(own, l)
			return true
		case now >= l.next:
			l.next = now + o.config.PublishRetry<<l.tries
			l.tries++
			if !root.IsZero() {
				o.env.Send(root, &Publish{Topic: l.topic, Event: l.event})
			}
		}
		next = min(next, l.next)
		return false
	})
	for _, l := range own {
		issue(l)
	}
	return next
}

// hurry has the events of a topic sent at once: the root is another.
func (o *outbox) hurry(topic engine.ID, now time.Duration) {
	for _, l := range o.list {
		if l.topic == topic {
			l.next = now
		}
	}
}

// confirmed ends the wait for a root.
func (o *outbox) confirmed(from engine.Peer, m *Taken) {
	o.list = slices.DeleteFunc(o.list, func(l *letter) bool {
		if l.topic != m.Topic || l.digest != m.Digest || o.seams.Directory.Root(l.topic).ID != from.ID {
			return false
		}
		if m.Refused {
			o.env.Trace(Untaken{l.topic, l.event})
		} else {
			o.env.Trace(Rested{l.topic, l.event})
			if o.seams.OnTaken != nil {
				o.seams.OnTaken(l.topic, l.event, from)
			}
		}
		return true
	})
}
