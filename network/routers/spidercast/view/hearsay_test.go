package view_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/view"
	"tidings/network/sim"
)

// mute runs nowhere: others speak in its name.
type mute struct{}

func (mute) Receive(engine.Peer, engine.Message) {}
func (mute) PeerDown(engine.Peer)                {}
func (mute) Stop()                               {}

// listener is one view, that follows topic 1, and a node that sends it entries.
type listener struct {
	*sim.World
	v    *watched
	from engine.Peer
}

func newListener(c view.Config) *listener {
	l := &listener{World: sim.New(sim.Default(codec))}
	x := newWorld(l.World, c, [][]engine.ID{{topic(1)}})
	n := l.Add(engine.IDOf([]byte("talker")), func(engine.Env, *sim.Disk) engine.Protocol { return mute{} })
	l.Boot(n)
	l.v, l.from = x.view(0), l.Peer(n)
	l.Run(5 * time.Second)
	return l
}

// entry is of a node that follows a topic, as it said age seconds ago.
func (l *listener) entry(node string, follows int, age uint32) view.Entry {
	p := engine.Peer{ID: engine.IDOf([]byte(node)), Address: l.from.Address}
	return view.Entry{Peer: p, Follows: interest.Of([]engine.ID{topic(follows)}, 64), Version: uint32(follows),
		Age: age}
}

func (l *listener) say(m engine.Message) { l.Do(0, func(p engine.Protocol) { p.Receive(l.from, m) }) }

func (l *listener) send(entries ...view.Entry) {
	l.Run(2 * time.Second)
	l.say(&view.Shuffle{Self: l.entry("talker", 1, 0), Sample: entries})
}

// follows returns which topic an entry follows, 0 if there is none.
func (l *listener) follows(node string) int {
	for _, e := range l.v.Entries() {
		if e.Peer.ID == engine.IDOf([]byte(node)) {
			return int(e.Version)
		}
	}
	return 0
}

func (l *listener) want(t *testing.T, what, node string, follows int) {
	t.Helper()
	if got := l.follows(node); got != follows {
		t.Errorf("%s: the view has version %d, want %d", what, got, follows)
	}
}

// Of two claims the younger is believed; nothing that is older than MaxAge, and nothing that was said before a node was
// found to be gone.
func TestYoungerIsBelieved(t *testing.T) {
	c := view.Default()
	l := newListener(c)
	l.send(l.entry("a", 3, 60))
	l.want(t, "first word", "a", 3)
	l.send(l.entry("a", 4, 100))
	l.want(t, "older word", "a", 3)
	l.send(l.entry("a", 5, 10))
	l.want(t, "younger word", "a", 5)
	l.send(l.entry("b", 3, uint32(c.MaxAge/time.Second)+1))
	l.want(t, "too old", "b", 0)
	l.Do(0, func(p engine.Protocol) { p.PeerDown(l.entry("a", 0, 0).Peer) })
	l.want(t, "after it was found down", "a", 0)
	l.send(l.entry("a", 6, 5))
	l.want(t, "word from before", "a", 0)
	l.Run(10 * time.Second)
	l.send(l.entry("a", 7, 1))
	l.want(t, "word from after", "a", 7)
}

// What a node says about itself is about no other. What it says about others is never as young as what it says about
// itself.
func TestSelfIsWhoSpeaks(t *testing.T) {
	l := newListener(view.Default())
	self := l.entry("another", 3, 0)
	self.Age = 500
	l.Run(2 * time.Second)
	l.say(&view.Shuffle{Self: self})
	l.want(t, "another", "another", 0)
	l.want(t, "itself", "talker", 3)
	if age := l.v.Entries()[0].Age; age > 1 {
		t.Errorf("it spoke %d s ago", age)
	}
}

// Shuffles that come too often, replies that nobody asked for, and malformed ones teach nothing.
func TestUnaskedIsNotBelieved(t *testing.T) {
	l := newListener(view.Default())
	l.send(l.entry("a", 3, 0))
	l.say(&view.Shuffle{Self: l.entry("talker", 1, 0), Sample: []view.Entry{l.entry("b", 3, 0)}})
	l.want(t, "too often", "b", 0)
	for _, number := range []uint32{0, 1} {
		l.say(&view.ShuffleReply{Number: number, Self: l.entry("talker", 1, 0),
			Sample: []view.Entry{l.entry("c", 3, 0)}})
		l.want(t, "not asked", "c", 0)
	}
	bad := l.entry("d", 3, 0)
	bad.Follows = make(interest.Set, 16)
	l.send(bad)
	l.want(t, "malformed entry", "d", 0)
	l.Run(2 * time.Second)
	l.say(&view.Shuffle{Self: l.entry("talker", 1, 0), Sample: []view.Entry{l.entry("e", 3, 0)},
		Seek: make(interest.Set, 16)})
	l.want(t, "malformed request", "e", 0)
	l.send(view.Entry{Peer: l.Peer(0), Follows: interest.Of([]engine.ID{topic(3)}, 64), Version: 3})
	if l.v.Len() > 3 {
		t.Error("the node is in its own view")
	}
}

// Entries for topics that are thin, and nodes that were met, stay when inventions flood the view; also where all that
// there is room for is needed.
func TestWhoStays(t *testing.T) {
	for _, size := range []struct{ least, cover int }{{16, 3}, {1, 12}} {
		c := view.Default()
		c.Least, c.Cover, c.Share = size.least, size.cover, 0
		c.Round, c.FastRound = 10*time.Minute, 10*time.Minute // nobody is asked whether he exists
		l := newListener(c)
		var needed []view.Entry
		for i := range size.cover {
			needed = append(needed, l.entry(fmt.Sprint("needed ", i), 1, 20))
		}
		l.say(&view.Shuffle{Self: l.entry("talker", 1, 0), Sample: needed})
		for i := range 300 {
			liar := l.entry(fmt.Sprint("liar ", i%3), 9, 0)
			l.Run(time.Millisecond)
			l.Do(0, func(p engine.Protocol) {
				reply := &view.Shuffle{Self: liar, Sample: []view.Entry{l.entry(fmt.Sprint("invented ", i), 9, 0)}}
				liar.Peer.ID = engine.IDOf(fmt.Append(nil, "liar ", i))
				p.Receive(liar.Peer, reply)
			})
			if l.v.Len() > c.Least+c.Cover {
				t.Fatalf("a view of %d", l.v.Len())
			}
		}
		stay := 0
		for i := range size.cover {
			stay += l.follows(fmt.Sprint("needed ", i))
		}
		if stay < size.cover-1 { // the talker may stand for one
			t.Errorf("%d of %d that are needed stay", stay, size.cover)
		}
		l.want(t, "met", "talker", 1)
	}
}

// A question is answered once. Three kinds of replies teach nothing, the same at each question: a second reply with its
// number, one to an earlier question, and one that another node sends in the name of the asked one.
func TestAQuestionIsAnsweredOnce(t *testing.T) {
	l := newListener(view.Default())
	asked := uint32(0)
	l.Tap(func(d sim.Delivery) {
		if m, ok := d.Message.(*view.Shuffle); ok && d.From == 0 && d.Fate == sim.Sent && m.Number != 0 {
			asked = m.Number
		}
	})
	l.send()
	var before uint32
	reply := func(number uint32, node string) {
		l.say(&view.ShuffleReply{Number: number, Self: l.entry("talker", 1, 0),
			Sample: []view.Entry{l.entry(node, 3, 0)}})
	}
	for round := range 3 {
		asked = 0
		l.RunUntil(func() bool { return asked != 0 }, time.Hour)
		if asked == 0 {
			t.Fatalf("round %d: nobody is asked", round)
		}
		name := func(what string) string { return fmt.Sprint(what, round) }
		reply(before, name("of before"))
		l.want(t, "a reply to the question before", name("of before"), 0)
		l.Do(0, func(p engine.Protocol) {
			p.Receive(l.entry("another", 1, 0).Peer, &view.ShuffleReply{Number: asked, Self: l.entry("another", 1, 0),
				Sample: []view.Entry{l.entry(name("by another"), 3, 0)}})
		})
		l.want(t, "a reply of another", name("by another"), 0)
		reply(asked, name("true"))
		l.want(t, "the reply", name("true"), 3)
		reply(asked, name("twice"))
		l.want(t, "a second reply", name("twice"), 0)
		before = asked
		for _, e := range l.v.Entries() { // the talker alone is left to be asked
			if e.Peer != l.from {
				l.Do(0, func(p engine.Protocol) { p.PeerDown(e.Peer) })
			}
		}
	}
}
