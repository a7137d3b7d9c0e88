package livenet

import (
	"hash/fnv"
	"strings"
	"time"

	"tidings"
)

// Fact is what a channel says from some moment on: an item, new or revised. It is said once, so a second notification
// of it is one too many.
type Fact struct {
	Made time.Duration // when the origin, or the publisher, was given it
	Seen time.Duration // from when on subscribers that are up must be notified; Unseen: they need not be
	Gone time.Duration // when the origin had it no more; Endless: never
}

// Unseen is when something happens that never does.
const Unseen = time.Duration(-1)

// Subscription is a node's subscription to a channel, with the node's notifications of it. All times are since the
// network's beginning.
type Subscription struct {
	Since    time.Duration  // when its first version was stored; Endless: none was
	Until    time.Duration  // when it ended; Endless: it has not
	Notified []Notification // as they came
	Unsigned int            // items of a published channel after its first version that nobody has signed
	Foreign  int            // items that are not the channel's

	asked time.Duration // when it began
	last  tidings.Version
}

// Notification is one notification of a fact. Times are since the network's beginning.
type Notification struct {
	Fact     int32
	Version  tidings.Version // of the channel, which said it
	Received time.Duration   // when the node's listener had it
	Stored   time.Duration   // when the node had it
	Found    time.Duration   // when its finder saw it, or its publisher signed it: whole milliseconds
}

// SaidBy returns by what a fact of a recorded channel is known: an item's name and its text, without markup.
func SaidBy(it *tidings.Item) uint64 {
	h := fnv.New64a()
	for _, text := range []string{it.ID, it.Title, bareText(it.Summary), bareText(it.Content)} {
		_, _ = h.Write([]byte(text)) // it never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// bareText leaves out tags, and with them links, which are made absolute by where the feed lies.
func bareText(s string) string {
	var b strings.Builder
	for {
		text, rest, found := strings.Cut(s, "<")
		b.WriteString(text)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, ">")
	}
}

// fact returns which fact of a channel an item says.
func (n *Net) fact(channel int, it *tidings.Item) (int32, bool) {
	if s := n.sites[channel]; s != nil {
		return s.fact(factOf(it.ID, it.News))
	}
	f, ok := n.work.Channels[channel].Facts[SaidBy(it)]
	return f, ok && f >= 0
}
