package budget

import (
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

var usual = Config{
	Interval: 30 * time.Minute, Maintenance: time.Hour, Forget: 8 * time.Hour, HostCeiling: 18_000,
	MaxHostReaders: 64, MaxCount: 64,
}

// numbered returns an ID that looks drawn.
func numbered(i int) engine.ID { return engine.IDOf(binary.BigEndian.AppendUint64(nil, uint64(i))) }

// keys sign as the node with this ID: by a hash, as simulated ones do.
type keys struct{ self engine.ID }

func (k keys) Sign(words []byte) []byte {
	sum := sha512.Sum512(append(slices.Clone(k.self[:]), words...))
	return sum[:]
}

func (k keys) Signed(p engine.Peer, words, signature []byte) bool {
	return bytes.Equal(keys{p.ID}.Sign(words), signature)
}

// channel returns the i-th channel of one host.
func channel(i int) machine.Channel {
	url := fmt.Sprintf("https://news.example/%d", i)
	return machine.Channel{ID: engine.IDOf([]byte(url)), URL: url}
}

// member is a node of a ring, which is assigned channels and leads others, and what it routes.
type member struct {
	*Budget
	env    *enginetest.Env
	host   *around
	routed *routed
}

// around is the Host of a member.
type around struct {
	nodes   int
	readers uint64
	sample  []roster.Subscription
	size    machine.Size
	joins   []engine.ID
	renewed []engine.ID
	refused map[engine.ID]time.Duration
}

func (h *around) Readers(engine.ID) uint64 { return h.readers }
func (h *around) Nodes() int               { return h.nodes }
func (h *around) Pollers(_ engine.ID, s machine.Size) float64 {
	return max(1, float64(h.nodes)*s.Share())
}
func (h *around) Joins(channel engine.ID)                                { h.joins = append(h.joins, channel) }
func (h *around) Renew(channel engine.ID)                                { h.renewed = append(h.renewed, channel) }
func (h *around) Refused(channel engine.ID, wait time.Duration)          { h.refused[channel] = wait }
func (h *around) Size(engine.ID) machine.Size                            { return h.size }
func (h *around) Sample(_ engine.ID, nonce uint64) []roster.Subscription { return h.sample }

// routed is the ring of a member.
type routed struct {
	machine.Ring
	host  *around
	asked []AskProof
}

func (r *routed) Nodes() int            { return r.host.nodes }
func (*routed) Active() bool            { return true }
func (*routed) Patience() time.Duration { return 0 }
func (r *routed) Route(_ engine.ID, m engine.Message) {
	r.asked = append(r.asked, *m.(*AskProof))
}

// parted is an Env in which the first letter of an address is its part of the network.
type parted struct{ *enginetest.Env }

func (parted) Prefix(a engine.Address) string { return string(a[:min(1, len(a))]) }

// newMember returns a node of a ring of ten, or as many as change says.
func newMember(change ...func(*around, *Config)) *member {
	env, host, c := enginetest.NewEnv(enginetest.NewPeer("05")),
		&around{nodes: 10, readers: 5, refused: make(map[engine.ID]time.Duration)}, usual
	for _, f := range change {
		f(host, &c)
	}
	ring := &routed{host: host}
	return &member{New(machine.Base{Env: parted{env}, Ring: ring, Keys: keys{env.Node.ID}}, host, c), env, host, ring}
}

// distant returns channels of one host of whose sets, except the largest, the member is in none.
func distant(self engine.ID, count int) (list []machine.Channel) {
	for i := 0; len(list) < count; i++ {
		if c := channel(i); !machine.ArcOf(c.ID, machine.Fine(machine.Steps/2)).Contains(self) {
			list = append(list, c)
		}
	}
	return list
}

// signs returns signed subscriptions of so many nodes to a channel.
func (m *member) signs(count int, c machine.Channel,
	change ...func(*roster.Subscription)) (list []roster.Subscription) {
	for i := range count {
		s := roster.Subscription{Node: engine.Peer{ID: numbered(i)}, Count: 1, Stamp: uint64(m.env.Wall().UnixMilli())}
		for _, f := range change {
			f(&s)
		}
		s.Signature = keys{s.Node.ID}.Sign(s.Words(c.ID))
		list = append(list, s)
	}
	return list
}

// prove answers the latest request for a proof of a channel.
func (m *member) prove(c machine.Channel, list []roster.Subscription) {
	for _, a := range slices.Backward(m.routed.asked) {
		if a.Channel == c.ID {
			m.Receive(engine.Peer{}, &Proof{c.ID, a.Nonce, list})
			m.env.RunWork()
			return
		}
	}
	panic("no proof was requested")
}

var whole = machine.Size{}

// A node that is assigned a channel follows that, and polls it, once as many readers are proved as there are nodes in
// the set. Readers count if their nodes have recently signed for this channel, each once, and not too many of them in
// one part of the network.
func TestPollersSeeReadersProved(t *testing.T) {
	list := distant(enginetest.NewPeer("05").ID, 2)
	c, other := list[0], list[1]
	for name, test := range map[string]struct {
		proof         func(m *member) []roster.Subscription
		follows, want bool
	}{
		"as many readers as nodes": {func(m *member) []roster.Subscription { return m.signs(10, c) }, true, true},
		"of few nodes": {func(m *member) []roster.Subscription {
			return m.signs(2, c, func(s *roster.Subscription) { s.Count = 5 })
		}, true, true},
		"too few readers":    {func(m *member) []roster.Subscription { return m.signs(8, c) }, true, false},
		"by far too few":     {func(m *member) []roster.Subscription { return m.signs(2, c) }, false, false},
		"nobody":             {func(m *member) []roster.Subscription { return nil }, false, false},
		"of another channel": {func(m *member) []roster.Subscription { return m.signs(10, other) }, false, false},
		"forged": {func(m *member) []roster.Subscription {
			proof := m.signs(10, c)
			for i := range 9 {
				proof[i].Signature = keys{numbered(9)}.Sign(proof[i].Words(c.ID))
			}
			return proof
		}, false, false},
		"made out for more": {func(m *member) []roster.Subscription {
			proof := m.signs(2, c)
			proof[0].Count = 60
			return proof
		}, false, false},
		"one node ten times": {func(m *member) []roster.Subscription {
			return m.signs(10, c, func(s *roster.Subscription) { s.Node.ID = numbered(1) })
		}, false, false},
		"of one part of the network": {func(m *member) []roster.Subscription {
			return m.signs(10, c, func(s *roster.Subscription) { s.Node.Address = "a" })
		}, false, false},
		"of five parts": {func(m *member) []roster.Subscription {
			i := 0
			return m.signs(10, c, func(s *roster.Subscription) {
				s.Node.Address = engine.Address(rune('a' + i%5))
				i++
			})
		}, true, true},
		"old": {func(m *member) []roster.Subscription {
			old := m.env.Wall().Add(-2*usual.Forget - 6*time.Minute)
			return m.signs(10, c, func(s *roster.Subscription) { s.Stamp = uint64(old.UnixMilli()) })
		}, false, false},
		"an old one, a forged one and one twice before others": {func(m *member) []roster.Subscription {
			list := m.signs(12, c)
			list[0].Stamp = 1
			list[0].Signature = keys{list[0].Node.ID}.Sign(list[0].Words(c.ID))
			list[1].Signature = nil
			return slices.Insert(list, 3, list[2])
		}, true, true},
		"for very many, of one": {func(m *member) []roster.Subscription {
			return m.signs(1, c, func(s *roster.Subscription) { s.Count = 1 << 30 })
		}, true, true},
	} {
		m := newMember()
		if m.Proved(c, whole) || !m.Asking(c.ID) {
			t.Fatalf("%s: it follows before anything is proved", name)
		}
		m.prove(c, test.proof(m))
		if !slices.Contains(m.host.joins, c.ID) || m.Asking(c.ID) {
			t.Errorf("%s: no event is sent", name)
		}
		if got := m.Proved(c, whole); got != test.follows {
			t.Errorf("%s: it follows: %v", name, got)
		}
		if got := m.MayJoin(c, whole); got != test.want {
			t.Errorf("%s: it polls: %v", name, got)
		}
	}
}

// Each field of each subscription in a proof counts (hostile 44).
func TestEachFieldOfAProofCounts(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	const enough = 9 // for ten nodes, with room; eight are not
	m := newMember()
	ours := &Proof{c.ID, 1, m.signs(enough, c)}
	other := &Proof{distant(enginetest.NewPeer("05").ID, 2)[1].ID, 2,
		m.signs(enough, channel(77), func(s *roster.Subscription) {
			s.Node.ID[19]++
			s.Node.Address, s.Outside, s.Count, s.Stamp = "elsewhere", "xmpp:a", 2, s.Stamp-1
		})}
	enginetest.CheckProof(t, ours, other, map[string]string{
		"Nonce":                             "the test sets it",
		"Subscriptions.Node.Address":        "the ID names the key",
		"Subscriptions.Age":                 "it is the sender's, for tables of owners",
		"Subscriptions turned round":        "each node signs for itself",
		"Subscriptions longer":              "one more than are needed",
		"Subscriptions with its last twice": "one more than are needed",
	}, func(p *Proof) bool {
		m := newMember()
		m.Proved(c, whole)
		sent := *p
		sent.Nonce = m.routed.asked[0].Nonce
		m.Receive(engine.Peer{}, &sent)
		m.env.RunWork()
		return !m.Asking(c.ID) && m.MayJoin(c, whole)
	})
}

// A proof counts once, for the request that it answers. A doubled one does not count, nor one that was not requested,
// nor one of a channel that has ended, be it while its signatures are checked.
func TestAProofCountsOnce(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	const many = 40 // more than are checked at once
	m := newMember()
	m.Proved(c, whole)
	proof := &Proof{c.ID, m.routed.asked[0].Nonce, m.signs(many, c)}
	for range 2 {
		m.Receive(engine.Peer{}, proof)
	}
	if m.env.RunWork() != 2 || !m.MayJoin(c, whole) || m.proofs.asking != 0 || len(m.host.joins) != 1 {
		t.Errorf("doubled: it polls: %v; it counts %d times", m.MayJoin(c, whole), len(m.host.joins))
	}
	m.Receive(engine.Peer{}, proof)
	m.Receive(engine.Peer{}, &Proof{c.ID, 0, nil}) // no proof is awaited
	if m.env.RunWork(); !m.MayJoin(c, whole) || m.proofs.asking != 0 || len(m.host.joins) != 1 {
		t.Errorf("not requested: it polls: %v; %d are awaited", m.MayJoin(c, whole), m.proofs.asking)
	}

	m = newMember()
	m.Proved(c, whole)
	m.Receive(engine.Peer{}, &Proof{c.ID, m.routed.asked[0].Nonce, m.signs(many, c)})
	m.Ended(c.ID)
	if m.env.RunWork() != 1 || m.proofs.asking != 0 || len(m.host.joins) != 0 || m.Asking(c.ID) {
		t.Errorf("ended: %d are awaited, and %d events are sent", m.proofs.asking, len(m.host.joins))
	}
	if m.Proved(c, whole) {
		t.Error("begun again: the old proof counts")
	}
}

// A primary needs no proof from others of its own channels: its table is one.
func TestAPrimaryProvesItsOwnChannel(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	for readers, follows := range map[int]bool{10: true, 2: false} {
		m := newMember()
		m.host.sample = m.signs(readers, c)
		m.Led(c, true)
		if m.Proved(c, whole); m.Proved(c, whole) != follows || len(m.routed.asked) > 0 {
			t.Errorf("%d readers: it follows: %v, and asks %d times", readers, !follows, len(m.routed.asked))
		}
	}
}

// A channel without readers has no pollers, not even the node next to it.
func TestNobodyPollsWithoutReaders(t *testing.T) {
	c := machine.Channel{ID: enginetest.NewPeer("05").ID, URL: "https://news.example/"}
	for readers, polls := range map[int]bool{0: false, 1: true} {
		m := newMember()
		m.Proved(c, whole)
		m.prove(c, m.signs(readers, c))
		if got := m.MayJoin(c, whole); got != polls {
			t.Errorf("%d readers: the node next to the channel polls: %v", readers, got)
		}
	}
}

// Channels of a host that a node may not poll leave their turns to those that come later.
func TestUnpaidChannelsTakeNoTurns(t *testing.T) {
	m := newMember(func(_ *around, c *Config) { c.HostCeiling = 10 }) // one turn
	list := distant(enginetest.NewPeer("05").ID, 2)
	for i, c := range list {
		m.Proved(c, whole)
		m.MayJoin(c, whole)
		m.prove(c, m.signs(10*i, c))
	}
	if m.MayJoin(list[0], whole) || !m.MayJoin(list[1], whole) {
		t.Error("a channel without readers takes the only turn of a host")
	}
}

// Readers for fewer nodes than are assigned pay for those next to the channel.
func TestReadersPayForTheNearest(t *testing.T) {
	var near, far machine.Channel
	half := machine.Fine(machine.Steps)
	for i := 0; near.URL == "" || far.URL == ""; i++ {
		if c := channel(i); machine.ArcOf(c.ID, half).Contains(enginetest.NewPeer("05").ID) {
			near = c
		} else {
			far = c
		}
	}
	for c, want := range map[machine.Channel]bool{near: true, far: false} {
		m := newMember(func(h *around, _ *Config) { h.nodes = 1000 })
		m.Proved(c, whole)
		m.prove(c, m.signs(63, c, func(s *roster.Subscription) { s.Count = 8 })) // 504, with room 567, of a thousand
		if got := m.MayJoin(c, whole); got != want {
			t.Errorf("it polls a channel near or far: %v", got)
		}
	}
}

// A full sample proves as many readers as there seem to be.
func TestPollersEstimateReaders(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	m := newMember()
	m.Proved(c, whole)
	m.prove(c, m.signs(roster.SampleSize, c, func(s *roster.Subscription) { s.Count = 2 }))
	if got := m.readers(m.proofs.index[c.ID]); got < roster.SampleSize || got > 4*roster.SampleSize {
		t.Errorf("%v readers count as proved", got)
	}
}

// Proof is requested once for a set and the smaller ones, a few times and then rarely from a primary that does not
// answer, and again when it is old. A proof that was not requested does not count.
func TestProofIsAskedForOnce(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	m := newMember()
	asked := func() int {
		count := len(m.routed.asked)
		m.routed.asked = nil
		return count
	}
	m.Proved(c, machine.Fine(2))
	nonce := m.routed.asked[0].Nonce
	m.Receive(engine.Peer{}, &Proof{c.ID, nonce + 1, m.signs(10, c)})
	m.Proved(c, machine.Fine(2))
	m.Proved(c, machine.Fine(3))
	if got := asked(); got != 1 || m.proofs.index[c.ID].sample != nil {
		t.Errorf("it was asked %d times, and a proof counts that was not asked for: %v", got,
			m.proofs.index[c.ID].sample != nil)
	}
	m.env.Advance(time.Minute)
	if got := asked(); got != proofTries-1 || m.proofs.asking != 0 {
		t.Errorf("it was asked %d times more in a minute, and %d answers are awaited", got, m.proofs.asking)
	}
	m.env.Advance(usual.Maintenance)
	if got := asked(); got != proofTries {
		t.Errorf("it was asked %d times in a maintenance interval", got)
	}
	m.Proved(c, whole)
	m.prove(c, m.signs(10, c))
	asked()
	for range 20 {
		m.MayJoin(c, machine.Fine(1))
		m.MayJoin(c, whole)
		m.Proved(c, whole)
		m.env.Advance(usual.Maintenance)
	}
	if got := asked(); got != 0 || !m.MayJoin(c, whole) {
		t.Errorf("it was asked %d times in 20 maintenance intervals at rest", got)
	}
	m.env.Advance(proofLasts)
	if got := asked(); got == 0 || !m.MayJoin(c, whole) {
		t.Error("an old proof is not renewed, or does not count meanwhile")
	}
	m.env.Advance(3 * proofLasts)
	if m.MayJoin(c, whole) {
		t.Error("it still polls for readers without proof for days")
	}
	m.Ended(c.ID)
	asked()
	m.env.Advance(proofLasts)
	if got := asked(); got != 0 || len(m.proofs.index) != 0 || len(m.proofs.hosts) != 0 || m.proofs.asking != 0 {
		t.Errorf("%d proofs were asked for of what has ended, or %d are awaited", got, m.proofs.asking)
	}
}

// A false proof of a set that is too large is not requested again with each assignment.
func TestARefusedSetIsNotAskedForAgain(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	m := newMember()
	m.Proved(c, whole)
	m.prove(c, m.signs(1, c))
	for range 100 {
		if m.Proved(c, whole) || m.MayJoin(c, whole) || m.MayJoin(c, machine.Fine(1)) {
			t.Fatal("one reader pays for ten nodes")
		}
	}
	if got := len(m.routed.asked); got != 1 {
		t.Errorf("it was asked %d times", got)
	}
	m = newMember()
	m.Proved(c, machine.Fine(machine.Steps))
	m.prove(c, m.signs(1, c))
	for range 100 { // a larger set than the one that was refused
		m.MayJoin(c, whole)
	}
	if got := len(m.routed.asked); got != 2 {
		t.Errorf("for a set and then a larger one it was asked %d times", got)
	}
}

// At most maxAsking proofs are awaited at a time. The others follow.
func TestProofsAreAskedForInTurn(t *testing.T) {
	m := newMember()
	for i := range maxAsking + 10 {
		m.Proved(channel(i), whole)
	}
	if got := len(m.routed.asked); got != maxAsking || m.proofs.asking != maxAsking {
		t.Errorf("%d are requested at once", got)
	}
	if last := channel(maxAsking + 9).ID; !m.Asking(last) {
		t.Error("no proof is on its way for one that waits for its turn")
	}
	for i := range maxAsking {
		m.prove(channel(i), m.signs(10, channel(i)))
	}
	m.env.Advance(time.Second)
	if got := len(m.routed.asked); got != maxAsking+10 {
		t.Errorf("%d are requested in the end", got)
	}
}

// What a node only sees as a witness is forgotten after a day, also if each proof comes. It says nothing of how many
// channels of the host a subscriber reads.
func TestWhatIsOnlySeenIsForgotten(t *testing.T) {
	m := newMember(func(h *around, _ *Config) { h.nodes = 1000 })
	polled := channel(9)
	m.Proved(polled, machine.Fine(6*machine.Steps))
	m.prove(polled, m.signs(10, polled))
	before := m.readers(m.proofs.index[polled.ID])
	for i := range 3 {
		m.Looks(channel(i))
		m.prove(channel(i), m.signs(10, channel(i)))
	}
	if got := m.readers(m.proofs.index[polled.ID]); got != before {
		t.Errorf("with three others that it only sees, %v readers are proved, not %v", got, before)
	}
	m.Proved(channel(0), machine.Fine(6*machine.Steps)) // one is assigned now
	m.env.Advance(2 * proofLasts)
	if len(m.proofs.index) != 2 || m.proofs.looking != 0 {
		t.Errorf("%d channels are kept, %d of them only seen", len(m.proofs.index), m.proofs.looking)
	}
}

// A subscriber of many channels of a host counts for MaxHostReaders of all, where the node is in the sets of more than
// two. One that subscribes to this channel alone counts in full.
func TestASubscriberIsDividedAmongTheChannelsOfAHost(t *testing.T) {
	m := newMember()
	readers := func(c machine.Channel) float64 { return m.readers(m.proofs.index[c.ID]) / exactRoom }
	loud := func(s *roster.Subscription) { s.Count = 64 }
	for i := range 8 {
		c := channel(i)
		m.Proved(c, whole)
		m.MayJoin(c, whole)
		m.prove(c, append(m.signs(1, c, loud), m.signs(2, c, func(s *roster.Subscription) {
			s.Node.ID = numbered(1000 + i) // two entries of one node, which reads this channel alone
		})[0]))
		if got := readers(c); i < 2 && got != 65 {
			t.Errorf("with %d channels %v readers are proved", i+1, got)
		}
	}
	for i := range 8 {
		if got, want := readers(channel(i)), 64./8+1; got < want*0.99 || got > want*1.01 {
			t.Errorf("with eight channels %v readers of channel %d are proved, not %v", got, i, want)
		}
	}
	for i := range 6 {
		m.Ended(channel(i).ID)
	}
	if got := readers(channel(7)); got != 65 {
		t.Errorf("when the others have ended %v readers are proved", got)
	}
}

// A node takes so many turns of a host: those of the channels that it leads, and then of those that came first. Turns
// that become free go to others.
func TestANodeTakesItsShareOfAHost(t *testing.T) {
	const turns = 3
	m := newMember(func(_ *around, c *Config) { c.HostCeiling = turns * 10 })
	join := func() (list []int) {
		for i := range 6 {
			if m.proofs.index[channel(i).ID] != nil && m.MayJoin(channel(i), whole) {
				list = append(list, i)
			}
		}
		return list
	}
	for i := range 6 {
		m.Proved(channel(i), whole)
		m.MayJoin(channel(i), whole)
		m.prove(channel(i), m.signs(10, channel(i), func(s *roster.Subscription) { s.Node.ID[0] ^= byte(i) }))
	}
	expect := func(when string, want ...int) {
		t.Helper()
		if got := join(); !slices.Equal(got, want) {
			t.Errorf("%s it polls %v, not %v", when, got, want)
		}
	}
	expect("at first", 0, 1, 2)
	m.host.joins = nil
	m.Led(channel(10), true)
	m.env.Advance(2 * joinPause)
	expect("as primary of another", 0, 1)
	m.Led(channel(11), true)
	m.Led(channel(12), true)
	m.env.Advance(2 * joinPause)
	if len(m.host.joins) == 0 {
		t.Error("no event says that turns are gone")
	}
	expect("as primary of three others")
	if m.Spacing(channel(12).ID) != 0 {
		t.Error("three channels are polled less often than each interval")
	}
	m.host.renewed = nil
	m.Led(channel(13), true)
	if got := m.Spacing(channel(10).ID); got != 2*usual.Interval || len(m.host.renewed) != 4 {
		t.Errorf("each of four channels is polled every %v; %d are announced", got, len(m.host.renewed))
	}
	if !m.PollsAlone(channel(10).ID) {
		t.Error("other nodes may poll a channel that has no turn each interval")
	}
	for i := 10; i < 14; i++ {
		m.Led(channel(i), false)
	}
	if len(m.led.index)+len(m.led.hosts) > 0 {
		t.Error("channels that this node leads no more are kept")
	}
	m.env.Advance(2 * joinPause)
	expect("when it leads none", 0, 1, 2)
	m.Ended(channel(0).ID)
	m.env.Advance(2 * joinPause)
	expect("after one has ended", 1, 2, 3)
}

// A witness polls a host a few times in an interval for channels without a proof, and then each as often as it has
// readers.
func TestWitnessesAskForProof(t *testing.T) {
	m := newMember()
	c := channel(0)
	for i := range unprovedLooks {
		if got := m.Looks(channel(i)); got != 1 {
			t.Errorf("at first it may poll channel %d %d times", i, got)
		}
	}
	if a, b := m.Looks(c), m.Looks(channel(unprovedLooks)); a != 0 || b != 0 {
		t.Errorf("without proof it may poll %d times more, and %d times another channel of the host", a, b)
	}
	m.prove(c, m.signs(7, c))
	if got := m.Looks(c); got != 8 { // 1 and 7 · 9/8, rounded down
		t.Errorf("with seven readers it may poll %d times", got)
	}
	for range 4 {
		m.Looks(c)
	}
	if m.Asking(c.ID) {
		t.Error("it asks for another proof at once")
	}
	if m.env.Advance(2 * looksPause); m.Looks(c) != 8 || !m.Asking(c.ID) {
		t.Error("its polls are nearly used up, and it does not ask whether there are more readers")
	}
	m.prove(c, m.signs(40, c))
	if got := m.Looks(c); got != 46 {
		t.Errorf("with forty readers it may poll %d times", got)
	}
	m.env.Advance(4 * proofLasts)
	m.Planned()
	if len(m.proofs.index) != 0 || m.proofs.looking != 0 {
		t.Errorf("%d channels are kept for days", len(m.proofs.index))
	}
	for i := range lookers + 10 {
		m.Looks(channel(i))
	}
	if len(m.proofs.index) != lookers {
		t.Errorf("%d channels are kept", len(m.proofs.index))
	}
}

// A primary shows the readers of its channels to the set, as often as that needs, and to few others.
func TestAPrimaryShowsItsReaders(t *testing.T) {
	m := newMember(func(h *around, _ *Config) { h.size = machine.Fine(machine.Steps) })
	c := channel(0)
	var inside, outside engine.Peer
	for i := 0; inside.IsZero() || outside.IsZero(); i++ {
		if p := (engine.Peer{ID: numbered(i), Address: "x"}); machine.ArcOf(c.ID, m.host.size).Contains(p.ID) {
			inside = p
		} else {
			outside = p
		}
	}
	m.host.sample = m.signs(3, c)
	show := func(to engine.Peer, times int) (shown int) {
		for range times {
			m.Deliver(to, &AskProof{c.ID, 7})
		}
		for _, s := range m.env.Sent() {
			if p := s.Message.(*Proof); s.To == to && p.Channel == c.ID && p.Nonce == 7 && len(p.Subscriptions) == 3 {
				shown++
			}
		}
		return shown
	}
	if got := show(inside, 1); got != 0 {
		t.Error("a node that is not the primary answers")
	}
	for i := range 3 {
		m.Led(channel((i+2)%3), true) // c is neither the first nor the last
	}
	for range 8 { // whatever the order in which channels begin anew
		if in, out := show(inside, 1000), show(outside, 1000); in != shownMore+shownEach*5 || out != shownBeside {
			t.Errorf("%d are shown to a member of the set, and %d to another node", in, out)
		}
		m.Planned()
	}
}

// A channel has no more pollers than readers, nor than the ceiling. A channel of few readers has its primary alone.
func TestMostPollers(t *testing.T) {
	m := newMember(func(_ *around, c *Config) { c.HostCeiling = 40 })
	for readers, want := range map[uint64]float64{1: 1, 3: 1, 4: 4, 39: 39, 1000: 40} {
		m.host.readers = readers
		m.Led(channel(0), true)
		if got, ok := m.Most(channel(0).ID); got != want || !ok {
			t.Errorf("%d readers: at most %v pollers", readers, got)
		}
		if alone := m.PollsAlone(channel(0).ID); alone != (want == 1) {
			t.Errorf("%d readers: the primary polls alone: %v", readers, alone)
		}
	}
	if _, ok := m.Most(channel(1).ID); ok {
		t.Error("another's channel has a bound here")
	}
}

// A host is left in peace when two of its channels ask for it: the channels led here wait, and the primaries of the
// others are notified, once. One channel that asks affects no other.
func TestAHostIsLeftInPeaceForTwo(t *testing.T) {
	m := newMember()
	led, first, second, third := channel(0), channel(1), channel(2), channel(3)
	elsewhere := machine.Channel{URL: "https://other.example/"}
	elsewhere.ID = engine.IDOf([]byte(elsewhere.URL))
	m.Led(led, true)
	m.Led(elsewhere, true)
	m.host.renewed = nil
	for _, c := range []machine.Channel{first, second, third} {
		m.Proved(c, whole)
	}
	until := m.env.Now() + 20*time.Minute
	m.Waits(first.ID, until)
	m.Waits(first.ID, until+time.Second)
	m.Waits(first.ID, until-time.Minute)
	if got := m.Patience(led.ID); got > 0 || len(m.host.renewed)+len(m.host.refused) > 0 {
		t.Errorf("one channel's wait affects others until %v", got)
	}
	m.Waits(second.ID, until)
	if got := m.Patience(led.ID); got != until || !slices.Equal(m.host.renewed, []engine.ID{led.ID}) {
		t.Errorf("the channel led here waits until %v, not %v; announced: %d", got, until, len(m.host.renewed))
	}
	if got := m.host.refused[third.ID]; got != 20*time.Minute {
		t.Errorf("the primary of another channel is to wait for %v", got)
	}
	if m.Patience(elsewhere.ID) > 0 {
		t.Error("another host waits")
	}
	m.host.renewed = nil
	m.Waits(second.ID, until+time.Second)
	if len(m.host.renewed) > 0 {
		t.Error("a second more is announced again")
	}
	m.Waits(engine.PrefixID("77"), until)
	m.env.Advance(time.Hour)
	if got := m.Patience(led.ID); got > m.env.Now() {
		t.Error("it waits for ever")
	}
}

// A host is left in peace for as long as two of its channels ask, however much longer one of them does.
func TestPatienceIsWhatTwoAskFor(t *testing.T) {
	for _, order := range [][]int{{10, 20, 30}, {30, 20, 10}, {20, 10, 30}, {10, 30, 20}} {
		m := newMember()
		m.Led(channel(0), true)
		for i, minutes := range order {
			m.Proved(channel(1+i), whole)
			m.Waits(channel(1+i).ID, m.env.Now()+time.Duration(minutes)*time.Minute)
			want := time.Duration(0)
			if i > 0 {
				sorted := slices.Sorted(slices.Values(order[:i+1]))
				want = m.env.Now() + time.Duration(sorted[i-1])*time.Minute
			}
			if got := m.Patience(channel(0).ID); got != want {
				t.Errorf("of %v minutes: it waits until %v, want %v", order[:i+1], got, want)
			}
		}
	}
}

// A node that has proof of too few readers asks again after a maintenance interval: more may have come.
func TestTooFewReadersAreProvedAgain(t *testing.T) {
	c := distant(enginetest.NewPeer("05").ID, 1)[0]
	m := newMember()
	m.Proved(c, whole)
	m.prove(c, m.signs(2, c))
	m.routed.asked = nil
	if m.env.Advance(usual.Maintenance / 2); len(m.routed.asked) > 0 {
		t.Errorf("it asks %d times within half a maintenance interval", len(m.routed.asked))
	}
	for len(m.routed.asked) == 0 && m.env.Now() < 2*usual.Maintenance {
		m.env.Advance(time.Second)
	}
	if now := m.env.Now(); len(m.routed.asked) != 1 || now > usual.Maintenance*5/4 {
		t.Fatalf("by %v it asks %d times", now, len(m.routed.asked))
	}
	if m.prove(c, m.signs(10, c)); !m.MayJoin(c, whole) {
		t.Error("when more readers are proved it does not poll")
	}
}

// Without signatures, or without a ceiling, nothing is bounded, and nothing is requested.
func TestNothingIsBoundedWithoutACeiling(t *testing.T) {
	m := newMember(func(_ *around, c *Config) { c.HostCeiling = 0 })
	c := channel(0)
	m.Led(c, true)
	_, bounded := m.Most(c.ID)
	if !m.Proved(c, whole) || !m.MayJoin(c, whole) || !m.MayCheck(c.ID) || m.PollsAlone(c.ID) || bounded ||
		m.Looks(c) < 10 || !m.ReserveGapPoll(c) || !m.LetsReaders(c) || len(m.routed.asked) > 0 {
		t.Error("something is bounded")
	}
}
