package corona

import (
	"time"

	"tidings/network/engine"
)

// How channels are compared: some at a time, and again, ever more seldom, with those who do not
// answer.
const (
	pageChannels  = 256
	pagePause     = 100 * time.Millisecond
	compareWait   = 2 * time.Second // doubled each time
	informWait    = 500 * time.Millisecond
	compareTries  = 8 // then the next round does it
	compareWaits  = 8 // how often a channel is put off whose table is changing
	informedAfter = 3 // tries after which who is silent has nothing to tell
)

// syncAt has a channel compared with those of the other owners who may not have all that this
// node has.
func (n *roster) SyncAt(o *owned, at time.Duration) {
	o.syncDue = at
	n.owned.syncs.Put(o)
	n.wakeSync(at)
}

func (n *roster) wakeSync(at time.Duration) { n.owned.sync.Soon(n.Env, at, n.syncDue) }

// syncDue compares the channels that are due, one page of them.
func (n *roster) syncDue() {
	var out digestsOut
	now := n.Env.Now()
	for range pageChannels {
		o, ok := n.owned.syncs.Next()
		if !ok || o.syncDue > now {
			break
		}
		n.owned.syncs.Remove(o)
		n.compare(o, &out)
	}
	out.send(n.Env)
	if o, ok := n.owned.syncs.Next(); ok {
		n.wakeSync(max(o.syncDue, now+pagePause))
	}
}

// compare asks the other owners what they have, but for those of whom it is known, and sees to
// it that they are asked again.
func (n *roster) compare(o *owned, out *digestsOut) {
	n.Reassess(o)
	n.owned.syncs.Remove(o)
	wait := compareWait
	if o.primary && !o.informed { // nobody polls until it is
		wait = informWait
	}
	if now := n.Env.Now(); !o.leaving() && o.tries == 0 && o.waits < compareWaits && now < o.touched+wait {
		o.waits++ // Copies are on their way
		n.SyncAt(o, now+wait)
		return
	}
	o.waits = 0
	if o.shared() {
		n.allEqual(o)
		return
	}
	if o.tries++; o.tries >= informedAfter {
		n.inform(o)
	}
	d := o.digest()
	_, sure := n.Ring.Owners(o.channel.ID, n.config.Owners)
	if o.far = o.leaving() && !sure; o.far {
		n.Ring.Route(o.channel.ID, &Digests{[]Digest{d}})
	} else {
		for i, p := range o.others {
			if o.equal>>i&1 == 0 {
				out.add(p, d)
			}
		}
	}
	wait = min(compareWait<<o.tries, n.config.Maintenance)
	if o.tries >= compareTries {
		if !o.leaving() {
			return
		}
		o.tries = compareTries
	}
	n.SyncAt(o, n.Env.Now()+wait+n.Chance(wait/8))
}

// digest sums up what is held of a channel.
func (o *owned) digest() Digest {
	return Digest{
		Channel: o.channel.ID, Sum: o.readers.sum, Version: o.version, Stamp: o.stamp,
		Entries: uint32(len(o.readers.entries)),
	}
}

func (o *owned) equals(d *Digest) bool {
	return o.readers.sum == d.Sum && o.version == d.Version && o.stamp == d.Stamp
}

// compareDigests answers digests, and takes note of answers.
func (n *roster) compareDigests(from engine.Peer, m *Digests) {
	var out digestsOut
	for i := range m.Digests {
		d := &m.Digests[i]
		o := n.Find(d.Channel)
		switch {
		case o == nil && (d.Answer || !n.Owns(d.Channel)):
			continue
		case o == nil:
			o = &owned{channel: Channel{ID: d.Channel}} // nothing
		case !d.Answer && o.rank > 0 && from.ID == o.others[0].ID:
			o.compared = n.Env.Now()
		}
		n.node.version.CompareVersion(o, d.Version)
		switch {
		case !o.equals(d):
			if !d.Answer {
				n.Env.Send(from, o.parts(partBits(len(o.readers.entries), int(d.Entries)), n))
			}
			continue
		case !d.Answer && o.position(from.ID) < 0 && !o.shared():
			continue // it leaves, and is to wait until all owners have what this one has
		case !d.Answer:
			answer := o.digest()
			answer.Answer = true
			out.add(from, answer)
		}
		n.hasAll(o, from)
	}
	out.send(n.Env)
}

// shared reports whether all the other owners have all that this node has, as far as it knows.
func (o *owned) shared() bool { return o.equal == 1<<len(o.others)-1 }

// hasAll takes note that another owner has all that this node has of a channel.
func (n *roster) hasAll(o *owned, p engine.Peer) {
	if o.far && o.leaving() {
		n.allEqual(o) // the primary sees to the others
		return
	}
	i := o.position(p.ID)
	if i < 0 {
		return
	}
	if o.equal |= 1 << i; o.shared() {
		n.allEqual(o)
	}
}

// hasTold takes note that another owner has told what it knows but for the subscriptions.
func (n *roster) hasTold(o *owned, p engine.Peer) {
	i := o.position(p.ID)
	if i < 0 || o.informed {
		return
	}
	if o.told |= 1 << i; o.told|o.equal == 1<<len(o.others)-1 {
		n.inform(o)
	}
}

// allEqual is called when all the other owners have all that this node has.
func (n *roster) allEqual(o *owned) {
	o.tries = 0
	n.owned.syncs.Remove(o)
	if o.leaving() {
		n.forget(o)
		return
	}
	n.inform(o)
}

func (n *roster) inform(o *owned) {
	if !o.informed && !o.leaving() {
		o.informed = true
		n.TellChange(o)
		n.node.version.ConsiderNext(o)
	}
}

// digestsOut is digests on their way, by peer.
type digestsOut []struct {
	to   engine.Peer
	list []Digest
}

// maxDigests is how many digests a message takes.
const maxDigests = 256

func (out *digestsOut) add(to engine.Peer, d Digest) {
	for i := range *out {
		if b := &(*out)[i]; b.to == to && len(b.list) < maxDigests {
			b.list = append(b.list, d)
			return
		}
	}
	*out = append(*out, struct {
		to   engine.Peer
		list []Digest
	}{to, []Digest{d}})
}

func (out digestsOut) send(env engine.Env) {
	for _, b := range out {
		env.Send(b.to, &Digests{b.list})
	}
}
