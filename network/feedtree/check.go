package feedtree

import (
	"slices"

	"tidings/network/engine"
)

// A publisher's numbers never go back. After a start, its node asks before it publishes the first one. It asks its
// neighbours in the tree, the roots, the nodes found on the way to them, and the archive.

// checks is how often it asks while no node knows the publisher. The nodes that do may be about to return to the tree,
// which lost them together with this node.
const checks = 3

// furtherFor is for how many times Config.Check answers are awaited that bring ever later items. A node that alone has
// them, and gives them one by one, could keep the publisher silent otherwise.
const furtherFor = 360

// checkNumbers asks whether the network knows of more items than this node.
func (w *authors) checkNumbers(a *author) {
	if !w.ring.Active() {
		a.check.Set(w.env, w.env.Now()+w.config.Check, func() { w.checkNumbers(a) })
		return
	}
	if a.checks++; a.checks == 1 {
		a.awaitUntil = w.env.Now() + furtherFor*w.config.Check
	}
	a.asked = nil
	m := &Seek{Topic: a.Topic, From: a.Last + 1, Asker: w.env.Self()}
	w.ring.Route(a.Topic, m)
	if over := anybody(w.env, w.ring); !over.IsZero() {
		around := *m
		around.Start = true
		w.env.Send(over, &around)
	}
	w.ask(a, beside(w.tree, a.Topic))
	w.ask(a, w.tree.Roots(a.Topic))
	if w.archive != nil && a.checks == 1 {
		p := &probe{topic: a.Topic, last: a.Last, step: 1, accept: func(i *Item, back *Withdrawal) bool {
			if back == nil {
				return w.beyond(a, i, engine.Peer{})
			}
			genuine := back.genuine(a.Topic, w.env.Wall().Add(w.config.Ahead))
			if genuine {
				w.overtake(a, back.Number)
			}
			return genuine
		}}
		p.run(w.archive, func() bool { return w.index[a.Topic] == a }, func() {})
	}
	w.awaitAnswers(a)
}

// awaitAnswers ends the check, or asks once more, when no answer has come for Config.Check.
func (w *authors) awaitAnswers(a *author) {
	a.check.Set(w.env, w.env.Now()+w.config.Check, func() {
		if a.known || a.checks >= checks {
			w.checked(a)
		} else {
			w.checkNumbers(a)
		}
	})
}

// ask asks nodes for what they have beyond the publisher's node, each once a time.
func (w *authors) ask(a *author, whom []engine.Peer) {
	for _, p := range whom {
		if len(a.asked) < maxCandidates && !w.isSelf(p) && a.askedOf(p) == nil {
			a.asked = append(a.asked, asked{node: p.ID})
			w.env.Send(p, &Ask{Topic: a.Topic, From: a.Last + 1})
		}
	}
}

// askedOf returns what was asked of a node; nil: nothing.
func (a *author) askedOf(p engine.Peer) *asked {
	if i := slices.IndexFunc(a.asked, func(each asked) bool { return each.node == p.ID }); i >= 0 {
		return &a.asked[i]
	}
	return nil
}

// askFurther asks a node for what comes after an item that it has given, if it has given none as late before. That is
// waited for if no node had given one as late: isNews.
func (w *authors) askFurther(a *author, p engine.Peer, number uint64, isNews bool) {
	if of := a.askedOf(p); of != nil && number > of.upTo {
		of.upTo = number
		w.env.Send(p, &Ask{Topic: a.Topic, From: max(number, a.overtaken) + 1})
		if isNews && w.env.Now() < a.awaitUntil {
			w.awaitAnswers(a)
		}
	}
}

// receiveHas asks those that may know of more items than the publisher's node does.
func (w *authors) receiveHas(from engine.Peer, m *Has) {
	a := w.index[m.Topic]
	if a == nil || !a.checking {
		return
	}
	if m.Last > 0 {
		w.ask(a, []engine.Peer{from})
	}
	w.ask(a, m.Others)
}

// receiveItems looks at an answer for what is beyond the publisher's node. An answer has the first of the items that
// its sender has. So that node is asked for the next ones until it has no more.
func (w *authors) receiveItems(from engine.Peer, m *Items) {
	a := w.index[m.Topic]
	if a == nil || !a.checking {
		return
	}
	before, latest := a.overtaken, uint64(0)
	for _, word := range append(slices.Clip(m.Words), m.Items...) {
		if i, is := word.(*Item); w.beyond(a, word, from) && is {
			latest = max(latest, i.Number)
		}
		if s, ok := statementOf(a.Topic, word); ok && w.words.judge(a.Topic, &s, from) == Genuine {
			a.known, a.since = true, max(a.since, s.time)
		}
	}
	w.askFurther(a, from, latest, latest > before)
	w.ask(a, m.Others)
}

// deliver looks at what has come down the tree of a publisher that this node speaks for.
func (w *authors) deliver(topic engine.ID, event engine.Message) {
	a := w.index[topic]
	if a == nil {
		return
	}
	s, ok := statementOf(topic, event)
	switch {
	case !ok || a.awaits(event):
	case a.isElsewhere(&s):
		w.overtake(a, s.number) // even if the request fails
		w.elsewhere(a, event, &s)
	default:
		w.overtake(a, s.number)
	}
}

// beyond reports whether a genuine word shows more items than the publisher's node knows of.
func (w *authors) beyond(a *author, word engine.Message, from engine.Peer) bool {
	s, ok := statementOf(a.Topic, word)
	if !ok || s.number <= a.Last || w.words.judge(a.Topic, &s, from) != Genuine {
		return false
	}
	w.words.note(a.Topic, word, &s)
	a.since = max(a.since, s.time)
	if !a.awaits(word) {
		w.overtake(a, s.number)
	}
	return true
}

// awaits reports whether a word is an item that this node will send once its numbers are checked. The archive, or a
// node that asked for the item, may be faster.
func (a *author) awaits(word engine.Message) bool {
	var h *Head
	switch m := word.(type) {
	case *Item:
		h = m.Head()
	case *Head:
		h = m
	default:
		return false
	}
	return slices.ContainsFunc(a.queue, func(event engine.Message) bool {
		i, ok := event.(*Item)
		return ok && i.Number == h.Number && i.Time == h.Time && i.Head().Hash == h.Hash
	})
}

// overtake notes that others know of an item that this node has not published.
func (w *authors) overtake(a *author, number uint64) {
	own := a.last
	if a.checking { // what waits has not been published
		own = a.Last
	}
	if number <= max(own, a.overtaken) {
		return
	}
	a.overtaken = number
	w.env.Trace(Overtaken{a.Topic, number})
	w.listener.Overtaken(a.Topic, number)
}

// checked publishes what has waited, but for what would give a number twice.
func (w *authors) checked(a *author) {
	a.checking = false
	queue := a.queue
	a.queue = nil
	for _, event := range queue {
		if !w.words.isWithdrawn(a.Topic, event) && w.mayPublish(a, event) == nil {
			w.send(a, event)
		}
	}
}
