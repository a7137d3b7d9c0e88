package corona

import (
	budgets "tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/corona/params"
	"tidings/network/corona/plan"
	"tidings/network/corona/version"
	"tidings/network/engine"
)

// Node is one node's part in Corona. It is an engine.Protocol, and the application of Corona's messages on the ring.
type Node struct {
	*core
	roster    *rosterHost
	plan      *plan.Plan
	poller    Poller
	inquiries inquiries // for the primaries of channels
	version   *version.Machine
	settle    *params.Settler
	budget    *budgets.Budget
}

// New returns a node that takes part as soon as ring is active. If keys is nil, nothing is signed and no signature is
// needed: for simulations in which nobody lies. Until Use is called, the primary itself sends updates to all
// subscribers. No message may be delivered to the node before. New panics if c is invalid.
func New(env engine.Env, ring Ring, keys engine.Keys, poller Poller, library Library, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	c0 := &core{Base: machine.Base{Env: env, Seed: env.Rand().Uint64(), Ring: ring, Keys: keys}, config: c,
		library: library, listener: noListener{}}
	n := &Node{core: c0}
	c0.node = n
	n.poller = poller
	n.roster = newRoster(c0)
	n.plan = plan.New(c0.Base, planHost{n}, poller, c.plan())
	n.settle = params.New(c0.Base, paramsHost{n}, c.agreement())
	n.budget = budgets.New(c0.Base, budgetHost{n}, c.budget())
	n.roster.OnChange(n.budgetChanged) // first: the plan asks how many nodes may poll
	n.roster.OnChange(n.planChanged)
	n.startVersion()
	ring.OnNeighbours(n.neighboursChanged)
	return n
}

// Receive handles a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Inquire:
		n.answerInquire(from, m)
	case *Facts:
		n.receiveFacts(from, m)
	case *params.ParamsRequest, *params.Params:
		n.settle.Receive(from, m)
	case *plan.AggregateRequest, *plan.Aggregate, *plan.Maintenance, *plan.Unknown, *plan.MaintenanceDigest,
		*plan.MaintenancePull:
		n.plan.Receive(from, m)
	case *budgets.AskProof, *budgets.Proof:
		n.budget.Receive(from, m)
	default:
		n.roster.Receive(from, m)
		n.version.Receive(from, m)
	}
}

// Deliver handles a message that was routed to a channel which this node is closest to.
func (n *Node) Deliver(key engine.ID, from engine.Peer, m engine.Message, _ int) {
	switch m := m.(type) {
	case *budgets.AskProof:
		n.budget.Deliver(from, m)
	default:
		n.roster.Deliver(key, from, m)
		n.version.Deliver(key, from, m)
	}
}

// Forward forwards all messages.
func (n *Node) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }

// PeerDown replaces a contact that is down.
func (n *Node) PeerDown(p engine.Peer) {
	n.roster.PeerDown(p)
	n.plan.PeerDown(p)
}

// Stop does nothing. The node holds no resources of its own, and the other owners of its channels have what it has
// (package roster).
func (n *Node) Stop() {}

// neighboursChanged is called when the leaf set has changed: channels may have new owners.
func (n *Node) neighboursChanged() {
	n.roster.RecheckOwners()
	n.settle.NeighboursChanged()
	n.plan.NeighboursChanged()
}
