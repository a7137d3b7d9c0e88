package routers

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel"
)

// rappelVerdict is what became of the updates that trees carried.
type rappelVerdict struct {
	due, lost int // at members that were in the tree, and stayed up and in it
	twice     int // deliveries too many, due or not
	noise     int // updates that were sent to nodes which were neither members nor the root
	// seconds from the root to each member to which the update was due, of a time without trouble; ascending
	calm    []float64
	trouble []float64 // the same of the time after that
}

// rappelJudge holds what nodes did against what Rappel promises.
type rappelJudge struct {
	rappelVerdict
	parts   spans
	updates map[versionOf]*judgedUpdate
	order   []*judgedUpdate
	joined  map[seat]bool
	member  map[seat]bool          // joined, and in the tree
	left    map[seat]time.Duration // when it was joined last, of those that are not now
	top     map[engine.ID]int
}

type versionOf struct {
	topic   engine.ID
	version uint64
}

// judgedUpdate is an update that is published.
type judgedUpdate struct {
	at   time.Duration
	due  map[int]bool     // by node: it was in the tree, and has not got it
	came map[int][]uint64 // by node, in its present life: the contents of what it was given
}

// judgeRappel judges what is published between the beginning and the end of the parts, and noise at any time.
func judgeRappel(deeds []deed, parts spans) rappelVerdict {
	j := rappelJudge{
		parts: parts, updates: make(map[versionOf]*judgedUpdate), joined: make(map[seat]bool),
		member: make(map[seat]bool),
		left:   make(map[seat]time.Duration), top: make(map[engine.ID]int),
	}
	for _, d := range deeds {
		j.add(d)
	}
	for _, u := range j.order {
		if u.at+treeGrace <= parts.over { // else it may still come
			j.due += len(u.due)
			j.lost += len(u.due)
		}
	}
	slices.Sort(j.calm)
	slices.Sort(j.trouble)
	return j.rappelVerdict
}

func (j *rappelJudge) add(d deed) {
	s := seat{d.node, d.topic}
	switch d.what {
	case dies, stops:
		j.ends(d)
	case joins:
		j.joined[s] = true
		j.member[s] = j.isTop(d)
	case leaves:
		delete(j.joined, s)
		delete(j.member, s)
		j.left[s] = d.at
		for key, u := range j.updates {
			if key.topic == d.topic {
				u.excuse(d)
			}
		}
	case attaches:
		j.member[s] = j.joined[s]
	case roots:
		j.top[d.topic] = d.node
		j.member[s] = j.joined[s]
	case publishes:
		j.published(d)
	case delivers:
		j.delivered(d)
	case isSent:
		left, was := j.left[s]
		if !j.joined[s] && !j.isTop(d) && !(was && d.at <= left+rappel.Default().Parting) {
			j.noise++
		}
	}
}

func (j *rappelJudge) isTop(d deed) bool {
	top, is := j.top[d.topic]
	return is && top == d.node
}

// ends removes a node from all trees. What it gets in another life is no repetition.
func (j *rappelJudge) ends(d deed) {
	for s := range j.joined {
		if s.node == d.node {
			delete(j.joined, s)
			delete(j.member, s)
		}
	}
	for _, u := range j.updates {
		u.excuse(d)
		delete(u.came, d.node)
	}
}

// excuse excuses a node that goes, or leaves, from an update, unless it has lacked it for too long before.
func (u *judgedUpdate) excuse(d deed) {
	if d.at < u.at+treeGrace {
		delete(u.due, d.node)
	}
}

// published begins to judge an update. A substitute of a root may publish it again: the first counts.
func (j *rappelJudge) published(d deed) {
	key := versionOf{d.topic, d.version}
	if j.updates[key] != nil || d.at < j.parts.calm || d.at >= j.parts.end {
		return
	}
	u := &judgedUpdate{at: d.at, due: make(map[int]bool), came: make(map[int][]uint64)}
	for s, in := range j.member {
		if in && s.topic == d.topic && s.node != d.node {
			u.due[s.node] = true
		}
	}
	j.updates[key], j.order = u, append(j.order, u)
}

func (j *rappelJudge) delivered(d deed) {
	u := j.updates[versionOf{d.topic, d.version}]
	if u == nil {
		return
	}
	// Another root that publishes the same version may have made another update of it.
	if slices.Contains(u.came[d.node], d.content) {
		j.twice++
	}
	u.came[d.node] = append(u.came[d.node], d.content)
	if !u.due[d.node] {
		return
	}
	delete(u.due, d.node)
	j.due++
	latencies := &j.calm
	if u.at >= j.parts.trouble {
		latencies = &j.trouble
	}
	*latencies = append(*latencies, (d.at - u.at).Seconds())
}

func (v *rappelVerdict) add(other rappelVerdict) {
	v.due += other.due
	v.lost += other.lost
	v.twice += other.twice
	v.noise += other.noise
	v.calm, v.trouble = append(v.calm, other.calm...), append(v.trouble, other.trouble...)
	slices.Sort(v.calm)
	slices.Sort(v.trouble)
}
