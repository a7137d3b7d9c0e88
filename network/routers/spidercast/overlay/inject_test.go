package overlay_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
)

// puppet is a1, an honest node that follows topics 0 to 2 and knows no other. The test makes up the messages of its
// neighbour.
type puppet struct {
	*among
	peer engine.Peer
}

func newPuppet(c overlay.Config) *puppet {
	w := newAmong(c, 1, 3, func(*among, engine.Env, engine.Peer, engine.Message) {})
	w.honest.index.Remove(w.liars[0].ID)
	w.honest.index.Remove(w.Peer(1).ID)
	w.Run(time.Second)
	return &puppet{w, w.liars[0]}
}

func (p *puppet) say(m engine.Message) {
	p.Do(0, func(h engine.Protocol) { h.Receive(p.peer, m) })
}

func (p *puppet) profile(version uint32, topics ...int) overlay.Profile {
	var ids []engine.ID
	for _, i := range topics {
		ids = append(ids, topic(i))
	}
	return overlay.Profile{Version: version, Follows: interest.Of(ids, 64)}
}

func (p *puppet) isNeighbor() bool {
	for _, v := range p.honest.Neighbors() {
		if v.Peer == p.peer {
			return true
		}
	}
	return false
}

// A neighbour that does not know yet that it is one may say so for the length of a heartbeat; later it is none. One
// that wrongly believes to be in a set is notified.
func TestHeartbeatsCompareSets(t *testing.T) {
	p := newPuppet(tiny())
	p.say(&overlay.Connect{Profile: p.profile(1, 0)})
	p.say(&overlay.Heartbeat{Tasks: 0})
	if !p.isNeighbor() {
		t.Error("a neighbour that has just come is dropped")
	}
	before := p.sent["*overlay.Leave"]
	p.say(&overlay.Heartbeat{Tasks: 3})
	if n := p.sent["*overlay.Leave"] - before; n != 1 {
		t.Errorf("%d messages say that it is in no random set", n)
	}
	p.Run(6 * time.Second)
	p.say(&overlay.Heartbeat{Tasks: 0})
	if p.isNeighbor() {
		t.Error("a neighbour that does not know of it stays one")
	}
}

// A lost neighbour that returns also has the length of a heartbeat to learn that it is a neighbour again.
func TestHeartbeatsOfANeighbourThatComesBack(t *testing.T) {
	c := tiny()
	p := newPuppet(c)
	p.say(&overlay.Connect{Profile: p.profile(1, 0)})
	p.Run(c.Silence + 2*c.Heartbeat)
	if p.isNeighbor() {
		t.Fatal("a silent neighbour stays one")
	}
	p.say(&overlay.Connect{Profile: p.profile(1, 0)})
	p.say(&overlay.Heartbeat{Tasks: 0})
	if !p.isNeighbor() {
		t.Error("a neighbour that has just come back is dropped")
	}
	p.Run(c.Heartbeat + time.Second)
	p.say(&overlay.Heartbeat{Tasks: 0})
	if p.isNeighbor() {
		t.Error("a neighbour that does not know of it stays one")
	}
}

// Topics is believed only of the profiles that both ends have now, from a neighbour that sends a filter.
func TestStaleTopics(t *testing.T) {
	p := newPuppet(tiny())
	mine := p.honest.Profile().Version
	var many []int
	for i := range 100 {
		many = append(many, i+1)
	}
	p.say(&overlay.Connect{Profile: p.profile(5, many...)})
	names := func(i int) interest.Set { return interest.Of([]engine.ID{topic(i)}, 64) }
	shared := func() int { return len(p.honest.Neighbors()[0].Shared) }
	for _, m := range []*overlay.Topics{
		{Version: 4, Of: mine, Names: names(1)}, {Version: 5, Of: mine - 1, Names: names(1)},
		{Version: 5, Of: mine, Names: make(interest.Set, 16)},
	} {
		if p.say(m); shared() != 0 {
			t.Errorf("%v: the link carries %d topics", m, shared())
		}
	}
	if p.say(&overlay.Topics{Version: 5, Of: mine, Names: names(1)}); shared() != 1 {
		t.Errorf("the link carries %d topics, not the one that was named", shared())
	}
}

// A node that is a neighbour is not asked to become one, though it covers more than any other. This holds in quarantine
// and later.
func TestNeighborsAreNotAsked(t *testing.T) {
	c := tiny()
	c.Greedy, c.Margin = 2, 5
	p := newPuppet(c)
	p.say(&overlay.Connect{Profile: p.profile(1, 0, 1, 2)})
	p.honest.index.Put(p.peer, p.profile(1, 0, 1, 2).Follows, 0)
	for range 20 {
		p.Run(4 * time.Second)
		p.say(&overlay.Heartbeat{Tasks: 1, Known: p.honest.Profile().Version})
	}
	if n := p.sent["*overlay.Connect"]; n > 0 {
		t.Errorf("a neighbour was asked %d times", n)
	}
}

// The same with a neighbour that was asked once.
func TestAskedOnce(t *testing.T) {
	c := tiny()
	c.Greedy, c.Margin = 2, 5
	p := newPuppet(c)
	p.honest.index.Put(p.peer, p.profile(1, 0, 1, 2).Follows, 0)
	p.Run(3 * time.Second)
	p.say(&overlay.ConnectOK{Profile: p.profile(1, 0, 1, 2)})
	for range 20 {
		p.Run(4 * time.Second)
		p.say(&overlay.Heartbeat{Tasks: 1, Known: p.honest.Profile().Version})
	}
	if n := p.sent["*overlay.Connect"]; n != 1 {
		t.Errorf("a neighbour was asked %d times", n)
	}
}

// One answer to a request counts.
func TestOneAnswer(t *testing.T) {
	p := newPuppet(tiny())
	p.honest.index.Put(p.peer, p.profile(1, 0, 1, 2).Follows, 0)
	p.Run(3 * time.Second)
	for i := range 10 {
		p.say(&overlay.Redirect{To: engine.Peer{ID: engine.IDOf(fmt.Append(nil, "nobody ", i)),
			Address: p.Peer(1).Address}})
	}
	p.Run(10 * time.Second)
	if n := p.sent["*overlay.Connect"]; n != 2 {
		t.Errorf("%d requests were sent, not one and another where it was redirected to", n)
	}
}

// A node that claims many times the usual number of topics does not count as cover, until that number is usual.
func TestBroadDoesNotCover(t *testing.T) {
	c := tiny()
	c.Greedy = 1
	p := newPuppet(c)
	var many []int
	for i := range 64 {
		many = append(many, i)
	}
	p.honest.Usual(3)
	p.say(&overlay.Connect{Profile: p.profile(1, many...)})
	if n := len(p.honest.Uncovered()); n != 3 {
		t.Errorf("%d topics lack cover, want 3", n)
	}
	p.honest.Usual(30)
	if n := len(p.honest.Uncovered()); n != 0 {
		t.Errorf("%d topics lack cover when it is usual to follow many", n)
	}
	p.honest.Usual(3)
	if n := len(p.honest.Uncovered()); n != 3 {
		t.Errorf("%d topics lack cover when it is no longer", n)
	}
}

// A redirected node is sent to the neighbour that shares most with it and has room.
func TestRedirectToTheMostAlike(t *testing.T) {
	c := tiny()
	p := newPuppet(c)
	for i, topics := range [][]int{{0}, {0, 1}, {0, 1, 2}} {
		from := engine.Peer{ID: engine.IDOf(fmt.Append(nil, "neighbour ", i)), Address: p.Peer(1).Address}
		standing := overlay.Standing{Degree: 1, Target: 3}
		if i == 2 {
			standing = overlay.Standing{Degree: 9, Target: 3} // has no room
		}
		p.Do(0, func(h engine.Protocol) {
			h.Receive(from, &overlay.Connect{Standing: standing, Profile: p.profile(1, topics...)})
		})
	}
	var to engine.Peer
	p.Tap(func(m sim.Delivery) {
		if r, ok := m.Message.(*overlay.Redirect); ok {
			to = r.To
		}
	})
	p.say(&overlay.Connect{Profile: p.profile(1, 0, 1, 2)})
	if want := engine.IDOf([]byte("neighbour 1")); to.ID != want {
		t.Errorf("redirected to %v, want %v", to.ID.Short(), want.Short())
	}
}

// A lost neighbour comes back in one set and is suspected then. It is not asked to come back in the other.
func TestSuspectsAreNotAskedBack(t *testing.T) {
	c := tiny()
	c.Margin = 5
	p := newPuppet(c)
	p.say(&overlay.Connect{Profile: p.profile(1, 0, 1, 2)})
	p.say(&overlay.Connect{Task: overlay.Random, Profile: p.profile(1, 0, 1, 2), Tasks: 1})
	p.Do(0, func(engine.Protocol) { p.honest.PeerDown(p.peer) })
	p.say(&overlay.Connect{Profile: p.profile(1, 0, 1, 2)})
	p.Do(0, func(engine.Protocol) { p.honest.Suspect(p.peer) })
	p.Run(2 * time.Minute)
	if n := p.sent["*overlay.Connect"]; n > 0 {
		t.Errorf("a suspect was asked %d times", n)
	}
}

// A node that is suspected is refused until the suspicion is over, whatever short quarantine comes before or after it.
// One that was only lost may come back at once.
func TestSuspicionOutlastsQuarantine(t *testing.T) {
	c := tiny()
	connect := func(p *puppet) bool {
		p.say(&overlay.Connect{Profile: p.profile(1, 0, 1, 2)})
		return p.isNeighbor()
	}
	lose := func(p *puppet) { p.Do(0, func(engine.Protocol) { p.honest.PeerDown(p.peer) }) }
	suspect := func(p *puppet) { p.Do(0, func(engine.Protocol) { p.honest.Suspect(p.peer) }) }
	for what, steps := range map[string][]func(p *puppet){
		"suspected":                  {suspect},
		"suspected, then lost":       {suspect, lose},
		"suspected when asked":       {suspect, func(p *puppet) { connect(p) }},
		"suspected and asked, twice": {suspect, func(p *puppet) { connect(p) }, func(p *puppet) { connect(p) }},
	} {
		p := newPuppet(c)
		p.honest.index.Put(p.peer, p.profile(1, 0, 1, 2).Follows, 0)
		connect(p)
		for _, step := range steps {
			step(p)
		}
		for range int(c.Suspicion/c.Quarantine) - 1 {
			p.Run(c.Quarantine)
			if connect(p) {
				t.Errorf("%s: it comes back before the suspicion is over", what)
				break
			}
		}
		p.Run(2 * c.Quarantine)
		if !connect(p) {
			t.Errorf("%s: it does not come back when the suspicion is over", what)
		}
	}
	p := newPuppet(c)
	connect(p)
	if lose(p); !connect(p) {
		t.Error("one that was only lost does not come back")
	}
}

// One message names up to 4,096 of the topics that both ends follow. The bound counts as hit only if there are more.
func TestNamesAreBounded(t *testing.T) {
	const most = 4096
	for _, extra := range []int{-1, 0, 1} {
		w := newAmong(tiny(), 1, most+extra, func(*among, engine.Env, engine.Peer, engine.Message) {})
		w.honest.index.Remove(w.liars[0].ID)
		w.honest.index.Remove(w.Peer(1).ID)
		hits := 0
		w.Observe(func(_ time.Duration, n sim.Node, event any) {
			if hit, ok := event.(overlay.LimitHit); ok && n == 0 && hit.What == "maxTopicsNames" {
				hits++
			}
		})
		var named []int
		w.Tap(func(d sim.Delivery) {
			if m, ok := d.Message.(*overlay.Topics); ok && d.From == 0 && d.Fate == sim.Sent {
				named = append(named, len(m.Names.Names()))
			}
		})
		w.Run(time.Second)
		p := &puppet{w, w.liars[0]}
		all := make([]int, most+extra)
		for i := range all {
			all[i] = i
		}
		p.say(&overlay.Connect{Profile: p.profile(5, all...)})
		p.say(&overlay.ProfileChanged{Profile: p.profile(6, all...)})
		p.Run(time.Second)
		if len(named) == 0 {
			t.Fatal("no topics are named")
		}
		for _, n := range named {
			if n != min(most, most+extra) {
				t.Errorf("of %d topics %d are named", most+extra, n)
			}
		}
		if (hits > 0) != (extra > 0) || extra > 0 && hits != len(named) {
			t.Errorf("of %d topics: the bound counts as hit %d times, and %d messages name them", most+extra, hits,
				len(named))
		}
	}
}
