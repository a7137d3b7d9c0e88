package trust

import (
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
)

// doubts are, by channel, the contents that distrusted nodes have announced. Trust.mu guards them.
type doubts map[engine.ID]doubt

// doubt is a content that a distrusted node has announced, and no poll of this node has seen so far.
type doubt struct {
	hash   corona.Hash
	finder engine.ID
	polled time.Time // when this node polled for that reason last
}

// maxDoubts bounds how many channels have a doubted content. Of others it is not noted whether a poll sees it.
const maxDoubts = 1 << 14

// add notes a content, and reports whether it is another than the last one of its channel.
func (d doubts) add(channel engine.ID, h corona.Hash, finder engine.ID) bool {
	last, known := d[channel]
	if last.hash == h {
		return false
	}
	if known || len(d) < maxDoubts {
		last.hash, last.finder = h, finder
		d[channel] = last
	}
	return true
}

func (d doubts) mayPoll(channel engine.ID, every time.Duration, now time.Time) bool {
	last, known := d[channel]
	if !known || now.Sub(last.polled) < every {
		return false
	}
	last.polled = now
	d[channel] = last
	return true
}

// resolve ends a doubt of a content. doubted reports whether there was one, and finder is the node that announced it.
func (d doubts) resolve(channel engine.ID, h corona.Hash) (finder engine.ID, doubted bool) {
	last, known := d[channel]
	if !known || last.hash != h {
		return finder, false
	}
	delete(d, channel)
	return last.finder, true
}
