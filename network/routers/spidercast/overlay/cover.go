package overlay

import (
	"cmp"
	"slices"

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
				if m := &l.sets[i]; m.in && len(m.counts) < o.most(Task(i), l) {
					m.counts = insert(m.counts, slot)
					o.topics.slots[slot].cover[i]++
				}
			}
		}
	}
	for i := range o.tasks {
		o.need(&o.tasks[i], slot, 1)
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
			o.need(&o.tasks[i], slot, -1)
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
			o.count(&o.tasks[i], l)
		}
	}
}

// uncover undoes what cover counted.
func (o *Overlay) uncover(l *link) {
	for i := range o.tasks {
		if l.sets[i].in {
			o.uncount(&o.tasks[i], l)
		}
	}
	l.covers = nil
}

// most returns for how many topics a neighbour counts as cover.
func (o *Overlay) most(t Task, l *link) int {
	switch {
	case l.broad:
		return 0
	case t == Greedy:
		return o.topics.count
	}
	return max(2, int(o.config.MaxShare*float64(o.topics.count)))
}

// count counts a neighbour as cover in a task's set: for all that it follows, or, if that is more than one may, for
// those that have the least.
func (o *Overlay) count(t *task, l *link) {
	counts := slices.Clone(l.covers)
	if most := o.most(t.kind, l); len(counts) > most {
		cover := func(slot int32) int32 { return o.topics.slots[slot].cover[t.kind] }
		slices.SortStableFunc(counts, func(a, b int32) int { return cmp.Compare(cover(a), cover(b)) })
		counts = counts[:most]
		slices.Sort(counts)
	}
	l.sets[t.kind].counts = counts
	o.change(t, counts, 1)
}

// uncount undoes what count counted.
func (o *Overlay) uncount(t *task, l *link) {
	o.change(t, l.sets[t.kind].counts, -1)
	l.sets[t.kind].counts = nil
}

// change adds by to the cover of topics, and reports to candidates which begin or cease to be needed. This is all that
// CALCKUNCOVERED has to do.
func (o *Overlay) change(t *task, slots []int32, by int32) {
	for _, slot := range slots {
		s := &o.topics.slots[slot]
		before := s.cover[t.kind]
		s.cover[t.kind] += by
		t.put(before, -1)
		t.put(before+by, 1)
		if was, is := int(before) < t.k, int(before+by) < t.k; was != is {
			o.candidates.Need(t.kind, s.id, is)
		}
	}
}

// need notes a topic that has come (by = 1) or goes (-1).
func (o *Overlay) need(t *task, slot int32, by int) {
	s := &o.topics.slots[slot]
	t.put(s.cover[t.kind], by)
	if int(s.cover[t.kind]) < t.k {
		o.candidates.Need(t.kind, s.id, by > 0)
	}
}

// setK gives a task another K.
func (o *Overlay) setK(t *task, k int) {
	if t.k == k {
		return
	}
	before := t.k
	t.coverage = coverage{k: k, most: t.most}
	for i := range o.topics.slots {
		s := &o.topics.slots[i]
		if !s.on() {
			continue
		}
		t.put(s.cover[t.kind], 1)
		if was, is := int(s.cover[t.kind]) < before, int(s.cover[t.kind]) < k; was != is {
			o.candidates.Need(t.kind, s.id, is)
		}
	}
	o.setIdleTarget(t)
	o.wake(t)
}

// insert adds a slot to ascending ones.
func insert(slots []int32, slot int32) []int32 {
	at := len(slots)
	for at > 0 && slots[at-1] > slot {
		at--
	}
	slots = append(slots, 0)
	copy(slots[at+1:], slots[at:])
	slots[at] = slot
	return slots
}

// without returns slots but for one.
func without(slots []int32, slot int32) []int32 {
	for i, s := range slots {
		if s == slot {
			return append(slots[:i:i], slots[i+1:]...)
		}
	}
	return slots
}
