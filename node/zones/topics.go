package zones

import (
	router "tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/newswire"
)

// selectTopics has events brought that have one of some topics, while the network has agreed on this router. They take the place of earlier ones.
func (r *Router) selectTopics(topics []engine.ID) {
	r.topics = topics
	r.selectAgain()
}

// agreed notes whether the network has agreed on this router. Then the node looks for its zone at once: who may become the primary of a channel has to
// know what others want of it.
func (r *Router) agreed(routes bool) {
	r.routes = routes
	r.selectAgain()
}

func (r *Router) selectAgain() {
	switch {
	case r.routes:
		r.begin()
		r.news.Select(r.topics)
	case r.news != nil:
		r.news.Select(nil)
	}
}

// Publish sends an event to those who have joined its topic, and those who want an item in it.
func (r *Router) Publish(topic engine.ID, event engine.Message) {
	r.send(topic, event, []engine.ID{topic})
}

// Offer is as in router.Selector. An event without items is not sent.
func (r *Router) Offer(topic engine.ID, event engine.Message) {
	r.send(topic, event, nil)
}

// send sends an event with some topics and those of its items, which are found outside the loop: to read an update takes long.
func (r *Router) send(topic engine.ID, event engine.Message, topics []engine.ID) {
	r.begin()
	u, is := event.(*corona.Update)
	done := func() {
		if len(topics) == 0 {
			return
		}
		if err := r.news.Send(zone.Root, topic, topics, "", event); err != nil {
			r.env.Trace(newswire.Refused{From: r.env.Self(), Why: err.Error()})
		}
	}
	find := func() {
		// What cannot be read is nobody's item. Those who follow the channel find that out by themselves.
		found, _ := r.host.Topics(u.URL, u.Payload, newswire.MaxTopicsOfItem-1)
		for _, t := range found {
			topics = append(topics, topicID(t))
		}
	}
	if !is || len(u.Payload) == 0 || !r.env.Work(find, done) {
		done()
	}
}

// member is a node's part in Corona as the zones' router sees it, and the queries and zones that people at the node follow: these are given all updates
// that come, as the router does not say whether it came for the one or the others, and the items that were sent to zones.
type member struct {
	corona.TreeMember
	zones  *Zones
	router *Router
}

// Deliver is as in router.Member.
func (m member) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	switch e := event.(type) {
	case *feedtree.Item:
		if to, ok := m.router.zoneOf(topic, e.Key); ok { // else it was sent to another zone, whatever those say who have passed it on
			m.zones.brought(to, e)
		}
	case *corona.Update:
		m.TreeMember.Deliver(topic, e, from)
		if m.zones.host.Wants(e) {
			m.zones.host.Brought(e)
		}
	}
}

var (
	_ router.Selector  = (*Router)(nil)
	_ router.Recoverer = member{}
)
