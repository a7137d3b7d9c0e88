package zones

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
)

// sentOverhead is what an item that was sent to a zone is in bytes besides its entry, about.
const sentOverhead = 256

// admitSent lets pass what the holder of the topic's key has signed.
func admitSent(topic engine.ID, item *feedtree.Item) (digest uint64, bytes int, ok bool) {
	// Only readers judge whether the time is right: a wrong clock on the way would keep items from others.
	if item.Verify(topic, time.UnixMilli(item.Time), 0) != nil {
		return 0, 0, false
	}
	h := item.Head()
	words := append(append(make([]byte, 0, 128), topic[:]...), h.Key[:]...)
	words = binary.BigEndian.AppendUint64(words, h.Number)
	words = binary.BigEndian.AppendUint64(words, uint64(h.Time))
	sum := sha256.Sum256(append(words, h.Hash[:]...))
	return binary.BigEndian.Uint64(sum[:]), len(item.Entry) + sentOverhead, true
}

// maxSentAge is how far from now an item's time may be at a reader. An attacker may send others' items again, so that
// corrected ones are shown again. The network's own recovery goes back by several minutes; the rest is for wrong
// clocks.
const maxSentAge = 24 * time.Hour

// brought accepts an item that was sent to a zone of the node. It is called in the loop.
func (z *Zones) brought(to zone.Path, item *feedtree.Item) {
	sender := live.NodeID(item.Key[:])
	if z.host.Distrusts(sender) {
		return
	}
	if off := offBy(item); off > maxSentAge {
		z.log.Warn("an item that was sent to a zone is not shown: its time is too far from this node's", "zone", to,
			"sender", sender, "off", off.Round(time.Second))
		return
	}
	z.host.BroughtToZone(to, sender, item)
}

// offBy returns how far an item's time is from this node's.
func offBy(item *feedtree.Item) time.Duration { return time.Since(time.UnixMilli(item.Time)).Abs() }

// broughtPush accepts an item that its publisher has pushed. It is called in the loop. An old one was sent again by
// another node.
func (z *Zones) broughtPush(e *feedtree.Named) {
	if item, is := e.Event.(*feedtree.Item); is && e.URL != "" && offBy(item) <= maxSentAge {
		z.host.BroughtPush(e.URL, item)
	}
}

// zoneOf returns the one of the node's zones of which a key has a topic.
func (r *Router) zoneOf(topic engine.ID, key feedtree.Key) (zone.Path, bool) {
	path, _ := r.zones.Path()
	for depth := range path.Depth() + 1 {
		if p := path.At(depth); sentTopic(p, key) == topic {
			return p, true
		}
	}
	return "", false
}

// membersIn returns how many members a row of a zone's table stands for.
func membersIn(r table.Row) int64 {
	if zone.IsMember(r.Label) {
		return 1
	}
	return r.Attributes.Get(astrolabe.AttrMembers).Integer
}

// sendTimes are the times of what a node sends to zones: each is later than the one before.
type sendTimes struct {
	mu   sync.Mutex
	last int64 // milliseconds since 1970
}

func (t *sendTimes) next(now time.Time) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = feedtree.NextTime(now, t.last)
	return t.last
}
