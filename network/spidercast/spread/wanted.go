package spread

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// key tells events of all topics apart.
type key struct {
	topic  engine.ID
	digest uint64
}

// want is an event that was announced and has not come.
type want struct {
	key
	announcers []*link       // in the order in which they are asked; at most maxAnnouncers
	asked      *link         // who is to send it; nil: nobody at the moment
	tries      int           // how often it was asked for
	due        time.Duration // when it is to be asked for, or the answer is late
	over       bool          // it has come, or was given up
}

// maxAnnouncers is how many neighbours are remembered for a missing event.
const maxAnnouncers = 8

// wanted is all events that are missing: at most Config.MaxWanted of each link.
type wanted struct {
	*core
	of     map[key]*want
	list   []*want // in the order in which they were announced; those that are over are swept out now and then
	alarm  engine.Alarm
	blame  *blame
	missed func(l *link, topic engine.ID) // is called when a link is asked for an event of a topic
}

// grain rounds the times at which events are asked for, so that those due at about the same time share a message.
const grain = 50 * time.Millisecond

// add records that a neighbour has announced an event that is missing, and reports whether there was room. now asks for it at
// once: it should have arrived over the same link before its name, or there is no tree that it could arrive over.
func (w *wanted) add(l *link, k key, now bool) bool {
	a := w.of[k]
	if a != nil && (slices.Contains(a.announcers, l) || len(a.announcers) == maxAnnouncers) {
		return true
	}
	if l.wanted == w.config.MaxWanted {
		w.env.Trace(LimitHit{"MaxWanted", w.config.MaxWanted})
		return false
	}
	if a == nil {
		a = &want{key: k, due: w.env.Now() + w.config.Wait}
		w.of[k] = a
		w.list = append(w.list, a)
	}
	l.wanted++
	if now && a.tries == 0 && !l.record.suspected {
		a.announcers = slices.Insert(a.announcers, 0, l)
		a.due = w.env.Now()
	} else {
		a.announcers = append(a.announcers, l)
	}
	w.wake(a)
	return true
}

func (w *wanted) wake(a *want) {
	w.alarm.Soon(w.env, (a.due+grain-1)/grain*grain, w.run)
}

// came ends the wait for an event. It returns whether it was asked for, and who has announced it.
func (w *wanted) came(l *link, k key) (asked bool, announcers []*link) {
	a := w.of[k]
	if a == nil {
		return false, nil
	}
	w.blame.absolve(l)
	w.end(a)
	return a.tries > 0, a.announcers
}

// end removes an event from those that are missing.
func (w *wanted) end(a *want) {
	a.over = true
	delete(w.of, a.key)
	for _, l := range a.announcers {
		l.wanted--
	}
	a.unask()
}

func (a *want) unask() {
	if a.asked != nil {
		a.asked.asked--
		a.asked = nil
	}
}

// giveUp ends the wait for an event that does not come.
func (w *wanted) giveUp(a *want) {
	w.env.Trace(GaveUp{a.topic, a.digest})
	w.end(a)
}

// run asks for everything that is due.
func (w *wanted) run() {
	now := w.env.Now()
	var grafts []graft
	w.list = slices.DeleteFunc(w.list, func(a *want) bool {
		if !a.over && a.due <= now {
			grafts = w.late(a, grafts)
		}
		return a.over
	})
	for _, g := range grafts {
		w.env.Send(g.to.peer, g.message)
	}
	if len(w.list) > 0 {
		w.wake(slices.MinFunc(w.list, func(a, b *want) int { return int(a.due - b.due) }))
	}
}

// late asks for an event, or asks another neighbour when it did not come.
func (w *wanted) late(a *want, grafts []graft) []graft {
	if l := a.asked; l != nil {
		a.unask()
		w.blame.strike(l, "does not give what it announces")
	}
	if a.tries == w.config.Tries {
		w.giveUp(a)
		return grafts
	}
	l := a.next()
	if l.asked == w.config.MaxAsked {
		a.due = w.env.Now() + grain
		return grafts
	}
	a.asked = l
	l.asked++
	a.tries++
	a.due = w.env.Now() + backoff(w.config.Answer, (a.tries-1)/len(a.announcers))
	w.env.Trace(Missed{a.topic, a.digest, l.peer, a.tries})
	w.missed(l, a.topic)
	return with(grafts, l, a.key)
}

// next returns who is to be asked: one after the other, those that are suspected only where there is nobody else.
func (a *want) next() *link {
	for i := range a.announcers {
		if l := a.announcers[(a.tries+i)%len(a.announcers)]; !l.record.suspected {
			return l
		}
	}
	return a.announcers[a.tries%len(a.announcers)]
}

// down ends what was expected of a link.
func (w *wanted) down(l *link) {
	for _, a := range w.list {
		i := slices.Index(a.announcers, l)
		switch {
		case a.over || i < 0:
			continue
		case len(a.announcers) == 1:
			w.giveUp(a)
			continue
		case a.asked == l:
			a.unask()
			a.due = w.env.Now()
			w.wake(a)
		}
		l.wanted--
		a.announcers = slices.Delete(a.announcers, i, i+1)
	}
}

// drop ends the wait for the events of a topic.
func (w *wanted) drop(topic engine.ID) {
	for _, a := range w.list {
		if !a.over && a.topic == topic {
			w.end(a)
		}
	}
}

// graft is a message that is about to be sent.
type graft struct {
	to      *link
	message *Graft
}

// with adds an event to the messages that ask for events at one moment, which are as few as they fit in.
func with(grafts []graft, l *link, k key) []graft {
	i := slices.IndexFunc(grafts, func(g graft) bool {
		return g.to == l && g.message.Topic == k.topic && len(g.message.Digests) < maxNames
	})
	if i < 0 {
		i = len(grafts)
		grafts = append(grafts, graft{l, &Graft{Topic: k.topic}})
	}
	grafts[i].message.Digests = append(grafts[i].message.Digests, k.digest)
	return grafts
}
