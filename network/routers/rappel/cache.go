package rappel

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// cache keeps the latest updates of a topic, for the nodes that lack them (section 4.1). It also keeps the digests that
// identify their events.
type cache struct {
	list []cached // by epoch and number; at most Config.Cache
	seen []uint64 // digests of the latest events, the oldest first; at most maxSeen
}

type cached struct {
	update *Update
	digest uint64
	at     time.Duration // when it came
}

// maxSeen is how many digests are remembered: those of more events than any cache holds.
const maxSeen = 64

// add keeps an update in the place of the oldest, if there are so many.
func (c *cache) add(u *Update, digest uint64, now time.Duration, most int) {
	at, found := slices.BinarySearchFunc(c.list, u.Stamp, func(a cached, s window.Stamp) int {
		return a.update.Stamp.Compare(s)
	})
	if found || at == 0 && len(c.list) >= most {
		return
	}
	c.list = slices.Insert(c.list, at, cached{u, digest, now})
	c.list = slices.Delete(c.list, 0, max(len(c.list)-most, 0))
}

// first reports whether an event is seen for the first time, and remembers it.
func (c *cache) first(digest uint64) bool {
	if slices.Contains(c.seen, digest) {
		return false
	}
	c.seen = remember(c.seen, digest, maxSeen)
	return true
}

// remember appends to a list in which there is room for so many: the oldest is forgotten.
func remember[T any](list []T, x T, most int) []T {
	if len(list) >= most {
		list = slices.Delete(list, 0, 1+len(list)-most)
	}
	return append(list, x)
}

// numbered reports whether an event has a number of an epoch.
func (c *cache) numbered(epoch, digest uint64) bool {
	return slices.ContainsFunc(c.list, func(k cached) bool {
		return k.update.Stamp.Epoch == epoch &&
			k.digest == digest
	})
}

// lacking returns the updates that somebody does not have, in order.
func (c *cache) lacking(h window.Have) (list []*Update) {
	for _, u := range c.list {
		if h.Lacks(u.update.Stamp) {
			list = append(list, u.update)
		}
	}
	return list
}

// lacking returns the updates that somebody does not have, in order, without those that were withdrawn.
func (f *feed) lacking(h window.Have) []*Update {
	return slices.DeleteFunc(f.cache.lacking(h),
		func(u *Update) bool { return network.IsWithdrawn(f.seams.Member, f.topic, u.Event) })
}

// behind returns the number behind which those of an epoch begin: last if there are none.
func (c *cache) behind(epoch, last uint64) uint64 {
	for _, u := range c.list {
		if u.update.Stamp.Epoch == epoch {
			return u.update.Stamp.Number - 1
		}
	}
	return last
}

// lately returns what came since a time, each event once.
func (c *cache) lately(since time.Duration) (list []cached) {
	for _, u := range c.list {
		known := slices.ContainsFunc(list, func(k cached) bool { return k.digest == u.digest })
		if u.at >= since && !known {
			list = append(list, u)
		}
	}
	return list
}

// left remembers the deliveries of topics that were left lately. So a node that joins anew gets nothing twice.
type left []leftTopic // at most maxLeft

type leftTopic struct {
	topic engine.ID
	seen  []uint64
}

const maxLeft = 16

func (l *left) add(t *tree) {
	if len(t.feed.cache.seen) > 0 {
		*l = remember(*l, leftTopic{t.topic, t.feed.cache.seen}, maxLeft)
	}
}

// restore gives a tree what was remembered of its topic.
func (l *left) restore(t *tree) {
	if i := slices.IndexFunc(*l, func(k leftTopic) bool { return k.topic == t.topic }); i >= 0 {
		t.feed.cache.seen = (*l)[i].seen
		*l = slices.Delete(*l, i, i+1)
	}
}
