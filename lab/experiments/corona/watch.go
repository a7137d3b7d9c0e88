package corona

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// watch is the origins' side. It knows which nodes poll each channel and when, and so has every poll without an event
// for each. A poll is an event only if something waits for it: the channel has changed and the poller does not know, or
// the experiment asks when the next poll is. The next poller is found from the schedules of all pollers, and anew
// whenever one of them changes. Polls that have passed are counted, each by its own time, from the schedules that were
// in force.
type watch struct {
	world    *sim.World
	channels []watched
	length   []uint32 // of documents, by channel, in bytes

	// a poll, in its turn or out of it; not in the order of time
	counted  func(channel int, at time.Duration, turn bool)
	found    func(n sim.Node, channel int)                       // a poll sees what its node does not have
	answered func(channel int, asked question, at time.Duration) // the first poll since
}

// watched is one channel.
type watched struct {
	members []poller // by node
	latest  int32    // the place of the member that was looked up last: it mostly is several times
	content uint32   // how often it has changed
	asked   []question
	due     time.Duration // the poll that somebody waits for; never: nobody does
}

// poller is a node that polls a channel, or has a version of it.
type poller struct {
	next    time.Duration // the first poll that has not been counted
	version uint64        // that its library holds
	content uint32        // of that version
	every   uint32        // milliseconds; 0: it does not poll
	node    sim.Node
}

// question asks when the next poll of a channel is.
type question struct {
	at     time.Duration
	change bool // the channel has changed; otherwise it is a probe
}

const never = time.Duration(math.MaxInt64)

func newWatch(w *sim.World, length []uint32) *watch {
	v := &watch{world: w, channels: make([]watched, len(length)), length: length}
	for i := range v.channels {
		v.channels[i].due = never
	}
	return v
}

// member returns what is known of a node; nil if that is nothing. It is good until the next one comes.
func (c *watched) member(n sim.Node) *poller {
	if i, ok := c.seat(n); ok {
		return &c.members[i]
	}
	return nil
}

func (c *watched) mustMember(n sim.Node) *poller {
	i, ok := c.seat(n)
	if !ok {
		if len(c.members) == cap(c.members) { // there are millions: if they doubled, a third would stay empty
			c.members = append(make([]poller, 0, len(c.members)+2+len(c.members)/4), c.members...)
		}
		c.members = slices.Insert(c.members, i, poller{node: n})
	}
	return &c.members[i]
}

// seat returns where a node stands among the members, or is to stand.
func (c *watched) seat(n sim.Node) (int, bool) {
	if i := int(c.latest); i < len(c.members) && c.members[i].node == n {
		return i, true
	}
	i, ok := slices.BinarySearchFunc(c.members, n, func(m poller, n sim.Node) int { return cmp.Compare(m.node, n) })
	c.latest = int32(i)
	return i, ok
}

// after returns a member's first poll from some time on.
func (m *poller) after(from time.Duration) time.Duration {
	switch {
	case m.every == 0:
		return never
	case m.next >= from:
		return m.next
	}
	every := m.period()
	return m.next + (from-m.next+every-1)/every*every
}

// period returns the time between two polls.
func (m *poller) period() time.Duration { return time.Duration(m.every) * time.Millisecond }

// schedule has a node poll a channel from first on; every 0 ends it.
func (v *watch) schedule(channel int, n sim.Node, first, every time.Duration) {
	c := &v.channels[channel]
	m := c.mustMember(n)
	v.count(channel, m, v.world.Now())
	was := m.after(v.world.Now())
	m.next, m.every = first, uint32(every/time.Millisecond)
	if is := m.after(v.world.Now()); c.waiting() && (is < c.due || was <= c.due) {
		v.await(channel, v.world.Now())
	}
}

// count counts a member's polls before a time.
func (v *watch) count(channel int, m *poller, until time.Duration) {
	if m.every == 0 {
		return
	}
	for ; m.next < until; m.next += m.period() {
		v.counted(channel, m.next, true)
	}
}

// finish counts all polls before now.
func (v *watch) finish() {
	for i := range v.channels {
		for j := range v.channels[i].members {
			v.count(i, &v.channels[i].members[j], v.world.Now())
		}
	}
}

// leave ends all polling of a node that has gone.
func (v *watch) leave(n sim.Node) {
	for i := range v.channels {
		if m := v.channels[i].member(n); m != nil && m.every > 0 {
			v.schedule(i, n, 0, 0)
		}
	}
}

// change has a channel change now.
func (v *watch) change(channel int) {
	v.channels[channel].content++
	v.ask(channel, question{v.world.Now(), true})
}

// ask requests a report of the next poll of a channel.
func (v *watch) ask(channel int, q question) {
	c := &v.channels[channel]
	c.asked = append(c.asked, q)
	v.await(channel, v.world.Now())
}

// once polls a channel now, out of turn.
func (v *watch) once(channel int) {
	v.counted(channel, v.world.Now(), false)
	v.answer(channel)
}

// waiting reports whether the next poll may matter to somebody.
func (c *watched) waiting() bool { return c.due != never || len(c.asked) > 0 || c.content > 0 }

// await waits for the next poll, from some time on, that matters.
func (v *watch) await(channel int, from time.Duration) {
	c := &v.channels[channel]
	due := never
	for i := range c.members {
		if m := &c.members[i]; len(c.asked) > 0 || m.content < c.content {
			due = min(due, m.after(from))
		}
	}
	if due == c.due {
		return
	}
	c.due = due
	if due != never {
		v.world.At(due, func() {
			if c.due == due {
				v.poll(channel)
			}
		})
	}
}

// poll makes the polls of now.
func (v *watch) poll(channel int) {
	c, now := &v.channels[channel], v.world.Now()
	c.due = never
	v.answer(channel)
	for i := range c.members {
		if m := &c.members[i]; m.content < c.content && m.after(now) == now {
			v.found(m.node, channel)
		}
	}
	v.await(channel, now+1)
}

func (v *watch) answer(channel int) {
	c := &v.channels[channel]
	for _, q := range c.asked {
		v.answered(channel, q, v.world.Now())
	}
	c.asked = c.asked[:0]
}

// held returns what a node has of a channel.
func (v *watch) held(channel int, n sim.Node) (version uint64, h corona.Hash) {
	m := v.channels[channel].member(n)
	if m == nil || m.version == 0 {
		return 0, h
	}
	return m.version, hashOf(int32(channel), m.content)
}

// update stores a version at a node, if it is newer than the node's.
func (v *watch) update(channel int, n sim.Node, version uint64, h corona.Hash) bool {
	m := v.channels[channel].mustMember(n)
	if version <= m.version {
		return false
	}
	m.version, m.content = version, contentOf(h)
	return true
}

// report returns what a node sees that polls a channel now.
func (v *watch) report(channel corona.Channel, i int, n sim.Node, finder engine.ID) corona.PollResult {
	content := v.channels[i].content
	r := corona.PollResult{Hash: hashOf(int32(i), content), Size: v.length[i]}
	version, held := v.held(i, n)
	if content > 0 && held != r.Hash {
		r.Update = &corona.Update{
			Channel: channel.ID, URL: channel.URL, Version: version, Hash: r.Hash,
			FoundBy: finder, Size: v.length[i], Payload: wholeContent,
		}
	}
	return r
}

// wholeContent stands for what updates say: the whole content each, so that they fit whatever was held before.
var wholeContent = []byte("content")
