package campaign

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/sim"
)

// Publisher is a feed that is pushed. Its node does what package node/publish does. It numbers, signs and stores an
// item, and sends it again until another node has it. All of that survives each fault but the loss of the disk
// (Amnesia). The key survives that too, as people keep a copy of it elsewhere. After that loss the publisher waits
// until the network is well: FeedTree can only go on above numbers that some node within its reach knows.
type Publisher struct {
	Node    int     `json:"node"`    // that publishes; it does not join late, and does not lie
	Readers int     `json:"readers"` // other nodes that follow it
	Every   Seconds `json:"every"`   // the mean time between two items
}

// Bounds of sending, as in package node/publish.
const (
	flightPatience = 30 * time.Second // an item that no other node has by then is sent again
	maxFlights     = 64               // items on their way at a time
)

// pushing sets what is drawn of publishers apart from what is drawn of channels.
const pushing = 1 << 31

// silence returns within what time publishers promise a word: short enough that a run sees it broken.
func (w *World) silence() time.Duration { return w.Interval.D() / 2 }

// author is a publisher in a run.
type author struct {
	*run
	number  int
	at      sim.Node
	every   time.Duration
	feed    coronatest.Pushed
	topic   engine.ID
	private ed25519.PrivateKey
	chance  *rand.Rand

	sent      uint64 // the highest number that FeedTree was ever given
	begun     bool   // it has published before
	lost      bool   // the disk was lost; nothing is published until its people say so
	contested bool   // FeedTree says that another node publishes
	life      int    // counts starts, so that what was planned in an earlier one does nothing

	// Of this life of the node.
	env    engine.Env
	node   *coronatest.Node
	flying map[uint64]bool // items that were sent, and that no other node is known to have
	handed uint64          // the last number that FeedTree was given
	spoken int64           // the latest time that was signed, in milliseconds since 1970
}

// book is what a publisher's node has on its disk besides items.
type book struct {
	Last   uint64   // the last number that was given
	Time   int64    // of that item, in milliseconds since 1970
	Unsent []uint64 // that no other node is known to have, ascending
}

// newAuthors returns the authors of a world.
func (r *run) newAuthors() (all []*author) {
	for i, p := range r.world.Publishers {
		name := fmt.Sprintf("publisher %d of %d", i, r.world.Seed)
		a := &author{run: r, number: i, at: sim.Node(p.Node), every: p.Every.D(),
			private: feedtreetest.PrivateKey(name)}
		a.chance = r.world.chance(pushing | uint64(i))
		a.feed = coronatest.Pushed{
			Channel: engine.IDOf([]byte(name)), Pin: feedtree.KeyOf(a.private).Fingerprint(),
			Silence: r.world.silence(),
		}
		a.topic = a.feed.Topic()
		all = append(all, a)
	}
	return all
}

// authorOn returns the author of a topic; nil: there is none.
func (r *run) authorOn(topic engine.ID) *author {
	for _, a := range r.authors {
		if a.topic == topic {
			return a
		}
	}
	return nil
}

// publishers begins what publishers do at a node that starts.
func (r *run) publishers(n sim.Node, env engine.Env, node *coronatest.Node) {
	for _, a := range r.authors {
		if a.at == n {
			a.starts(env, node)
		}
	}
}

// heed makes authors obey FeedTree's reports.
func (r *run) heed(_ time.Duration, n sim.Node, event any) {
	switch e := event.(type) {
	case feedtree.Overtaken:
		r.bid(n, e.Topic, func(a *author) { a.goAbove(e.Last) })
	case feedtree.Arrived:
		r.bid(n, e.Topic, func(a *author) { a.arrived(e.Number) })
	case feedtree.Contested:
		if a := r.authorOn(e.Topic); a != nil && a.at == n {
			a.contested = true
			r.judges.alone.contested(r.sim.Now(), a)
		}
	}
}

// bid has the author of a topic at a node do something, outside of the protocols.
func (r *run) bid(n sim.Node, topic engine.ID, do func(a *author)) {
	a := r.authorOn(topic)
	if a == nil || a.at != n {
		return
	}
	life := a.life
	r.sim.After(0, func() {
		if a.life == life {
			r.sim.Do(n, func(engine.Protocol) { do(a) })
		}
	})
}

func (a *author) file() string { return "publication on " + a.topic.String() }

func (a *author) read() (b book) {
	if data, ok := a.node.Disk.Get(a.file()); ok {
		if err := json.Unmarshal(data, &b); err != nil {
			panic(fmt.Sprintf("campaign: reading a publisher's own file: %v", err))
		}
	}
	return b
}

func (a *author) write(b book) {
	data, err := json.Marshal(b)
	if err != nil {
		panic(fmt.Sprintf("campaign: writing a publisher's file: %v", err))
	}
	a.node.Disk.Put(a.file(), data)
}

// starts is called when the node starts, before it is part of the network.
func (a *author) starts(env engine.Env, node *coronatest.Node) {
	a.life++
	a.env, a.node = env, node
	_, kept := node.Disk.Get(a.file())
	if a.begun && !kept {
		a.lost = true
		a.judges.pushed.lose(a.topic)
	}
	a.later(0, func() {
		if !a.lost {
			a.speak()
		}
	})
	a.issueLater()
	a.again()
}

// later does something after a while, in the same life of the node.
func (a *author) later(d time.Duration, f func()) {
	life := a.life
	a.env.After(d, func() {
		if a.life == life {
			f()
		}
	})
}

// speak has the node speak for the publisher.
func (a *author) speak() {
	b := a.read()
	a.begun, a.lost, a.contested = true, false, false
	a.flying, a.handed, a.spoken = make(map[uint64]bool), b.Last, b.Time
	if len(b.Unsent) > 0 {
		a.handed = b.Unsent[0] - 1
	}
	a.write(b)
	a.node.Feed.Unauthor(a.topic)
	err := a.node.Feed.Author(feedtree.Authoring{
		Topic: a.topic, Last: b.Last, Silence: a.feed.Silence, Beat: func() engine.Message { return a.beat() },
	})
	if err != nil {
		panic(fmt.Sprintf("campaign: a publisher is not spoken for: %v", err))
	}
	a.send()
	if word := a.beat(); word != nil {
		_ = a.node.Feed.Publish(a.topic, word) // another comes
	}
}

// speaks reports whether the node speaks for the publisher.
func (a *author) speaks() bool { return a.begun && !a.lost && !a.contested }

// now returns the time to sign: a clock that goes back does not make time go back.
func (a *author) now() int64 {
	a.spoken = max(a.spoken, a.env.Wall().UnixMilli())
	return a.spoken
}

// beat says that nothing is new; nil, while there is something to send that FeedTree was not given.
func (a *author) beat() engine.Message {
	b := a.read()
	if a.handed != b.Last {
		return nil
	}
	h := &feedtree.Heartbeat{Number: b.Last, Time: a.now(), Silence: uint32(a.feed.Silence / time.Second)}
	h.Sign(a.topic, a.private)
	return h
}

// issueLater has the next item published, as long as origins change.
func (a *author) issueLater() {
	d := time.Duration(a.chance.ExpFloat64() * float64(a.every))
	a.later(max(d, 10*time.Millisecond), func() {
		if a.changing && a.speaks() {
			a.issue()
		}
		a.issueLater()
	})
}

// issue publishes an item.
func (a *author) issue() {
	b := a.read()
	entry := fmt.Appendf(nil, "publication %d at %v", a.number, a.sim.Now())
	i := a.sign(b.Last+1, entry)
	a.write(book{i.Number, i.Time, append(b.Unsent, i.Number)})
	a.send()
}

// sign has an item that is signed be stored, and judged from now on.
func (a *author) sign(number uint64, entry []byte) *feedtree.Item {
	i := &feedtree.Item{Number: number, Time: a.now(), Entry: entry}
	i.Sign(a.topic, a.private)
	a.node.Items.Put(a.topic, i)
	a.judges.publishes(a.sim.Now(), a.topic, i)
	return i
}

// send gives FeedTree the first of the items that no other node has, but for those on their way.
func (a *author) send() {
	b := a.read()
	for _, number := range b.Unsent[:min(len(b.Unsent), maxFlights)] {
		if a.flying[number] || a.contested {
			continue
		}
		a.flying[number] = true
		if a.node.Feed.Publish(a.topic, a.node.Items.Item(a.topic, number)) == nil {
			a.handed, a.sent = max(a.handed, number), max(a.sent, number)
		}
	}
}

// again sends items anew that are on their way for long.
func (a *author) again() {
	a.later(flightPatience, func() {
		if a.speaks() {
			clear(a.flying)
			a.send()
		}
		a.again()
	})
}

// arrived notes that another node has an item.
func (a *author) arrived(number uint64) {
	b := a.read()
	if at, unsent := slices.BinarySearch(b.Unsent, number); unsent && a.speaks() {
		b.Unsent = slices.Delete(b.Unsent, at, at+1)
		a.write(b)
		delete(a.flying, number)
		a.send()
	}
}

// goAbove goes on with numbers above one. What was numbered up to it, and no other node has, is numbered anew.
func (a *author) goAbove(last uint64) {
	b := a.read()
	at := slices.IndexFunc(b.Unsent, func(number uint64) bool { return number <= last })
	b.Last = max(b.Last, last)
	if at < 0 || !a.speaks() {
		a.raise(b)
		return
	}
	gone := slices.Clone(b.Unsent[at:])
	b.Unsent = b.Unsent[:at]
	for _, number := range gone {
		was := a.node.Items.Item(a.topic, number)
		a.node.Items.Remove(a.topic, number)
		a.judges.pushed.withdraw(a.topic, coronatest.NameOfItem(was))
		b.Last++
		i := a.sign(b.Last, was.Entry)
		b.Unsent, b.Time = append(b.Unsent, i.Number), i.Time
	}
	a.raise(b)
	a.send()
}

// raise writes a book with higher numbers.
func (a *author) raise(b book) {
	a.write(b)
	if len(b.Unsent) == 0 {
		a.handed = b.Last
	} else {
		a.handed = b.Unsent[0] - 1
	}
}

// resume makes authors publish again after they have stopped, as the disk was lost or another node was reported to
// publish. If no node has the item that was numbered last, numbers are used twice, and nothing is promised.
func (a *author) resume() {
	if !a.begun || !a.lost && !a.contested {
		return
	}
	if a.lost && !a.isKnown() {
		a.judges.pushed.doubt(a.topic)
	}
	a.sim.Do(a.at, func(engine.Protocol) { a.speak() })
}

// isKnown reports whether a node that follows the publisher has the last item.
func (a *author) isKnown() bool {
	for n := range sim.Node(a.sim.Len()) {
		if a.sim.Up(n) && !a.liars[n] && a.net.Follows(n, a.topic) && a.net.Node(n).Items.Item(a.topic, a.sent) != nil {
			return true
		}
	}
	return a.sent == 0
}

// followers returns which nodes follow a publisher, as readers does.
func (w *World) followers(publisher int) []sim.Node {
	p := w.Publishers[publisher]
	all := slices.DeleteFunc(w.inOrder(pushing|publisher), func(n sim.Node) bool { return n == sim.Node(p.Node) })
	return all[:min(p.Readers, len(all))]
}
