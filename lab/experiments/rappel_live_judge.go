package experiments

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/rappel"
)

// treeGrace is how long a member that stays up may lack an update: as long as a dead parent may stay unnoticed, and
// for a pull.
const treeGrace = time.Minute

// rappelVerdict is what became of the updates that trees carried.
type rappelVerdict struct {
	due, lost int       // at members that were in the tree, and stayed up and in it
	twice     int       // deliveries too many, due or not
	noise     int       // updates that were sent to nodes which were neither members nor the root
	calm      []float64 // seconds from the root to each member to whom the update was due, of a time without trouble; ascending
	trouble   []float64 // the same of the time after that
}

// judged is an update that is published.
type judged struct {
	at   time.Duration
	due  map[int]bool // by node: it is in the tree, and has not got it
	came map[int]bool // by node that was up all the while
}

type versionAt struct {
	topic   engine.ID
	version uint64
}

// judge holds deeds against what Rappel promises. Latencies count of what is published between two times, calm ones before a
// third.
func judge(deeds []rappelDeed, from, trouble, until time.Duration) (v rappelVerdict) {
	updates := make(map[versionAt]*judged)
	var order []*judged
	member, left := make(map[seatOf]bool), make(map[seatOf]time.Duration) // member: in the tree; left: when it was left last
	joined, top := make(map[seatOf]bool), make(map[engine.ID]int)         // top: the root
	isTop := func(d rappelDeed) bool { n, is := top[d.topic]; return is && n == d.node }
	excuse := func(node int, topic engine.ID, all bool, at time.Duration) {
		for key, u := range updates {
			if (all || key.topic == topic) && at < u.at+treeGrace {
				delete(u.due, node)
			}
			if all { // what it gets in another life is no repetition
				delete(u.came, node)
			}
		}
	}
	for _, d := range deeds {
		s := seatOf{d.node, d.topic}
		switch d.what {
		case dies, stops:
			for seat := range joined {
				if seat.node == d.node {
					delete(joined, seat)
					delete(member, seat)
				}
			}
			excuse(d.node, engine.ID{}, true, d.at)
		case joins:
			joined[s] = true
			if isTop(d) {
				member[s] = true
			}
		case leaves:
			delete(joined, s)
			delete(member, s)
			left[s] = d.at
			excuse(d.node, d.topic, false, d.at)
		case attaches:
			member[s] = joined[s]
		case roots:
			top[d.topic] = d.node
			member[s] = joined[s]
		case publishes:
			key := versionAt{d.topic, d.version}
			if updates[key] != nil || d.at < from || d.at >= until {
				continue
			}
			u := &judged{at: d.at, due: make(map[int]bool), came: make(map[int]bool)}
			for seat, in := range member {
				if in && seat.topic == d.topic && seat.node != d.node {
					u.due[seat.node] = true
				}
			}
			updates[key] = u
			order = append(order, u)
		case delivers:
			u := updates[versionAt{d.topic, d.version}]
			if u == nil {
				continue
			}
			if u.came[d.node] {
				v.twice++
			}
			u.came[d.node] = true
			if !u.due[d.node] {
				continue
			}
			delete(u.due, d.node)
			v.due++
			if seconds := (d.at - u.at).Seconds(); u.at < trouble {
				v.calm = append(v.calm, seconds)
			} else {
				v.trouble = append(v.trouble, seconds)
			}
		case isSent, isSurprise:
			parted, was := left[s]
			if !joined[s] && !isTop(d) && !(was && d.at <= parted+rappel.Default().Parting) {
				v.noise++
			}
		}
	}
	for _, u := range order {
		v.due += len(u.due)
		v.lost += len(u.due)
	}
	slices.Sort(v.calm)
	slices.Sort(v.trouble)
	return v
}
