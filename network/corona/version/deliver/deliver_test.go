package deliver

import (
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// numbers has the machine number a content, and the other owners note it.
func (n *node) numbers(u *update.Update) {
	n.do(n.Keep(news.ID, *u))
	n.env.Advance(10 * time.Millisecond)
	to, commits := sent[*Commit](n)
	for i, p := range to {
		n.do(n.ReceiveCommitted(p, &Committed{news.ID, commits[i].State.Version}))
	}
}

// A content gets its number when the library has stored it. It is published when all other owners have noted that, or
// had two seconds to, and witnesses have signed or had three.
func TestAContentIsNumbered(t *testing.T) {
	for what, c := range map[string]struct {
		notes  int // owners
		awaits bool
		signed bool
		within time.Duration
	}{
		"all note it":             {2, false, false, 0},
		"one does not":            {1, false, false, 2 * commitWait},
		"witnesses do not sign":   {2, true, false, attestWait},
		"witnesses sign":          {2, true, true, 0},
		"one of the owners is up": {1, true, false, 2*commitWait + attestWait},
	} {
		n := newNode(true)
		n.awaits = c.awaits
		n.do(n.Keep(news.ID, *after(0, update.Hash{}, "text")))
		if n.env.Advance(time.Millisecond); len(n.stored) != 1 {
			t.Fatalf("%s: the library does not store it", what)
		}
		to, commits := sent[*Commit](n)
		if len(to) != 2 || commits[0].Header.Version != n.version || len(returned[Numbering](n)) != 1 {
			t.Fatalf("%s: %d owners are to note it", what, len(to))
		}
		for _, p := range to[:c.notes] {
			n.do(n.ReceiveCommitted(p, &Committed{news.ID, n.version}))
			n.do(n.ReceiveCommitted(p, &Committed{news.ID, n.version}))
		}
		if c.signed {
			n.awaits = false
			next, late := n.Attested(&update.Update{Channel: news.ID, Version: n.version})
			if n.do(next); late {
				t.Errorf("%s: it has been sent already", what)
			}
		}
		if c.within > 0 {
			if n.env.Advance(c.within - time.Millisecond); len(returned[Published](n)) > 0 {
				t.Errorf("%s: it is published too early", what)
			}
			n.env.Advance(time.Millisecond)
		}
		if got := returned[Published](n); len(got) != 1 || got[0].Update.Version != n.version {
			t.Errorf("%s: published is %v", what, got)
		}
	}
}

// What the library does not keep, and what another owner has overtaken, gets no number.
func TestAContentIsRefused(t *testing.T) {
	n := newNode(true)
	n.refuses = true
	n.do(n.Keep(news.ID, *after(0, update.Hash{}, "text")))
	if n.env.Advance(time.Second); len(returned[Unfit](n)) != 1 || n.record.version > 0 {
		t.Error("one that the library does not keep is not refused")
	}
	n.refuses = false
	n.do(n.Keep(news.ID, *after(0, update.Hash{}, "text")))
	n.record.version = 1 << 40
	n.env.Advance(time.Second)
	if got := returned[Refused](n); len(got) != 1 || got[0].Why != update.Overtaken {
		t.Errorf("one that was overtaken: %v", got)
	}
	u := after(0, update.Hash{}, "text")
	n.RaiseFloor(news.ID, 1<<50)
	if !n.Number(news.ID, u) || u.Version <= 1<<50 {
		t.Errorf("the number %d is not above the one that another node holds", u.Version)
	}
}

// Few subscribers are sent a version by the primary. Above DirectUpTo a tree carries it, once all were notified.
func TestAChannelMovesToATree(t *testing.T) {
	n := newNode(true)
	n.Use(network.Scribe, scribe{n})
	n.subscribers = peers(3)
	n.numbers(after(0, update.Hash{}, "first"))
	if to, _ := sent[*update.Update](n); !slices.Equal(to, n.subscribers) || len(n.published) > 0 {
		t.Errorf("the first is sent to %v, and published %v", to, n.published)
	}
	for _, p := range n.subscribers {
		n.Acknowledged(p, &Got{news.ID, n.version})
	}
	n.subscribers = peers(6)
	n.numbers(after(n.version, n.held, "second"))
	for _, p := range n.subscribers {
		n.Acknowledged(p, &Got{news.ID, n.version})
		n.Acknowledged(p, &Got{Channel: news.ID})
	}
	if len(n.published) > 0 || !n.Routes(news.ID) || n.restated != 0 {
		t.Error("it moves before its subscribers could join")
	}
	n.env.Advance(joinGrace + directAgain)
	n.env.Sent()
	n.numbers(after(n.version, n.held, "third"))
	if to, _ := sent[*update.Update](n); len(to) > 0 || !slices.Equal(n.published, []uint64{n.version}) {
		t.Errorf("the third is sent to %v, and published %v", to, n.published)
	}
	if n.restated != 1 {
		t.Errorf("the other owners learn of it %d times", n.restated)
	}
	n.published = nil
	n.subscribers = peers(2)
	n.numbers(after(n.version, n.held, "fourth"))
	if to, _ := sent[*update.Update](n); !slices.Equal(to, n.subscribers) || len(n.published) > 0 || n.restated != 2 {
		t.Errorf("back from the tree it is sent to %v, and published %v", to, n.published)
	}
}

// A channel whose subscribers leave, or that another node leads, before they could join its tree does not move to it.
func TestAChannelThatDoesNotMove(t *testing.T) {
	for what, change := range map[string]func(n *node){
		"few subscribers": func(n *node) { n.subscribers = peers(1) },
		"another primary": func(n *node) { n.primary = false },
	} {
		n := newNode(true)
		n.Use(network.Scribe, scribe{n})
		n.subscribers = peers(6)
		n.Routes(news.ID)
		n.env.Advance(joinGrace / 2)
		for _, p := range n.subscribers {
			n.Acknowledged(p, &Got{Channel: news.ID})
		}
		change(n)
		n.Routes(news.ID)
		n.env.Advance(2 * joinGrace)
		if n.find(news.ID).tree.routed || n.restated > 0 {
			t.Errorf("%s: it has moved", what)
		}
	}
}

// selector is a router with subscribers by content.
type selector struct {
	scribe
	offered *[]*update.Update
}

func (s selector) Offer(_ engine.ID, m engine.Message) {
	*s.offered = append(*s.offered, m.(*update.Update))
}

// Subscribers by content are sent the versions of channels that no tree carries, too. They do not follow the channel: a
// version names its URL.
func TestVersionsForSubscribersByContent(t *testing.T) {
	n := newNode(true)
	var offered []*update.Update
	n.Use(network.Scribe, selector{scribe{n}, &offered})
	n.subscribers = peers(2)
	n.numbers(after(0, update.Hash{}, "first"))
	if len(offered) != 1 || offered[0].Version != n.version || offered[0].URL != news.URL || len(n.published) > 0 {
		t.Errorf("offered is %+v, and published %v", offered, n.published)
	}
	to, list := sent[*update.Update](n)
	if !slices.Equal(to, n.subscribers) || list[0].URL != "" {
		t.Errorf("sent to %v with the URL %q", to, list[0].URL)
	}
	bare := after(n.version, n.held, "")
	bare.Hash[9] = 1
	n.trees.publishAll(n.find(news.ID), bare)
	if len(offered) != 1 {
		t.Error("a version without content is offered")
	}
}

// A version goes to all subscribers, however many pages they fill, and again to those that do not acknowledge it, then
// by an offer over the ring. At last each of these is reported once.
func TestSilentSubscribersOfSeveralPages(t *testing.T) {
	n := newNode(true)
	n.subscribers = peers(3*directPage + 7)
	n.trees.publish(n.find(news.ID), &update.Update{Channel: news.ID, Version: 1})
	count := make(map[engine.ID]int)
	for range 200 {
		to, _ := sent[*update.Update](n)
		for _, p := range to {
			if count[p.ID]++; p.ID[11]%2 == 0 {
				n.Acknowledged(p, &Got{Channel: news.ID, Version: 1})
			}
		}
		n.env.Advance(time.Second)
	}
	offers := make(map[engine.ID]int)
	for _, to := range n.offered {
		offers[to]++
	}
	unsent := make(map[engine.ID]int)
	for _, e := range n.env.Traced() {
		if e, ok := e.(Unsent); ok {
			unsent[e.To.ID]++
		}
	}
	for _, p := range n.subscribers {
		want := [3]int{4, 1, 1}
		if p.ID[11]%2 == 0 {
			want = [3]int{1, 0, 0}
		}
		if got := [3]int{count[p.ID], offers[p.ID], unsent[p.ID]}; got != want {
			t.Fatalf("%v: %d times sent, offered and reported, want %d", p, got, want)
		}
	}
	if len(n.fan.jobs) > 0 {
		t.Error("it goes on")
	}
}

// A new primary sends the latest version on, as the one before it may not have: at once if it has the content,
// else as soon as another owner has sent it. One that was numbered long ago has reached all.
func TestANewPrimarySendsTheLatestVersion(t *testing.T) {
	u := after(0, update.Hash{}, "text")
	for what, c := range map[string]struct {
		age        time.Duration
		holds      bool
		sent, asks bool
	}{
		"recent, held":    {resendAge - 10*time.Second, true, true, false},
		"recent, lacking": {resendAge - 10*time.Second, false, true, true},
		"old, held":       {resendAge, true, false, false},
		"old, lacking":    {resendAge, false, false, true},
	} {
		n := newNode(true)
		n.primary, n.subscribers = false, peers(2)
		if c.holds {
			n.version, n.held = u.Version, u.Hash
		}
		n.Adopt(news.ID, &State{Version: u.Version, Hash: u.Hash, Size: 4, Age: uint32(c.age / time.Second)})
		n.do(n.Changed(news.ID))
		if n.env.Advance(time.Second); len(n.env.Sent()) > 0 {
			t.Errorf("%s: it sends something though another node is the primary", what)
		}
		n.primary = true
		n.do(n.Changed(news.ID))
		n.do(n.Changed(news.ID))
		n.env.Advance(time.Millisecond)
		var asked, to []engine.Peer
		collect := func() {
			for _, s := range n.env.Sent() {
				switch m := s.Message.(type) {
				case *Missing:
					asked = append(asked, s.To)
				case *update.Update:
					if m.Version == u.Version {
						to = append(to, s.To)
					}
				}
			}
		}
		collect()
		if len(asked) != count(c.asks) || c.asks && !slices.Contains(n.record.others, asked[0]) {
			t.Errorf("%s: it requests it from %v", what, asked)
		}
		if !c.holds {
			whole := *u
			n.brings(n.record.others[0], &whole)
			n.env.Advance(10 * time.Millisecond)
			collect()
		}
		if want := n.subscribers[:2*count(c.sent)]; !slices.Equal(to, want) {
			t.Errorf("%s: it is sent to %v, want %v", what, to, want)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A missing version is requested from the node that has announced the next, then from an owner, another one, and the
// origin. Then nobody is asked any more.
func TestAGapIsFilledStepByStep(t *testing.T) {
	n, source := newNode(false), enginetest.NewPeer("07")
	u := after(5<<update.TagBits, update.Hash{1}, "text")
	n.brings(source, u)
	if len(n.stored) > 0 {
		t.Fatal("it is stored though it does not lead on from what is held")
	}
	n.env.Advance(gapGrace)
	if to, _ := sent[*Missing](n); !slices.Equal(to, []engine.Peer{source}) {
		t.Errorf("asked are %v", to)
	}
	if n.env.Advance(gapWait); len(n.routed) != 1 {
		t.Errorf("%d owners are asked", len(n.routed))
	}
	if n.env.Advance(2 * gapWait); len(n.routed) != 2 {
		t.Errorf("%d owners are asked", len(n.routed))
	}
	if n.env.Advance(2*gapWait + originWait/2); n.polls != 1 {
		t.Errorf("the origin is polled %d times", n.polls)
	}
	if n.env.Advance(originWait); n.Lacks(news.ID) || len(returned[Silent](n)) != 1 {
		t.Error("it does not give up")
	}
	n.MaybeBehind(source, news.ID, u.Version)
	n.env.Sent()
	whole := *u
	whole.Base = update.Hash{}
	n.brings(source, &whole)
	if n.env.Advance(time.Second); n.version != u.Version || n.Lacks(news.ID) {
		t.Error("the whole version does not fill it")
	}
}

// Updates that come while one is stored follow in order, at most maxAfter. One that is not believed is not stored.
func TestUpdatesThatArrive(t *testing.T) {
	n, from := newNode(false), enginetest.NewPeer("07")
	var all []*update.Update
	last := &update.Update{}
	for range maxAfter + 2 {
		last = after(last.Version, last.Hash, "text"+string(rune('a'+len(all))))
		all = append(all, last)
	}
	for i, u := range all {
		if room := n.brings(from, u); room != (i <= maxAfter) {
			t.Errorf("update %d: there is room: %v", i, room)
		}
	}
	n.env.Advance(time.Second)
	if kept := returned[Kept](n); len(kept) != maxAfter+1 || !kept[0].News || n.version != all[maxAfter].Version {
		t.Errorf("kept are %v", kept)
	}
	n.doubts = true
	n.brings(from, last)
	if got := returned[Unseen](n); len(got) != 1 || got[0].From != from || n.version == last.Version {
		t.Errorf("unseen are %v", got)
	}
}

// The primary sends maxFanOuts versions at a time. One more ends the oldest, each once, with a report; an acknowledged
// one makes room.
func TestFanOutsAreBounded(t *testing.T) {
	const beyond = 5
	n := newNode(true)
	n.subscribers = peers(2)
	dropped := make(map[uint64]int)
	publish := func(number uint64) {
		n.trees.publish(n.find(news.ID), &update.Update{Channel: news.ID, Version: number})
		for _, e := range n.env.Traced() {
			if e, ok := e.(Unsent); ok {
				dropped[e.Version]++
			}
		}
		n.env.Sent()
	}
	for number := range uint64(maxFanOuts + beyond) {
		publish(number + 1)
	}
	for number := range uint64(maxFanOuts + beyond) {
		if want := map[bool]int{true: len(n.subscribers)}[number < beyond]; dropped[number+1] != want {
			t.Fatalf("version %d is dropped %d times, not %d", number+1, dropped[number+1], want)
		}
	}
	for _, p := range n.subscribers {
		n.Acknowledged(p, &Got{Channel: news.ID, Version: beyond + 1})
	}
	n.env.Advance(time.Second)
	n.env.Traced()
	clear(dropped)
	if publish(maxFanOuts + beyond + 1); len(dropped) > 0 {
		t.Errorf("when one was acknowledged by all, these are dropped: %v", dropped)
	}
}
