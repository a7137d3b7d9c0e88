package check

import (
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// subscriptions are which nodes want what, in the order in which the first of each pair came.
type subscriptions struct {
	list  []subscription
	index map[subscriber]int // in list
	nodes byNode[[]int]      // in list, by node
}

type subscriber struct {
	node  sim.Node
	topic engine.ID
}

type subscription struct {
	subscriber
	on    bool
	since time.Duration // or until, if it is not on
}

// observe notes what changes subscriptions.
func (s *subscriptions) observe(at time.Duration, n sim.Node, event Event) {
	switch e := event.(type) {
	case Subscribed:
		s.set(subscriber{n, e.Topic}, true, at)
	case Unsubscribed:
		s.set(subscriber{n, e.Topic}, false, at)
	case Forgot:
		for _, i := range *s.nodes.of(n) {
			s.set(s.list[i].subscriber, false, at)
		}
	}
}

func (s *subscriptions) set(pair subscriber, on bool, at time.Duration) {
	i, known := s.index[pair]
	switch {
	case !known && on:
		if s.index == nil {
			s.index = make(map[subscriber]int)
		}
		s.index[pair] = len(s.list)
		of := s.nodes.of(pair.node)
		*of = append(*of, len(s.list))
		s.list = append(s.list, subscription{pair, true, at})
	case known && s.list[i].on != on:
		s.list[i].on, s.list[i].since = on, at
	}
}

// of returns a node's subscription to a topic, if it ever had one.
func (s *subscriptions) of(n sim.Node, topic engine.ID) (subscription, bool) {
	i, known := s.index[subscriber{n, topic}]
	if !known {
		return subscription{}, false
	}
	return s.list[i], true
}
