package node

import (
	router "tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/newswire"
	"tidings/node/queries"
	"tidings/source/feed"
)

// newsTopics is what of the zones' router concerns items that are sent by what they say.
type newsTopics struct {
	topics []engine.ID // that queries here need
	routes bool        // the network has agreed on this router
}

// Select has events brought that have one of some topics, while the network has agreed on this router. They take the place of earlier ones.
func (z *zoned) Select(topics []engine.ID) {
	z.topics = topics
	z.selectAgain()
}

// agreed notes whether the network has agreed on this router. Then the node looks for its zone at once: who may become the primary of a channel has to
// know what others want of it.
func (z *zoned) agreed(routes bool) {
	z.routes = routes
	z.selectAgain()
}

func (z *zoned) selectAgain() {
	switch {
	case z.routes:
		z.begin()
		z.news.Select(z.topics)
	case z.news != nil:
		z.news.Select(nil)
	}
}

// Publish sends an event to those who have joined its topic, and those who want an item in it.
func (z *zoned) Publish(topic engine.ID, event engine.Message) {
	z.send(topic, event, []engine.ID{topic})
}

// Offer is as in router.Selector. An event without items is not sent.
func (z *zoned) Offer(topic engine.ID, event engine.Message) {
	z.send(topic, event, nil)
}

// send sends an event with some topics and those of its items, which are found outside the loop: to read an update takes long.
func (z *zoned) send(topic engine.ID, event engine.Message, topics []engine.ID) {
	z.begin()
	u, is := event.(*corona.Update)
	done := func() {
		if len(topics) == 0 {
			return
		}
		if err := z.news.Send(zone.Root, topic, topics, "", event); err != nil {
			z.env.Trace(newswire.Refused{From: z.env.Self(), Why: err.Error()})
		}
	}
	find := func() {
		// What cannot be read is nobody's item. Those who follow the channel find that out by themselves.
		found, _ := queries.Topics(u.URL, u.Payload, newswire.MaxTopicsOfItem-1, feed.Default())
		for _, t := range found {
			topics = append(topics, topicID(t))
		}
	}
	if !is || len(u.Payload) == 0 || !z.env.Work(find, done) {
		done()
	}
}

// newsMember is a node's part in Corona as the zones' router sees it, and the queries and zones that people at the node follow: these are given all updates
// that come, as the router does not say whether it came for the one or the others, and the items that were sent to zones.
type newsMember struct {
	corona.TreeMember
	node   *Node
	zoneOf func(topic engine.ID, key feedtree.Key) (zone.Path, bool) // as in zoned
}

// Admit is as in router.Member: of items that were sent to zones it lets pass those that their sender has signed.
func (m newsMember) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	if item, is := event.(*feedtree.Item); is {
		return admitSent(topic, item)
	}
	return m.TreeMember.Admit(topic, event, from)
}

// Deliver is as in router.Member.
func (m newsMember) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	switch e := event.(type) {
	case *feedtree.Item:
		if to, ok := m.zoneOf(topic, e.Key); ok { // else it was sent to another zone, whatever those say who have passed it on
			m.node.broughtToZone(to, e)
		}
	case *corona.Update:
		m.TreeMember.Deliver(topic, e, from)
		if m.node.wantsUpdate(e) {
			m.node.brought(e)
		}
	}
}

var (
	_ router.Selector  = (*zoned)(nil)
	_ router.Recoverer = newsMember{}
)
