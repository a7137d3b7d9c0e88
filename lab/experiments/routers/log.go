package routers

import (
	"cmp"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/routers/rappel"
)

// rappelLog is what the nodes of a world did, whole ones or simulated ones. It may be written to in several goroutines.
type rappelLog struct {
	mu   sync.Mutex
	list []deed
}

// deed is something that happened at a node.
type deed struct {
	at      time.Duration
	node    int
	what    verb
	topic   engine.ID
	version uint64 // of what is published or delivered
	content uint64 // what is delivered is the same update if this is
}

// verb says what happened.
type verb uint8

const (
	boots     verb = iota + 1
	dies           // without a word
	stops          // in good order
	joins          // a tree
	leaves         // a tree
	attaches       // to a parent
	roots          // it is the top of a tree from now on
	publishes      // an update, as the root
	delivers       // an update to its member
	isSent         // an update, be it the first time, again, or unasked
)

func (l *rappelLog) add(d deed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, d)
}

func (l *rappelLog) observe(at time.Duration, node int, event any) {
	d := deed{at: at, node: node}
	switch e := event.(type) {
	case corona.Carried:
		if d.what, d.topic = joins, e.Channel; e.Router == network.Direct {
			d.what = leaves
		}
	case rappel.Attached:
		d.what, d.topic = attaches, e.Topic
	case rappel.Rooted:
		if d.what, d.topic = roots, e.Topic; !e.On {
			return
		}
	case rappel.Published:
		d.what, d.topic, d.version = publishes, e.Topic, numberOf(e.Event)
	case rappel.Delivered:
		d.what, d.topic, d.version, d.content = delivers, e.Topic, numberOf(e.Event), contentHash(e.Event)
	case rappel.Came:
		d.what, d.topic = isSent, e.Topic
	case rappel.Repeated:
		d.what, d.topic = isSent, e.Topic
	case rappel.Refused:
		if d.what, d.topic = isSent, e.Topic; e.Why != "unasked" {
			return
		}
	default:
		return
	}
	l.add(d)
}

// numberOf returns the version of a live update, or the number of a simulated one.
func numberOf(event engine.Message) uint64 {
	switch e := event.(type) {
	case *corona.Update:
		return e.Version
	case *testnet.Note:
		return e.Number
	}
	return 0
}

var updates = engine.NewCodec(corona.Vocabulary)

// contentHash returns the hash that identifies a live update; simulated ones differ in their numbers.
func contentHash(event engine.Message) uint64 {
	if _, is := event.(*corona.Update); !is {
		return 0
	}
	frame, err := updates.AppendFrame(nil, event)
	if err != nil {
		panic(err) // it has just come by a frame
	}
	h := fnv.New64a()
	_, _ = h.Write(frame) // it never fails
	return h.Sum64()
}

func (l *rappelLog) deeds() []deed {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Clone(l.list)
	slices.SortStableFunc(list, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
	return list
}

// settled reports whether all nodes that have joined trees are in them, and whether an update has gone down each of so
// many trees.
func (l *rappelLog) settled(trees int) bool {
	attached, published := make(map[seat]bool), make(map[engine.ID]bool)
	for _, d := range l.deeds() {
		switch s := (seat{d.node, d.topic}); d.what {
		case joins:
			if _, before := attached[s]; !before {
				attached[s] = false
			}
		case leaves:
			delete(attached, s)
		case attaches, roots:
			attached[s] = true
		case publishes:
			published[d.topic] = true
		}
	}
	for _, in := range attached {
		if !in {
			return false
		}
	}
	return len(published) >= trees
}

// seat is a node that follows a topic, or is in its tree.
type seat struct {
	node  int
	topic engine.ID
}

// seats are the nodes that follow channels by a router, and whether any update has come to each since. They are a part
// of logs, and under their mutex.
type seats struct {
	mu  sync.Mutex
	has map[seat]bool
}

// add forgets what a node has had that starts anew: it receives it again.
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

// carried notes which router brings a channel to a node from now on, and reports whether that is none.
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

// arrived notes that something came, and reports whether the node follows the topic.
func (s *seats) arrived(at seat) (follows bool) {
	if _, follows = s.has[at]; follows {
		s.has[at] = true
	}
	return follows
}

// settled reports whether something has come to all nodes that follow channels, and of so many channels.
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
