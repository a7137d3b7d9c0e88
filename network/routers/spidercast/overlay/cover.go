package overlay

import (
	"tidings/network/engine"
)

// Join has the node look for neighbours that follow a topic, and be one to others.
func (o *Overlay) Join(id engine.ID) { o.want(id, func(t *topic) { t.follows = true }) }

// Leave ends what Join began.
func (o *Overlay) Leave(id engine.ID) { o.unwant(id, func(t *topic) { t.follows = false }) }

// Seek has the node look for neighbours that follow a topic, on which it publishes without following it.
func (o *Overlay) Seek(id engine.ID) { o.want(id, func(t *topic) { t.publishes = true }) }

// Unseek ends what Seek began.
func (o *Overlay) Unseek(id engine.ID) { o.unwant(id, func(t *topic) { t.publishes = false }) }

func (o *Overlay) want(id engine.ID, set func(*topic)) {
	if o.topics.count >= o.config.MaxTopics && o.topics.find(id) < 0 {
		o.env.Trace(LimitHit{"MaxTopics", o.config.MaxTopics})
		return
	}
	slot, isNew := o.topics.add(id)
	if slot < 0 {
		o.env.Trace(Refused{o.env.Self(), "a topic with another's name"})
		return
	}
	set(&o.topics.slots[slot])
	if isNew {
		o.coverNew(slot)
	}
	o.topicsChanged()
}

// coverNew counts those that cover a new topic.
func (o *Overlay) coverNew(slot int32) {
	name := o.topics.slots[slot].name
	for _, l := range o.links.list {
		if s := l.set(); s != nil && s.Has(name) {
			l.covers = insert(l.covers, slot)
			for i := range o.tasks {
				if m := &l.sets[i]; m.in && len(m.counts) < l.most(Task(i), o.topics.count, o.config.MaxShare) {
					m.counts = insert(m.counts, slot)
					o.topics.slots[slot].cover[i]++
				}
			}
		}
	}
	for i := range o.tasks {
		o.topics.need(&o.tasks[i], slot, 1)
	}
}

func (o *Overlay) unwant(id engine.ID, unset func(*topic)) {
	slot := o.topics.find(id)
	if slot < 0 {
		return
	}
	t := &o.topics.slots[slot]
	if unset(t); !t.on() {
		for i := range o.tasks {
			o.topics.need(&o.tasks[i], slot, -1)
		}
		for _, l := range o.links.list {
			l.covers = without(l.covers, slot)
			for i := range l.sets {
				l.sets[i].counts = without(l.sets[i].counts, slot)
			}
			if reported := without(l.reported, slot); len(reported) < len(l.reported) {
				l.reported, l.stale = reported, true
			}
		}
		o.candidates.Forget(id)
		o.topics.remove(slot)
	}
	o.topicsChanged()
}

// topicsChanged has all notified soon: joins come by the hundred.
func (o *Overlay) topicsChanged() {
	o.setRisk()
	o.changed = true
	o.schedule(o.env.Now())
}

// flush announces what this node follows, if that has changed.
func (o *Overlay) flush() {
	if !o.changed {
		return
	}
	o.changed = false
	version := max(o.profile.Version+1, 1)
	o.profile = o.topics.profile(version, o.config.Exact)
	if o.onProfile != nil {
		o.onProfile(o.profile)
	}
	for _, l := range o.links.list {
		l.serves = o.topics.anyFollowed(l.profile.Publishes)
		o.linkChanged(l)
		o.sendProfile(l)
	}
	o.setK(&o.tasks[Random], o.config.Random)
	for i := range o.tasks {
		o.wake(&o.tasks[i])
	}
}

// cover counts a neighbour's topics.
func (o *Overlay) cover(l *link) {
	l.covers = o.topics.in(l.set())
	for i := range o.tasks {
		if l.sets[i].in {
			o.topics.countNeighbor(&o.tasks[i], l, l.most(Task(i), o.topics.count, o.config.MaxShare))
		}
	}
}

// uncover undoes what cover counted.
func (o *Overlay) uncover(l *link) {
	for i := range o.tasks {
		if l.sets[i].in {
			o.topics.uncountNeighbor(&o.tasks[i], l)
		}
	}
	l.covers = nil
}

// setK gives a task another K.
func (o *Overlay) setK(t *task, k int) {
	if t.k == k {
		return
	}
	o.topics.recount(t, k)
	t.aimIfIdle()
	o.wake(t)
}
