package routers

import (
	"sync"

	"tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
)

// seat is a node that follows a topic, or is in its tree.
type seat struct {
	node  int
	topic engine.ID
}

// seats are who follows channels by a router, and whether anything has come to each since. They are a part of logs, whose mutex is theirs.
type seats struct {
	mu  sync.Mutex
	has map[seat]bool
}

// add forgets what a node has had that starts anew: it is told again.
func (s *seats) add(d deed) {
	if d.what != boots {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for at := range s.has {
		if at.node == d.node {
			delete(s.has, at)
		}
	}
}

// carried takes note of who brings a channel to a node from now on, and reports whether that is no router.
func (s *seats) carried(node int, e corona.Carried) (left bool) {
	at := seat{node, e.Channel}
	if e.Router == network.Direct {
		delete(s.has, at)
		return true
	}
	if _, in := s.has[at]; !in {
		s.has[at] = false
	}
	return false
}

// arrived takes note that something came, and reports whether the node follows the topic.
func (s *seats) arrived(at seat) (follows bool) {
	if _, follows = s.has[at]; follows {
		s.has[at] = true
	}
	return follows
}

// settled reports whether something has come to all who follow channels, and of so many channels.
func (s *seats) settled(channels int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	topics := make(map[engine.ID]bool)
	for at, came := range s.has {
		if !came {
			return false
		}
		topics[at.topic] = true
	}
	return len(topics) >= channels
}
