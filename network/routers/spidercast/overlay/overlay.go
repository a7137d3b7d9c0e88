package overlay

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// never is later than everything that is due.
const never = time.Duration(1<<63 - 1)

// core is what all parts share.
type core struct {
	env        engine.Env
	config     Config
	candidates Candidates
	events     Links
	schedule   func(at time.Duration) // has run called at a time
}

// Overlay is a node's part in the overlay: its neighbours, and what it does to have the right ones.
type Overlay struct {
	core
	topics     topics
	profile    Profile // as announced to others
	changed    bool    // topics have changed since
	links      links
	tasks      [tasks]task
	quarantine quarantine
	lost       lost
	usual      interest.Usual
	answers    engine.Bucket
	beatDue    time.Duration
	cautious   time.Duration // until then it runs no risk: see Swaps.Risk
	alike      time.Duration // when this node was last so much like its neighbours that K_r rises: see adapt
	alarm      engine.Alarm
	onProfile  func(Profile)
}

// New returns an overlay of no topics. It panics if c is not valid.
func New(env engine.Env, c Config, candidates Candidates, events Links) *Overlay {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	o := &Overlay{core: core{env: env, config: c, candidates: candidates, events: events}}
	o.core.schedule = func(at time.Duration) { o.alarm.Soon(o.env, max(at, o.env.Now()), o.run) }
	o.topics = topics{byName: make(map[interest.Name]int32), candidates: candidates}
	o.links.byID = make(map[engine.ID]*link)
	o.tasks = [tasks]task{
		{kind: Greedy, coverage: coverage{k: c.Greedy}, rest: c.Interval},
		{kind: Random, coverage: coverage{k: c.Random}, rest: c.Interval},
	}
	o.quarantine = quarantine{core: &o.core, byID: make(map[engine.ID]*inmate), in: o.links.in}
	o.lost = lost{core: &o.core}
	o.usual.Broad = c.Broad
	o.answers = engine.NewBucket(c.AnswerRate, c.AnswerRate)
	o.profile.Version = env.Rand().Uint32() | 1
	// Nodes that start together do not step, or beat, together.
	now := env.Now()
	for i := range o.tasks {
		o.tasks[i].due = now + time.Duration(env.Rand().Int64N(int64(c.Interval)))
	}
	o.beatDue = now + time.Duration(env.Rand().Int64N(int64(c.Heartbeat)))
	o.schedule(now)
	return o
}

// OnProfile has f called with what this node follows and publishes on, now and whenever it changes.
func (o *Overlay) OnProfile(f func(Profile)) {
	o.onProfile = f
	f(o.profile)
}

// Profile returns what neighbours learn of this node.
func (o *Overlay) Profile() Profile { return o.profile }

// run does what is due.
func (o *Overlay) run() {
	o.flush()
	now := o.env.Now()
	next := min(o.quarantine.run(now), o.lost.run(now, func(t Task, p engine.Peer) { o.ask(&o.tasks[t], p) }))
	for i := range o.tasks {
		if t := &o.tasks[i]; t.due <= now {
			o.step(t)
		}
		if t := &o.tasks[i]; t.k > 0 || t.degree > 0 {
			next = min(next, t.due)
		}
	}
	if o.beatDue <= now {
		o.beat()
	}
	if o.setRisk(); o.cautious > 0 {
		next = min(next, o.cautious)
	}
	if len(o.links.list) > 0 {
		next = min(next, o.beatDue)
	}
	if next < never {
		o.schedule(next)
	}
}

// Found reports that there is a new candidate that covers something that is needed, or may be.
func (o *Overlay) Found() {
	for i := range o.tasks {
		if t := &o.tasks[i]; t.k > 0 && t.lacks() > 0 && t.rest > o.config.Interval {
			t.rest = o.config.Interval
			t.due = min(t.due, o.env.Now()+o.config.Interval)
			o.schedule(t.due)
		}
	}
}

// Usual says how many topics nodes follow, as a rule: the median of the view.
func (o *Overlay) Usual(count int) {
	o.usual.Count, o.usual.Own = count, o.topics.count
	for _, l := range o.links.list {
		if broad := o.usual.Exceeded(l.profile.Follows); broad != l.broad {
			o.uncover(l)
			l.broad = broad
			o.cover(l)
		}
	}
}

// PeerDown reports that a peer cannot be reached.
func (o *Overlay) PeerDown(p engine.Peer) {
	if l := o.links.byID[p.ID]; l != nil {
		o.lose(l, Down)
	}
}

// Suspect reports that a neighbour does not do what it should: it is left, and not chosen again for Config.Suspicion.
func (o *Overlay) Suspect(p engine.Peer) {
	l := o.links.byID[p.ID]
	if l == nil {
		return
	}
	o.env.Send(l.peer, &Leave{l.tasks()})
	o.part(l, Suspected)
	o.lost.drop(p.ID)
	o.quarantine.suspect(p.ID)
}

// Stop leaves in good order (section 2.4).
func (o *Overlay) Stop() {
	for _, l := range o.links.list {
		o.env.Send(l.peer, &Leave{l.tasks()})
	}
	o.alarm.Stop()
}

// addNeighbor puts a node into a task's neighbour set, or adopts what it says of itself if it is there.
func (o *Overlay) addNeighbor(t *task, p engine.Peer, s Standing, profile *Profile, asked bool) *link {
	now := o.env.Now()
	l := o.links.byID[p.ID]
	if l == nil {
		l = &link{peer: p, heard: now}
		o.links.byID[p.ID], o.links.list = l, append(o.links.list, l)
	}
	if l.profile.Version != profile.Version {
		o.learn(l, profile)
	}
	m := &l.sets[t.kind]
	m.degree, m.target = int(s.Degree), int(s.Target)
	if !m.in {
		m.in, m.since, m.joined = true, o.lost.back(p.ID, t.kind, now), now
		t.degree++
		o.topics.countNeighbor(t, l, l.most(t.kind, o.topics.count, o.config.MaxShare))
		t.aimIfIdle()
		o.candidates.Exclude(t.kind, p.ID, true)
		if asked {
			t.misses = 0
		}
		o.env.Trace(Connected{p, t.kind, asked})
		o.wakeIfOver(t)
	}
	return l
}

// greet begins a link, or goes on with it, now that the neighbour knows that there is one.
func (o *Overlay) greet(l *link) {
	o.sendTopics(l)
	if l.up {
		o.linkChanged(l)
		return
	}
	l.up = true
	o.events.LinkUp(l.peer, o.shared(l))
}

// removeNeighbor drops a node from a task's neighbour set (Figure 4, REMOVECONNECTION).
func (o *Overlay) removeNeighbor(t *task, l *link, why Why) {
	l.sets[t.kind].in = false
	t.degree--
	o.topics.uncountNeighbor(t, l)
	t.aimIfIdle()
	o.env.Trace(Parted{l.peer, t.kind, why})
	o.quarantine.add(l.peer.ID, t.kind.bit(), o.config.Quarantine, false)
	if l.tasks() == 0 {
		o.links.remove(l)
		if l.up {
			o.events.LinkDown(l.peer)
		}
	}
	if t.degree < t.l || t.lacks() > 0 {
		o.wake(t)
	}
}

// part drops a node from both neighbour sets.
func (o *Overlay) part(l *link, why Why) {
	for i := range o.tasks {
		if l.sets[i].in {
			o.removeNeighbor(&o.tasks[i], l, why)
		}
	}
}

// lose parts with a neighbour that failed (Figure 4, line 29). It may come back.
func (o *Overlay) lose(l *link, why Why) {
	for i := range l.sets {
		if m := l.sets[i]; m.in {
			o.lost.add(l.peer, Task(i), m.since)
		}
	}
	o.cautious = o.env.Now() + caution
	o.setRisk()
	o.schedule(o.cautious)
	o.part(l, why)
}

// wakeIfOver has a task look soon whether it has a neighbour too many.
func (o *Overlay) wakeIfOver(t *task) {
	if t.lacks() == 0 {
		t.rest = o.config.Interval
		t.due = min(t.due, o.env.Now()+t.rest)
		o.schedule(t.due)
	}
}

// linkChanged reports to the dissemination what a link carries, if that is something else now.
func (o *Overlay) linkChanged(l *link) {
	if l.up && (l.stale || !slices.Equal(l.shared(), l.reported)) {
		o.events.LinkChanged(l.peer, o.shared(l))
	}
}

// shared returns the topics that a link carries, and notes that they are announced.
func (o *Overlay) shared(l *link) []engine.ID {
	l.reported, l.stale = l.shared(), false
	ids := make([]engine.ID, len(l.reported))
	for i, slot := range l.reported {
		ids[i] = o.topics.slots[slot].id
	}
	slices.SortFunc(ids, engine.ID.Compare)
	return ids
}

var _ engine.Protocol = (*Overlay)(nil)
