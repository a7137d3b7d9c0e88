package rappel

import (
	"slices"

	"tidings/network/engine"
)

// left remembers what was delivered of topics that were left lately, so that who joins anew is given nothing twice.
type left struct {
	list []leftTopic // at most maxLeft
}

type leftTopic struct {
	topic engine.ID
	seen  []uint64
	next  int
}

const maxLeft = 16

func (l *left) add(t *tree) {
	if len(t.feed.cache.seen) == 0 {
		return
	}
	if len(l.list) == maxLeft {
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, leftTopic{t.topic, t.feed.cache.seen, t.feed.cache.next})
}

// restore gives a tree what was remembered of its topic.
func (l *left) restore(t *tree) {
	i := slices.IndexFunc(l.list, func(k leftTopic) bool { return k.topic == t.topic })
	if i >= 0 {
		t.feed.cache.seen, t.feed.cache.next = l.list[i].seen, l.list[i].next
		l.list = slices.Delete(l.list, i, i+1)
	}
}
