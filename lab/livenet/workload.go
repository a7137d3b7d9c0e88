// Package livenet runs live test networks beside an origin with the channels that they follow: whole nodes over real
// connections on loopback. Most nodes are in this process; some are processes of their own that can be killed. The
// events are data: a [Workload], and [Phase]s of events. Each node's stream of updates is read; a judge compares what
// came with what was due.
//
// For experiments and tests: start with [Launch], go on with [Net.Play], and judge by [Net.Tally] or [Net.Verdicts].
package livenet

import (
	"fmt"
	"time"

	"tidings/lab/dataset"
	"tidings/network"
)

// PollsAtATime is the default number of polls that a node makes at a time. The origin answers at once, and all nodes
// share a machine, so that more would only wait for each other. Some wait for the disk.
const PollsAtATime = 16

// Workload is a test network and its channels. Nodes are numbered: processes first, then those of this process, then
// those that join later.
type Workload struct {
	Seed      uint64 // of the nodes by which others join
	Processes int    // nodes that are processes of their own
	Nodes     int    // in this process: at least 1
	Joining   int    // nodes of this process that are down until an event starts them

	Interval time.Duration      // the nodes' polling interval
	Polls    int                // that a node of this process makes at a time; 0: the usual number
	Router   network.RouterName // of updates of polled channels

	Channels []Channel
	// that channels are dealt out to in turn, each a port of the origin; 0: one. See corona.HostOf
	Hosts int
	Calm  time.Duration // from the beginning until recorded channels begin to change
	Speed float64       // seconds of a recorded history in a second
}

// Channel is a channel at the origin.
type Channel struct {
	Name    string // of its document; unique
	Kind    Kind
	Readers []int // nodes that follow it from the beginning; see Workload.Begin

	History dataset.History  // of a recorded channel: it begins with the first snapshot
	Facts   map[uint64]int32 // of a recorded channel: its facts, by SaidBy; negative: it is none

	// of a sent channel: the path of the zone; of a selected one: its items are some of those that are sent to that;
	// empty: it has none
	Zone  string
	Query string // of a selected channel, in canonical form
	Desk  string // of a selected channel: the publisher of its items
	From  string // of a selected channel: the published one with its news items; empty: it has those of a zone

	Publisher int  // of a published channel: the node that has its key; not one that joins
	Watched   bool // of a published channel: the node publishes what the feed's file has more after an edit
}

// Kind is how a channel comes to say something new.
type Kind uint8

// The kinds of channels.
const (
	Recorded  Kind = iota // a history is replayed; nodes poll it
	Edited                // a feed gains a story with each event Edit; nodes poll it
	Published             // as Edited, and a node publishes it: from the feed's file, and by events Publish
	Sent                  // it has what nodes send to a zone, by events Send
	Selected              // it has those of these items that a query selects
)

// Action is what an event does.
type Action string

// The actions.
const (
	Subscribe   Action = "subscribe"   // the node follows channels, as from one list
	Unsubscribe Action = "unsubscribe" // the node follows channels no more
	Start       Action = "start"       // the node comes back with the data that it had, or joins
	Stop        Action = "stop"        // the node leaves in good order
	Kill        Action = "kill"        // the process ends in whatever it is doing
	// the feeds of channels gain a story each; of published ones Node is their publisher
	Edit     Action = "edit"
	Publish  Action = "publish"  // the publisher of channels publishes an entry of each, and nobody waits for it
	Revise   Action = "revise"   // the publisher of channels publishes another version of an entry of each
	Withdraw Action = "withdraw" // the publisher of channels kills an entry of each
	Send     Action = "send"     // the node sends an item to the zones of channels
)

// Origin stands for a node in events without a node.
const Origin = -1

// Event is something that happens. A node's events happen in their order, each when the one before is done, except that
// nothing waits for a Publish. Nodes do not wait for each other.
type Event struct {
	At       time.Duration // since the phase began
	Do       Action
	Node     int
	Channels []int  // by index; all but Start, Stop and Kill
	Bytes    int    // of a Publish or a Revise: how long the entry is, about, as it travels
	News     bool   // of a Publish: the entry is a news item, as it has to be for what follows
	Entry    int    // of a Revise or a Withdraw: which entry of the channel, from 0; none is named twice
	Desk     string // of a Send: the item's publisher
}

// Phase is a part of what happens.
type Phase struct {
	For    time.Duration // lasts at least so long, and until all events are done
	Events []Event       // those of one node in the order of their times
	// it lasts until subscribers that are up have all that was edited and published, or for Patience
	Await bool
}

// Patience is how long a phase waits for what is due, and how long each event may last.
const Patience = 10 * time.Minute

// maxHosts bounds the ports of an origin.
const maxHosts = 1000

// total is how many nodes there are, with those that join later.
func (w *Workload) total() int { return w.Processes + w.Nodes + w.Joining }

// Validate reports the first thing in w that cannot be.
func (w *Workload) Validate() error {
	if w.Nodes < 1 || w.Processes < 0 || w.Joining < 0 || w.Interval <= 0 {
		return fmt.Errorf("%d nodes, %d processes, %d that join and an interval of %s make no network",
			w.Nodes, w.Processes, w.Joining, w.Interval)
	}
	if w.Hosts < 0 || w.Hosts > maxHosts {
		return fmt.Errorf("%d hosts are not between 0 and %d", w.Hosts, maxHosts)
	}
	names, published := make(map[string]bool), make(map[string]bool)
	for _, c := range w.Channels {
		published[c.Name] = c.Kind == Published
	}
	for i, c := range w.Channels {
		switch {
		case c.Name == "" || names[c.Name]:
			return fmt.Errorf("channel %d has no name, or that of another: %q", i, c.Name)
		case c.Kind == Recorded && (len(c.History.Snapshots) == 0 || w.Speed <= 0):
			return fmt.Errorf("channel %s has no history, or time stands still", c.Name)
		case c.Kind == Sent && c.Zone == "" || c.Kind == Selected && c.Query == "":
			return fmt.Errorf("channel %s has no zone, or no query", c.Name)
		case c.From != "" && (c.Kind != Selected || !published[c.From]):
			return fmt.Errorf("channel %s has items of %s, which nobody publishes", c.Name, c.From)
		case c.Kind == Published && (c.Publisher < 0 || c.Publisher >= w.Processes+w.Nodes):
			return fmt.Errorf("channel %s is published by node %d, which is not there", c.Name, c.Publisher)
		}
		for _, reader := range c.Readers {
			if reader < 0 || reader >= w.total() {
				return fmt.Errorf("channel %s is followed by node %d, which is not there", c.Name, reader)
			}
		}
		names[c.Name] = true
	}
	return nil
}

// check reports the first event of p that cannot be.
func (w *Workload) check(p Phase) error {
	last := make(map[int]time.Duration)
	for _, e := range p.Events {
		nobody := e.Do == Edit && e.Node == Origin
		publishes := e.Do == Publish || e.Do == Revise || e.Do == Withdraw
		switch {
		case !nobody && (e.Node < 0 || e.Node >= w.total()):
			return fmt.Errorf("%s by node %d, which is not there", e.Do, e.Node)
		case e.Do == Kill && e.Node >= w.Processes:
			return fmt.Errorf("%s of node %d, which is no process of its own", e.Do, e.Node)
		case e.At < last[e.Node]:
			return fmt.Errorf("%s by node %d at %s comes after what is at %s", e.Do, e.Node, e.At, last[e.Node])
		}
		last[e.Node] = e.At
		for _, i := range e.Channels {
			if i < 0 || i >= len(w.Channels) {
				return fmt.Errorf("%s of channel %d, which is not there", e.Do, i)
			}
			switch c := &w.Channels[i]; {
			case e.Do == Edit && c.Kind != Edited && c.Kind != Published || publishes && c.Kind != Published ||
				e.Do == Send && c.Kind != Sent:
				return fmt.Errorf("%s of channel %s, which is of another kind", e.Do, c.Name)
			case (e.Do == Edit || publishes) && c.Kind == Published && e.Node != c.Publisher:
				return fmt.Errorf("%s of channel %s by node %d, which is not its publisher", e.Do, c.Name, e.Node)
			}
		}
	}
	return nil
}

// subscribeEvery is how much time passes between two lists of channels that a node subscribes to.
const subscribeEvery = 5 * time.Second

// Begin makes the nodes that are there from the beginning subscribe to their channels, within some time; they
// alternate.
func (w *Workload) Begin(within time.Duration) (events []Event) {
	nodes := w.Processes + w.Nodes
	for i := range nodes {
		at := time.Duration(i) * min(subscribeEvery, within) / time.Duration(nodes)
		events = append(events, w.Subscribe(i, w.Follows(i), at, within)...)
	}
	return events
}

// Subscribe makes a node subscribe to channels list by list, some seconds apart, within a time that begins at a moment.
func (w *Workload) Subscribe(node int, channels []int, at, within time.Duration) (events []Event) {
	lists := max(int(within/subscribeEvery), 1)
	for i := range lists {
		part := channels[i*len(channels)/lists : (i+1)*len(channels)/lists]
		if len(part) > 0 {
			when := at + time.Duration(i)*subscribeEvery
			events = append(events, Event{At: when, Do: Subscribe, Node: node, Channels: part})
		}
	}
	return events
}

// Follows returns which channels a node follows from the beginning.
func (w *Workload) Follows(node int) (channels []int) {
	for i := range w.Channels {
		for _, reader := range w.Channels[i].Readers {
			if reader == node {
				channels = append(channels, i)
			}
		}
	}
	return channels
}
