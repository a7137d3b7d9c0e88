package newswire

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tidings/network"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Node is a node's part in NewsWire. It subscribes, publishes, forwards for the zones that it represents, and keeps
// items for those that have missed them.
type Node struct {
	env    engine.Env
	config Config
	seams  Seams
	zones  *astrolabe.Node

	interests interests
	announced []byte // the filter as it stands in the node's row

	jobs     map[jobKey]*job
	parcels  parcels
	outlets  outlets
	contacts contacts // those that speak for zones, and those that do where these are silent
	flow     flow     // of items, by publisher
	peers    flow     // of deliveries, by the nodes that bring them
	askers   flow     // of questions for missed items, by the nodes that ask
	cache    cache
	load     load
	book     book    // what is in the log
	waiting  []Entry // published before the node has found its zone; at most maxWaiting
	left     []Entry // what an earlier run has left in the log, for then; at most maxLogged

	predicates    predicates
	announce, ask engine.Alarm
	late          engine.Alarm // begins what waited
}

// interests are the topics that a node subscribes to.
type interests struct {
	joined  map[engine.ID]bool
	queries []engine.ID // topics of which the node's queries need one
}

func (i *interests) joins(topic engine.ID) bool { return topic != (engine.ID{}) && i.joined[topic] }

// topics returns all of them, in an order that is the same in each run.
func (i *interests) topics() []engine.ID {
	return append(slices.SortedFunc(maps.Keys(i.joined), engine.ID.Compare), i.queries...)
}

// AttrFilter is the attribute of members and zones that sums up what they subscribe to.
const AttrFilter = "filter"

// maxWaiting is how many items wait for the node to find its zone.
const maxWaiting = 64

// New returns a node that subscribes to nothing. It panics if c is not valid.
func New(env engine.Env, c Config, seams Seams, zones *astrolabe.Node) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		env: env, config: c, seams: seams, zones: zones, jobs: make(map[jobKey]*job),
		interests:  interests{joined: make(map[engine.ID]bool)},
		predicates: predicates{compile: seams.Compile},
		book:       book{env: env, log: seams.Log, keep: c.Keep},
		load:       load{env: env, zones: zones, window: c.Window},
	}
	n.flow = flow{rate: c.Rate, burst: c.Burst}
	n.peers = flow{rate: peerFlow * c.Rate, burst: peerFlow * c.Burst}
	n.askers = flow{rate: askRate, burst: askBurst}
	n.contacts = contacts{env: env, patience: c.Patience, zones: zones}
	n.cache.init(c)
	n.ask.Set(env, env.Now()+n.jittered(c.CatchUp), n.catchUp)
	n.resume()
	return n
}

// Join has events on a topic delivered from now on.
func (n *Node) Join(topic engine.ID) {
	if !n.interests.joined[topic] && len(n.interests.joined) >= n.config.MaxTopics {
		n.env.Trace(LimitHit{"MaxTopics", n.config.MaxTopics})
		return
	}
	n.interests.joined[topic] = true
	n.changed()
}

// Leave ends what Join began.
func (n *Node) Leave(topic engine.ID) {
	delete(n.interests.joined, topic)
	n.changed()
}

// Select has events delivered that Seams.Wants selects. Each such event has been published with one of the topics at
// least. It replaces an earlier Select.
func (n *Node) Select(topics []engine.ID) {
	n.interests.queries = topics[:min(len(topics), n.config.MaxTopics)]
	n.changed()
}

// changed announces to the zones what the node subscribes to, once for all that changes at a time.
func (n *Node) changed() { n.announce.Soon(n.env, n.env.Now(), n.announceRow) }

func (n *Node) announceRow() {
	before := n.announced
	n.announced = n.config.Shape.Filter(n.interests.topics())
	n.zones.Set(append(n.load.attributes(n.load.announced),
		attr.Attribute{Name: AttrFilter, Value: attr.Bytes(n.announced)})...)
	if _, placed := n.zones.Path(); !placed || bytes.Equal(n.announced, before) {
		return
	}
	// An item that the node has forwarded before it wanted it is not sent to it again: after a start it forwards sooner
	// than it knows what it follows.
	n.cache.recent(n.env.Now()-n.config.Missed, func(k *kept) bool {
		n.deliverHere(k.item, engine.Peer{})
		return true
	})
}

// Publish sends an event to all that have joined a topic.
func (n *Node) Publish(topic engine.ID, event engine.Message) {
	if err := n.Send(zone.Root, topic, []engine.ID{topic}, "", event); err != nil {
		n.env.Trace(Refused{n.env.Self(), err.Error()})
	}
}

// MaxTopicsOfItem is how many topics an item has at most.
const MaxTopicsOfItem = 64

// Errors of Send.
var (
	ErrTopics    = errors.New("an item has 1 to 64 topics")
	ErrPredicate = errors.New("a condition that is none")
	ErrEvent     = errors.New("an event that is not admitted")
)

// Send delivers an event to all members of a zone that subscribe to one of topics, if their rows, and those of the
// zones on the way, satisfy condition. An empty condition matches all. topic is the one that members have joined
// without a query; zero: there is none. topics may lack it, if its members get the event in another way. The event must
// not be changed afterwards.
func (n *Node) Send(to zone.Path, topic engine.ID, topics []engine.ID, condition string, event engine.Message) error {
	if len(topics) == 0 || len(topics) > MaxTopicsOfItem {
		return fmt.Errorf("%w, not %d", ErrTopics, len(topics))
	}
	if condition != "" {
		if len(condition) > maxPredicate {
			return fmt.Errorf("%w: it has %d bytes, more than %d", ErrPredicate, len(condition), maxPredicate)
		}
		if err := n.predicates.of(condition).err; err != nil {
			return fmt.Errorf("%w: %w", ErrPredicate, err)
		}
	}
	id, size, ok := n.seams.Member.Admit(topic, event, n.env.Self())
	if !ok {
		return ErrEvent
	}
	m := &Item{ID: id, Publisher: n.env.Self(), Topic: topic, Zone: to, Predicate: condition, Event: event}
	for _, t := range topics {
		m.Bits = n.config.Shape.positions(m.Bits, t)
	}
	m.Proof = n.zones.Proof()
	if err := n.mayPublish(m); err != nil {
		return fmt.Errorf("publishing to %s: %w", to, err)
	}
	copy(m.Signature[:], n.seams.Keys.Sign(m.Words()))
	n.cache.add(m, size, n.env.Now())
	n.begin(n.book.entry(m, m.Zone, n.env.Now()))
	return nil
}

// begin brings an item to a zone, as soon as the node knows its own.
func (n *Node) begin(e Entry) {
	if _, ok := n.zones.Path(); ok {
		if n.jobs[e.key()] == nil {
			n.start(e.Item, n.book.since(e), e.Zone)
		}
		return
	}
	if len(n.waiting) == maxWaiting {
		n.env.Trace(LimitHit{"maxWaiting", maxWaiting})
		n.book.strike(n.waiting[0].key())
		n.waiting = n.waiting[1:]
	}
	n.waiting = append(n.waiting, e)
	n.book.write(e, n.cache.size(e.Item.Name()), func() {})
}

// TableChanged is as in astrolabe.Watcher: parcels that are held for a zone are sent when the zone has named others.
func (n *Node) TableChanged(z zone.Path) { resend(n, z) }

// Moved is as in astrolabe.Watcher: parcels that waited for a zone are sent when the node has had time to learn of
// others there.
func (n *Node) Moved(zone.Path) {
	if len(n.waiting)+len(n.left) > 0 {
		n.late.Soon(n.env, n.env.Now()+n.config.Patience, n.beginWaiting)
	}
}

func (n *Node) beginWaiting() {
	waiting := append(n.left, n.waiting...)
	n.left, n.waiting = nil, nil
	for _, e := range waiting {
		n.begin(e)
	}
}

// Receive handles a message.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	n.contacts.suspects.clear(from.ID)
	switch m := m.(type) {
	case *Forward:
		n.onForward(from, m)
	case *Deliver:
		n.onDeliver(from, m)
	case *Taken:
		n.onTaken(from, m)
	case *Done:
		n.onDone(from, m)
	case *Busy:
		n.onBusy(from, m)
	case *Elsewhere:
		n.onElsewhere(from, m)
	case *CatchUp:
		n.onCatchUp(from, m)
	case *Missed:
		n.onMissed(from, m)
	case *FindMember:
		n.contacts.answer(from, m, func() bool { return n.askers.spend(from.ID, n.env.Now()) })
	case *MemberFound:
		if row, found := n.contacts.found(from, m); found {
			sendAll(n, n.parcels.stuck(row, n.contacts.suspected))
		}
	}
}

// deliver hands over an item, if the node subscribes to it and has not had it.
func (n *Node) deliver(m *Item, from engine.Peer) {
	if !n.cache.delivers(m.ID) {
		return
	}
	if !n.interests.joins(m.Topic) && (n.seams.Wants == nil || !n.seams.Wants(m.Event)) {
		n.env.Trace(Unwanted{m.ID})
		return
	}
	n.env.Trace(Delivered{m.ID, m.Topic})
	n.seams.Member.Deliver(m.Topic, m.Event, from)
}

// Stop ends the node. What it was at work on goes on by others, which notice.
func (n *Node) Stop() {
	for _, j := range n.jobs {
		j.sign.Stop()
	}
	n.parcels.stop()
	n.predicates.close()
	n.load.reckon.Stop()
	n.late.Stop()
	n.announce.Stop()
	n.ask.Stop()
}

var (
	_ engine.Protocol   = (*Node)(nil)
	_ network.Router    = (*Node)(nil)
	_ astrolabe.Watcher = (*Node)(nil)
)
