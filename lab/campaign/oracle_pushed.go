package campaign

import (
	"maps"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// pushed checks that every published item reaches each live node that has followed its publisher since before. An item
// that is published after all nodes are back has a deadline. It is the sum of a publisher's silence, after which its
// next message shows what is missing; feedtree.Config.Lag; and reaching, in which the missing item is searched for.
//
// Three kinds of items may come later. An item may wait for a search that rests: for as long as the search has failed
// so far, and an eighth (feedtree.Config.Retry). An item that is dated ahead may wait until nodes stop refusing it. A
// follower that has banned a liar may be behind it until the ban ends, if the liar is the tree's root and the publisher
// has not banned it. It polls the conventional feed then, which no world has.
//
// Four kinds of items are not judged: items that were numbered anew, items further back than feedtree.Config.Window,
// items that only a lost disk had, and items dated so far ahead that nodes refuse them.
type pushed struct {
	verdict
	within    time.Duration
	late      time.Duration // what is from before all was back comes within this time from then on
	hold      time.Duration // feedtree.Config.Hold by the fastest clock
	on        bool
	begun     time.Duration
	feeds     map[engine.ID]*pushedFeed
	topics    []engine.ID // of feeds, in the order in which they began
	followers followers
	had       map[delivery]time.Duration
	bans      map[sim.Node]time.Duration // until when a node ignores a liar
}

// pushedFeed is what a publisher has published.
type pushedFeed struct {
	items   []pushedItem
	places  map[engine.ID]int // of items, by content
	last    uint64            // the highest number
	lost    int               // items before this one may be lost
	doubted bool              // numbers may be given twice
}

type pushedItem struct {
	number  uint64
	content engine.ID
	at      time.Duration // when it was signed
	from    time.Duration // when nodes accept it: later, where it is dated ahead
	gone    bool          // it was numbered anew
}

func (w *World) newPushed() *pushed {
	c := feedtree.Default()
	p := &pushed{within: w.silence() + c.Lag + reaching, hold: c.Hold, feeds: make(map[engine.ID]*pushedFeed),
		had: make(map[delivery]time.Duration), bans: make(map[sim.Node]time.Duration)}
	p.late = w.Storm.D()*9/8 + p.within
	for _, f := range w.Faults {
		if f.Kind == Rate && f.Amount > 1 {
			p.hold = min(p.hold, time.Duration(float64(c.Hold)/f.Amount))
		}
	}
	return p
}

// of returns a publisher's feed, a new one if need be.
func (p *pushed) of(topic engine.ID) *pushedFeed {
	if p.feeds[topic] == nil {
		p.feeds[topic] = &pushedFeed{places: make(map[engine.ID]int)}
		p.topics = append(p.topics, topic)
	}
	return p.feeds[topic]
}

// publishes notes that an item was signed. dated is its time as one of the world.
func (p *pushed) publishes(at time.Duration, topic engine.ID, number uint64, content engine.ID, dated time.Duration) {
	f := p.of(topic)
	f.places[content] = len(f.items)
	f.items = append(f.items, pushedItem{number: number, content: content, at: at,
		from: max(at, dated-feedtree.Default().Ahead)})
	f.last = max(f.last, number)
}

// withdraw notes that an item was numbered anew, before any node had it.
func (p *pushed) withdraw(topic, content engine.ID) {
	f := p.of(topic)
	if i, known := f.places[content]; known {
		f.items[i].gone = true
	}
}

// lose notes that a publisher's node has lost its disk.
func (p *pushed) lose(topic engine.ID) {
	f := p.of(topic)
	f.lost = len(f.items)
}

// doubt ends the judging of a publisher when its node cannot know which numbers it has assigned.
func (p *pushed) doubt(topic engine.ID) { p.of(topic).doubted = true }

// isPushed reports whether a topic is a publisher's.
func (p *pushed) isPushed(topic engine.ID) bool { return p.feeds[topic] != nil }

// item returns an item by its content, and its feed; nil: it is none that is judged.
func (p *pushed) item(topic, content engine.ID) (*pushedItem, *pushedFeed) {
	f := p.feeds[topic]
	if f == nil || f.doubted {
		return nil, nil
	}
	i, known := f.places[content]
	if !known {
		return nil, nil
	}
	return &f.items[i], f
}

// ban notes that a node ignores a liar until some time.
func (p *pushed) ban(n sim.Node, until time.Duration) { p.bans[n] = max(p.bans[n], until) }

// begin says that all is back.
func (p *pushed) begin(at time.Duration) { p.on, p.begun = true, at }

// Observe implements check.Checker.
func (p *pushed) Observe(at time.Duration, n sim.Node, event check.Event) {
	p.followers.observe(at, n, event)
	switch e := event.(type) {
	case check.Forgot:
		maps.DeleteFunc(p.had, func(d delivery, _ time.Duration) bool { return d.node == n })
	case check.Delivered:
		if i, _ := p.item(e.Topic, e.Content); i != nil {
			d := delivery{follower{n, e.Topic}, e.Content}
			if _, had := p.had[d]; !had {
				p.had[d] = at
			}
		}
	}
}

// due returns by when an item is to be with all; false: it is not judged.
func (p *pushed) due(f *pushedFeed, place int) (by time.Duration, judged bool) {
	i := f.items[place]
	if i.gone || f.doubted || place < f.lost || f.last-i.number >= uint64(feedtree.Default().Window) {
		return 0, false
	}
	if i.from < p.begun {
		return p.begun + p.late, true
	}
	rests := (i.from - i.at) * 9 / 8 // it has been looked for in vain ever since it was signed
	return i.from + rests + p.within, true
}

// Finish looks for what has not come.
func (p *pushed) Finish(w *sim.World) {
	if !p.on {
		return
	}
	for _, topic := range p.topics {
		f := p.feeds[topic]
		for place, i := range f.items {
			by, judged := p.due(f, place)
			if !judged || w.Now() < by {
				continue
			}
			for _, pair := range p.followers.order {
				since, on := p.followers.since[pair]
				if pair.topic != topic || !on || since > i.at || !w.Up(pair.node) {
					continue
				}
				by := by
				if until, bans := p.bans[pair.node]; bans && i.at < until {
					by = max(by, until+p.late)
				}
				if at, had := p.had[delivery{pair, i.content}]; w.Now() >= by && (!had || at > by) {
					p.fail(by, pair.node, topic, "item %d, published at %v, has not come", i.number, i.at)
				}
			}
		}
	}
}

// gaps is check.Increasing for all topics, but an item of a publisher may come after later ones where feedtree states
// so. There are three cases. The later items were delivered when feedtree.Config.Hold had passed since they were
// published. The item was published before the node had its first item. Or it was once further back than
// feedtree.Config.Window.
type gaps struct {
	check.Increasing
	pushed *pushed
	of     map[follower]*sequence
}

// sequence is what a node was given of a publisher.
type sequence struct {
	free, last uint64          // the highest numbers: that was published when it had its first item, and that it has
	passed     map[uint64]bool // numbers that were passed over too early
}

// Observe implements check.Checker.
func (g *gaps) Observe(at time.Duration, n sim.Node, event check.Event) {
	switch e := event.(type) {
	case check.Forgot:
		maps.DeleteFunc(g.of, func(pair follower, _ *sequence) bool { return pair.node == n })
	case check.Delivered:
		if g.pushed.isPushed(e.Topic) && g.isExcused(at, follower{n, e.Topic}, e) {
			return
		}
	}
	g.Increasing.Observe(at, n, event)
}

// isExcused reports whether an item may come after later ones.
func (g *gaps) isExcused(at time.Duration, pair follower, e check.Delivered) bool {
	i, f := g.pushed.item(e.Topic, e.Content)
	if i == nil {
		return true // another oracle says what is to be said
	}
	s := g.of[pair]
	if s == nil {
		if g.of == nil {
			g.of = make(map[follower]*sequence)
		}
		g.of[pair] = &sequence{free: f.last, last: i.number, passed: make(map[uint64]bool)}
		return false
	}
	if i.number <= s.last {
		return !s.passed[i.number]
	}
	if at < i.at+g.pushed.hold {
		for number := max(s.last, s.free) + 1; number < i.number; number++ {
			s.passed[number] = f.last-number < uint64(feedtree.Default().Window)
		}
	}
	s.last = i.number
	return false
}

// polled keeps from a checker what is pushed, and items what is not, or is not judged.
type (
	polled struct {
		check.Checker
		pushed *pushed
	}
	items polled
)

// Observe implements check.Checker.
func (p polled) Observe(at time.Duration, n sim.Node, event check.Event) {
	if e, ok := event.(check.Delivered); !ok || !p.pushed.isPushed(e.Topic) {
		p.Checker.Observe(at, n, event)
	}
}

// Observe implements check.Checker.
func (i items) Observe(at time.Duration, n sim.Node, event check.Event) {
	if e, ok := event.(check.Delivered); ok && i.pushed.isPushed(e.Topic) && !i.pushed.of(e.Topic).doubted {
		i.Checker.Observe(at, n, event)
	}
}

// alone checks that no publisher's node reports another node that publishes with its key, as there is none. Where its
// clocks were wrong it may.
type alone struct{ verdict }

func (a *alone) contested(at time.Duration, of *author) {
	for _, f := range of.world.Faults {
		if sim.Node(f.Node) == of.at && (f.Kind == Wall || f.Kind == Rate) {
			return
		}
	}
	a.fail(at, of.at, of.topic, "it mistakes another node for the publisher")
}
