package corona

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
)

// workload is what is subscribed to and how it changes: section 5.1 of the paper. It is the same for all rows of the
// table, and nobody changes it.
type workload struct {
	seed     uint64
	channels []corona.Channel
	index    []int32         // by the first bits of IDs: see number
	readers  []uint32        // subscriptions by channel, the most popular channel first
	total    float64         // of readers
	update   []time.Duration // mean time between two changes, by channel
	host     []int32         // by channel: the host that it is on
	length   []uint32        // of documents, by channel, in bytes
}

// Popularity and the times between changes are as in the paper: a tenth of the channels change within an hour, half of
// them once a week, the others between. The paper does not say how they lie within these ranges. Here their logarithms
// are uniform.
const (
	zipf           = 0.5
	quickest       = 10 * time.Minute
	quickShare     = 0.1
	slowShare      = 0.5
	week           = 7 * 24 * time.Hour
	documentLength = 16 << 10 // of every channel, unless lengths vary: so load in bytes and in polls is the same
)

func newWorkload(seed uint64, s sizes) *workload {
	w := &workload{
		seed: seed, channels: make([]corona.Channel, s.Channels), index: make([]int32, 1<<bits.Len(uint(2*s.Channels))),
		readers: make([]uint32, s.Channels), update: make([]time.Duration, s.Channels),
		host: hostsOf(seed, s.Channels, s.Hosts), length: slices.Repeat([]uint32{documentLength}, s.Channels),
	}
	weights := 0.
	for i := range s.Channels {
		weights += math.Pow(float64(i+1), -zipf)
	}
	for i := range w.channels {
		url := fmt.Sprintf("http://origin-%d.example/%d", seed+uint64(w.host[i])<<32, i)
		w.channels[i] = corona.Channel{ID: engine.IDOf([]byte(url)), URL: url}
		*w.slot(w.channels[i].ID) = int32(i) + 1
		q := float64(s.Subscriptions) * math.Pow(float64(i+1), -zipf) / weights
		w.readers[i] = uint32(max(1, math.Round(q)))
		w.total += float64(w.readers[i])
	}
	chance := rand.New(rand.NewPCG(seed, 0x0ca1))
	for rank, i := range chance.Perm(s.Channels) {
		w.update[i] = updateInterval((float64(rank) + 0.5) / float64(s.Channels))
	}
	return w
}

// vary draws lengths of documents with those quantiles, spaced evenly. Between two quantiles their logarithms are
// uniform.
func (w *workload) vary(quantiles []int) {
	chance := rand.New(rand.NewPCG(w.seed, 0x517e))
	for rank, i := range chance.Perm(len(w.length)) {
		at := (float64(rank) + 0.5) / float64(len(w.length)) * float64(len(quantiles)-1)
		least, most := float64(quantiles[int(at)]), float64(quantiles[int(at)+1])
		w.length[i] = uint32(least * math.Pow(most/least, at-math.Floor(at)))
	}
}

// number returns the number of a channel. Its ID is the hash by which index is searched.
func (w *workload) number(id engine.ID) int {
	i := *w.slot(id)
	if i == 0 {
		panic(fmt.Sprintf("lab: there is no channel %v", id))
	}
	return int(i) - 1
}

// slot returns where the number of a channel stands in index, counted from 1, or is to stand.
func (w *workload) slot(id engine.ID) *int32 {
	mask := len(w.index) - 1
	at := int(binary.BigEndian.Uint32(id[:])) & mask
	for w.index[at] != 0 && w.channels[w.index[at]-1].ID != id {
		at = (at + 1) & mask
	}
	return &w.index[at]
}

// updateInterval returns the mean time between changes that a share of all channels does not exceed.
func updateInterval(share float64) time.Duration {
	between := func(least, most time.Duration, x float64) time.Duration {
		return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), x)).Round(time.Second)
	}
	switch {
	case share < quickShare:
		return between(quickest, time.Hour, share/quickShare)
	case share < 1-slowShare:
		return between(time.Hour, week, (share-quickShare)/(1-slowShare-quickShare))
	}
	return week
}

// What chance is drawn for.
const (
	chanceChange = iota
	chanceProbe
	chanceHome
	chanceLegacy
)

// chance returns a source for the k-th thing of a kind that befalls a channel, the same in all rows.
func (w *workload) chance(what, channel, k int) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed<<8|uint64(what), uint64(channel)<<32|uint64(k)))
}

// probedAt returns a random moment of the k-th part of a channel's time.
func (w *workload) probedAt(channel, k int, part time.Duration) time.Duration {
	return time.Duration(k)*part + time.Duration(w.chance(chanceProbe, channel, k).Int64N(int64(part)))
}

// untilChange returns the time between a channel's k-th change and the one before: changes are a Poisson process.
func (w *workload) untilChange(channel, k int) time.Duration {
	gap := w.chance(chanceChange, channel, k).ExpFloat64() * float64(w.update[channel])
	return max(time.Duration(gap).Round(time.Millisecond), time.Millisecond)
}

// reading is a subscription: how many readers of a channel there are at a node.
type reading struct{ channel, node, count int }

// readings returns the nodes that subscribe to a channel. Its readers are spread at random over so many of the nodes,
// or over more if owners would not count that many for one node. nodes is as long as there are nodes; its contents are
// overwritten.
func (w *workload) readings(channel int, nodes []int, homes, maxCount int) []reading {
	q := int(w.readers[channel])
	homes = min(max(homes, (q+maxCount-1)/maxCount*5/4), q, len(nodes))
	chance := w.chance(chanceHome, channel, 0)
	list := make([]reading, 0, homes)
	for i := range nodes {
		nodes[i] = i
	}
	chance.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	for _, n := range nodes[:homes] {
		list = append(list, reading{channel, n, q / homes})
	}
	for i := range q % homes {
		list[i].count++
	}
	return list
}

// hashOf names a channel's k-th content. There is none before the first.
func hashOf(channel int32, k uint32) (h corona.Hash) {
	if k == 0 {
		return h
	}
	binary.BigEndian.PutUint32(h[8:], k)
	binary.BigEndian.PutUint32(h[12:], uint32(channel))
	x := (uint64(channel)<<32 | uint64(k)) * 0x9e3779b97f4a7c15
	binary.BigEndian.PutUint64(h[:], (x^x>>29)*0xbf58476d1ce4e5b9|1)
	return h
}

// contentOf is the inverse of hashOf.
func contentOf(h corona.Hash) uint32 { return binary.BigEndian.Uint32(h[8:]) }
