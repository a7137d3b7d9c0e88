package corona

import "tidings/network/engine"

// round goes over all channels that are owned here once every maintenance interval, a page at a
// time, from the end of the list to its beginning: what is forgotten on the way has its place
// taken by one that has been seen.
type round struct {
	at   int
	next engine.Timer // begins the next one
}

// pageEntries is how many entries of tables are looked at in one go, but for those of the last
// channel.
const pageEntries = 4096

func (n *roster) startRound() {
	n.owned.round.next.Stop()
	n.owned.round.next = n.Env.After(n.Jitter(n.config.Maintenance), n.beginRound)
}

func (n *roster) beginRound() {
	n.flushCopies() // so that they make no difference
	n.owned.round.at = len(n.owned.list)
	n.goRound()
}

func (n *roster) goRound() {
	r := &n.owned.round
	r.at = min(r.at, len(n.owned.list))
	for entries := 0; r.at > 0; {
		if entries >= pageEntries {
			n.Env.After(pagePause, n.goRound)
			return
		}
		r.at--
		o := n.owned.list[r.at]
		entries += len(o.readers.entries) + pageEntries/pageChannels
		n.review(o)
	}
	n.startRound()
}

// review drops what has not been renewed, and has the primary compare the channel with the other
// owners. Where the primary does not, as it may never have heard of the channel, the others do.
func (n *roster) review(o *owned) {
	n.expire(o)
	if len(o.readers.entries) == 0 {
		n.forget(o)
		return
	}
	n.Reassess(o)
	switch {
	case o.primary:
		o.equal = 0
	case o.rank > 0 && n.Env.Now() > o.compared+n.config.Maintenance*3/2:
		o.equal &^= 1 // of the primary
	default:
		return
	}
	o.tries = 0
	n.SyncAt(o, n.Env.Now())
}

// expire drops the entries that were not renewed in time.
func (n *roster) expire(o *owned) {
	now, last := seconds(n.Env.Now()), seconds(n.config.Forget)
	before, had := o.readers.live, len(o.readers.entries)
	for i := had - 1; i >= 0; i-- {
		if now-o.readers.entries[i].heard >= last {
			n.removeEntry(o, i)
		}
	}
	if gone := had - len(o.readers.entries); gone > 0 {
		n.Env.Trace(Expired{o.channel.ID, gone})
		if before > 0 && o.readers.live == 0 {
			n.TellChange(o)
		}
	}
}
