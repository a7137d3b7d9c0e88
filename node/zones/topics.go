package zones

import (
	"context"
	"time"

	router "tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/routers/newswire"
)

// selectTopics requests events with any of the topics, while the network has agreed on this router. They replace
// earlier ones.
func (r *Router) selectTopics(topics []engine.ID) {
	r.topics = topics
	r.selectAgain()
}

// agreed notes whether the network has agreed on this router. Then the node looks for its zone at once: a node that may
// become the primary of a channel has to know what others want of it.
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

// Publish sends an event to the nodes that have joined its topic, and to those that want an item in it.
func (r *Router) Publish(topic engine.ID, event engine.Message) {
	switch e := event.(type) {
	case *corona.Update:
		r.sendUpdate(topic, e, topic)
	case *feedtree.Item:
		r.sendPushed(topic, e)
	case *feedtree.Heartbeat, *feedtree.Rotation, *feedtree.Revocation:
		r.send(topic, &feedtree.Named{Event: e}, topic)
	default:
		r.send(topic, e, topic)
	}
}

// Offer is as in router.Selector. An event without items is not sent.
func (r *Router) Offer(topic engine.ID, event engine.Message) {
	if u, is := event.(*corona.Update); is {
		r.sendUpdate(topic, u)
	}
}

// sendUpdate sends an update with the given topics and those of its items. These are found outside the loop, as reading
// an update is slow.
func (r *Router) sendUpdate(topic engine.ID, u *corona.Update, topics ...engine.ID) {
	r.work(len(u.Payload) > 0, func() {
		// An unreadable update has no items. The channel's followers find that out by themselves.
		found, _ := r.host.Topics(u.URL, u.Payload, newswire.MaxTopicsOfItem-1)
		topics = append(topics, topicIDs(found)...)
	}, func() { r.send(topic, u, topics...) })
}

// namingWithin is how long a pushed item waits for the store to report what others may know of it.
const namingWithin = 5 * time.Second

// sendPushed sends an item that its publisher has pushed to its followers. If the channel is public, it also goes, with
// the channel's address, to nodes that want it by its content.
func (r *Router) sendPushed(topic engine.ID, item *feedtree.Item) {
	named, topics := &feedtree.Named{Event: item}, []engine.ID{topic}
	r.work(true, func() {
		ctx, cancel := context.WithTimeout(context.Background(), namingWithin)
		defer cancel()
		url, found := r.host.Published(ctx, topic, item, newswire.MaxTopicsOfItem-1)
		if whole := (&feedtree.Named{URL: url, Event: item}); url != "" && whole.Fits(topic) {
			named, topics = whole, append(topics, topicIDs(found)...)
		}
	}, func() { r.send(topic, named, topics...) })
}

// work runs find outside the loop, and then done in it. If that is impossible, it runs only done.
func (r *Router) work(worth bool, find, done func()) {
	r.begin()
	if !worth || !r.env.Work(find, done) {
		done()
	}
}

// send sends an event with the given topics; without any no node wants it.
func (r *Router) send(topic engine.ID, event engine.Message, topics ...engine.ID) {
	r.begin()
	if len(topics) == 0 {
		return
	}
	if err := r.news.Send(zone.Root, topic, topics, "", event); err != nil {
		r.env.Trace(newswire.Refused{From: r.env.Self(), Why: err.Error()})
	}
}

func topicIDs(topics []string) (ids []engine.ID) {
	for _, t := range topics {
		ids = append(ids, topicID(t))
	}
	return ids
}

// member is a node's part in Corona, and in the words of publishers and volunteers, as the zones' router sees it. It is
// also the queries and zones that people at the node follow. These get all updates and pushed items that come, as the
// router does not report whether an event came for the one or the others. They also get the items that were sent to
// zones.
type member struct {
	corona.TreeMember
	others router.Member
	zones  *Zones
	router *Router
}

// Deliver is as in router.Member.
func (m member) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	switch e := event.(type) {
	case *feedtree.Item:
		if to, ok := m.router.zoneOf(topic, e.Key); ok { // else it was sent to another zone
			m.zones.brought(to, e)
		}
	case *corona.Update:
		m.TreeMember.Deliver(topic, e, from)
		if m.zones.host.Wants(e) {
			m.zones.host.Brought(e)
		}
	case *feedtree.Named:
		m.others.Deliver(topic, e.Event, from)
		if m.zones.host.Wants(e) {
			m.zones.broughtPush(e)
		}
	default:
		m.others.Deliver(topic, e, from)
	}
}

// unnamed returns an event as it was published.
func unnamed(event engine.Message) engine.Message {
	if e, is := event.(*feedtree.Named); is {
		return e.Event
	}
	return event
}

var (
	_ router.Selector  = (*Router)(nil)
	_ router.Recoverer = member{}
)
