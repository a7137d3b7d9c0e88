package corona

import "tidings/network/engine"

// Node is one node's part in Corona. It is an engine.Protocol, and the application of Corona's
// messages on the ring.
type Node struct {
	env     engine.Env
	seed    uint64 // of tables, so that nobody can make keys fall together
	config  Config
	ring    Ring
	keys    engine.Keys
	poller  *outOfTurn
	library Library
	// listener is told what the node acts on; never nil.
	listener Listener

	subscriptions subscriptions // own: what this node wants of others
	owned         ownership     // channels owned here
	aggregation   aggregation   // what is known of all nodes and channels
	planning      planning      // levels of the channels that this node is primary of
	wedges        wedges        // channels polled here
	versions      versions      // updates under way
	dissemination dissemination // how they come to subscribers
	inquiries     inquiries     // what primaries are to be asked
	params        params        // what is agreed on with all others
	claims        claims        // what is asked of hosts' owners
	hosts         hosts         // what is divided here as one
}

// New returns a node that takes part as soon as ring is active. Where keys is nil nothing is signed
// and no signature is asked for: that is for simulations in which nobody lies. Until Use is called
// the primary itself sends updates to all subscribers. Nothing is to be delivered to the node from
// the ring or the network before. It panics if c is not valid.
func New(env engine.Env, ring Ring, keys engine.Keys, poller Poller, library Library, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{env: env, seed: env.Rand().Uint64(), config: c, ring: ring, keys: keys, library: library, listener: unheard{}}
	n.poller = &outOfTurn{Poller: poller, n: n}
	n.startSubscriptions()
	n.startOwnership()
	n.startAggregation()
	n.startWedges()
	n.startVersions()
	n.startDissemination()
	n.startParams()
	n.startClaims()
	n.startHosts()
	ring.OnNeighbours(n.neighboursChanged)
	return n
}

// Receive takes a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Subscribe:
		n.takeSubscribe(m)
	case *Subscribed:
		n.subscribed(from, m)
	case *Copies:
		n.takeCopies(from, m)
	case *Stored:
		n.stored(from, m)
	case *Digests:
		n.compareDigests(from, m)
	case *Parts:
		n.takeParts(from, m)
	case *Want:
		n.takeWant(from, m)
	case *Entries:
		n.takeEntries(from, m)
	case *AggregateRequest:
		n.answerAggregateRequest(from, m)
	case *Aggregate:
		n.takeAggregate(from, m)
	case *Maintenance:
		n.takeMaintenance(from, m)
	case *Unknown:
		n.explain(from, m)
	case *MaintenanceDigest:
		n.takeMaintenanceDigest(from, m)
	case *MaintenancePull:
		n.answerMaintenancePull(from)
	case *Detected:
		n.takeBypassing(from, m, true)
	case *Ahead:
		n.takeAhead(from, m, true)
	case *Equivocation:
		n.takeEquivocation(from, m)
	case *Update:
		n.takeUpdate(from, m)
	case *Missing:
		n.answerMissing(from, m)
	case *Commit:
		n.takeCommit(from, m)
	case *Committed:
		n.takeCommitted(from, m)
	case *Shared:
		n.takeShared(from, m)
	case *Got:
		n.takeGot(from, m)
	case *Routed:
		n.takeRouted(from, m)
	case *Heard:
		n.takeHeard(from, m)
	case *Verify:
		n.takeVerify(from, m)
	case *Verified:
		n.takeVerified(from, m)
	case *Inquire:
		n.answerInquire(from, m)
	case *Facts:
		n.takeFacts(from, m)
	case *ParamsRequest:
		n.answerParamsRequest(from)
	case *Params:
		n.takeParams(from, m)
	case *Claims:
		n.takeClaims(from, m)
	case *AskProof:
		n.answerAskProof(from, m)
	case *Proof:
		n.takeProof(from, m)
	case *Grants:
		n.takeGrants(from, m)
	}
}

// Deliver takes a message that was routed to a channel which this node is closest to.
func (n *Node) Deliver(key engine.ID, from engine.Peer, m engine.Message, _ int) {
	switch m := m.(type) {
	case *Subscribe:
		n.takeSubscribe(m)
	case *Digests:
		n.compareDigests(from, m)
	case *Detected:
		n.takeDetected(key, from, m)
	case *Missing:
		n.offer(from, m)
	case *Limit:
		n.takeLimit(key, m)
	case *Equivocation:
		n.takeEquivocation(from, m)
	case *Ahead:
		n.takeAhead(from, m, false)
	case *Claims:
		n.handClaims(m)
	}
}

// Forward lets everything pass.
func (n *Node) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }

// PeerDown has the node find who stands in for a contact.
func (n *Node) PeerDown(p engine.Peer) {
	n.lostHome(p)
	n.lostContact(p)
}

// Stop ends all that was begun.
func (n *Node) Stop() {}

// neighboursChanged is called when the leaf set has changed: channels may have new owners.
func (n *Node) neighboursChanged() {
	n.recheckOwners()
	n.requestParamsSoon()
	if n.ring.Active() {
		n.lookForContacts()
	}
}
