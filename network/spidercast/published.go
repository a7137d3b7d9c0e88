package spidercast

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// published is the topics on which this node publishes without having joined them.
type published struct {
	list []publishing // in the order of until
}

type publishing struct {
	topic engine.ID
	until time.Duration
}

func (p *published) has(topic engine.ID) bool {
	return slices.ContainsFunc(p.list, func(o publishing) bool { return o.topic == topic })
}

// renew keeps a topic until a time, later than of all others.
func (p *published) renew(topic engine.ID, until time.Duration) {
	p.remove(topic)
	p.list = append(p.list, publishing{topic, until})
}

func (p *published) remove(topic engine.ID) {
	p.list = slices.DeleteFunc(p.list, func(o publishing) bool { return o.topic == topic })
}

// expired takes out and returns the topics whose time is over, and when the next one's is; ok: there is one.
func (p *published) expired(now time.Duration) (topics []engine.ID, next time.Duration, ok bool) {
	for len(p.list) > 0 && p.list[0].until <= now {
		topics = append(topics, p.list[0].topic)
		p.list = p.list[1:]
	}
	if len(p.list) == 0 {
		return topics, 0, false
	}
	return topics, p.list[0].until, true
}
