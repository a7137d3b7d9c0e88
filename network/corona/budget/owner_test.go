package budget

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// keys sign as the node with this ID: by a hash, as simulated ones do.
type keys struct{ self engine.ID }

func (k keys) Sign(words []byte) []byte {
	sum := sha512.Sum512(append(slices.Clone(k.self[:]), words...))
	return sum[:]
}

func (k keys) Signed(p engine.Peer, words, signature []byte) bool {
	return bytes.Equal(keys{p.ID}.Sign(words), signature)
}

// near returns a node that is so close to a key that it is the i-th on one side.
func near(key engine.ID, i int) engine.Peer {
	key[5] += byte(i)
	return engine.Peer{ID: key, Address: engine.Address(fmt.Sprint("near ", i))}
}

// far returns a node on the other side of the ring.
func far(key engine.ID) engine.Peer {
	key[0] ^= 0x80
	return engine.Peer{ID: key, Address: "far"}
}

// owning is a ring in which one node owns all hosts, among many.
type owning struct {
	machine.Ring
	self engine.Peer
}

func (o owning) Nodes() int                                  { return 1000 }
func (o owning) Active() bool                                { return true }
func (o owning) Route(engine.ID, engine.Message)             {}
func (o owning) Owners(engine.ID, int) ([]engine.Peer, bool) { return []engine.Peer{o.self}, true }

// quiet is a Host with one channel.
type quiet struct {
	Wants
	notBefore time.Duration
	polls     bool
	permitted int
	joins     int
	proofs    int
}

func (q *quiet) Nodes() int                           { return 1000 }
func (q *quiet) Plausible(float64) uint32             { return 1 << 20 }
func (q *quiet) NotBefore(engine.ID) time.Duration    { return q.notBefore }
func (q *quiet) AlternateKey(key engine.ID) engine.ID { return key }
func (q *quiet) Polls(engine.ID) bool                 { return q.polls }
func (q *quiet) Joins(engine.ID)                      { q.joins++ }

func (q *quiet) Pollers(_ engine.ID, s machine.Size) float64 { return 1000 * s.Share() }

func (q *quiet) Permitted(engine.ID) { q.permitted++ }
func (q *quiet) Patient(engine.ID)   {}

func (q *quiet) Sample(engine.ID, uint64) []roster.Subscription {
	q.proofs++
	return nil
}

// wanting is a quiet Host by its methods alone.
type wanting struct{ *quiet }

func (w wanting) Wants(engine.ID, int) Wants { return w.quiet.Wants }

// lone is a node that owns all hosts, and the messages that it receives.
type lone struct {
	*Budget
	env  *enginetest.Env
	host *quiet
}

func newLone(change ...func(*Config)) *lone {
	c := usual
	for _, f := range change {
		f(&c)
	}
	env, host := enginetest.NewEnv(enginetest.NewPeer("05")), &quiet{}
	return &lone{New(machine.Base{Env: env, Ring: owning{self: env.Node}, Keys: keys{env.Node.ID}}, wanting{host}, c),
		env, host}
}

// channel returns the i-th channel of one host.
func channel(i int) machine.Channel {
	url := fmt.Sprintf("https://news.example/%d", i)
	return machine.Channel{ID: engine.IDOf([]byte(url)), URL: url}
}

var news = HostKey(channel(0).URL)

// subscription is one of a node's, signed by signer.
func (l *lone) subscription(i int, c machine.Channel, signer engine.ID,
	change ...func(*roster.Subscription)) roster.Subscription {
	s := roster.Subscription{Node: engine.Peer{ID: numbered(i)}, Count: 1, Stamp: uint64(l.env.Wall().UnixMilli())}
	for _, f := range change {
		f(&s)
	}
	s.Signature = keys{signer}.Sign(s.Words(c.ID))
	return s
}

// proof is one of a channel by three readers.
func (l *lone) proof(c machine.Channel, by engine.Peer, list ...roster.Subscription) *Proof {
	if list == nil {
		for i := range 3 {
			list = append(list, l.subscription(i, c, numbered(i)))
		}
	}
	return &Proof{Host: news, Claim: Claim{URL: c.URL, Readers: 100, Pollers: []uint32{8}},
		Nonce: l.nonce(c.ID, by.ID, 0), Subscriptions: list}
}

// readers returns how many readers an owner has proof of for a channel.
func (l *lone) readers(c machine.Channel) (all float64) {
	if of := l.hosts.index[news]; of != nil && of.index[c.ID] != nil {
		for _, s := range of.index[c.ID].sample {
			all += s.Count
		}
	}
	return all
}

// A proof counts the readers of nodes that have recently signed a subscription, each once, up to its limit. It counts
// only if it was requested.
func TestProofs(t *testing.T) {
	c, other := channel(0), channel(1)
	by := near(c.ID, 1)
	for name, test := range map[string]struct {
		make func(l *lone) *Proof
		from engine.Peer
		want float64
	}{
		"good":                                   {func(l *lone) *Proof { return l.proof(c, by) }, by, 3},
		"by a node that is far from the channel": {func(l *lone) *Proof { return l.proof(c, far(c.ID)) }, far(c.ID), 0},
		"asked of another":                       {func(l *lone) *Proof { return l.proof(c, near(c.ID, 2)) }, by, 0},
		"asked for another channel": {func(l *lone) *Proof {
			p := l.proof(c, by)
			p.Nonce = l.nonce(other.ID, by.ID, 0)
			return p
		}, by, 0},
		"asked for an interval ago": {func(l *lone) *Proof {
			p := l.proof(c, by)
			l.env.Advance(usual.Maintenance)
			return p
		}, by, 3},
		"asked for too long ago": {func(l *lone) *Proof {
			p := l.proof(c, by)
			l.env.Advance(2 * usual.Maintenance)
			return p
		}, by, 0},
		"of another host": {func(l *lone) *Proof {
			p := l.proof(c, by)
			p.Host = HostKey("https://other.example/")
			return p
		}, by, 0},
		"signed by the primary": {func(l *lone) *Proof {
			return l.proof(c, by, l.subscription(1, c, by.ID), l.subscription(2, c, numbered(2)))
		}, by, 1},
		"signed for another channel": {func(l *lone) *Proof {
			return l.proof(c, by,
				l.subscription(1, other, numbered(1)))
		}, by, 0},
		"one node twice": {func(l *lone) *Proof {
			return l.proof(c, by, l.subscription(1, c, numbered(1)),
				l.subscription(1, c, numbered(1), func(s *roster.Subscription) { s.Outside = "xmpp:a" }))
		}, by, 1},
		"for nobody": {func(l *lone) *Proof {
			return l.proof(c, by, l.subscription(1, c, numbered(1), func(s *roster.Subscription) { s.Count = 0 }))
		}, by, 0},
		"for very many": {func(l *lone) *Proof {
			return l.proof(c, by, l.subscription(1, c, numbered(1), func(s *roster.Subscription) { s.Count = 1 << 30 }))
		}, by, float64(usual.MaxCount)},
		"that is old": {func(l *lone) *Proof {
			old := l.env.Wall().Add(-2*usual.Forget - 6*time.Minute)
			return l.proof(c, by, l.subscription(1, c, numbered(1),
				func(s *roster.Subscription) { s.Stamp = uint64(old.UnixMilli()) }))
		}, by, 0},
	} {
		l := newLone()
		p := test.make(l)
		l.Receive(test.from, p)
		if got := l.readers(c); got != test.want {
			t.Errorf("%s: %v readers are proved, want %v", name, got, test.want)
		}
		if (l.hosts.claims > 0) != (test.want > 0) {
			t.Errorf("%s: %d claims are kept", name, l.hosts.claims)
		}
	}
}

// asked returns how many proofs were requested since the last call, and of which nodes.
func (l *lone) asked() (asks int, of engine.Peer) {
	for _, s := range l.env.Sent() {
		if m, ok := s.Message.(*AskProof); ok {
			asks, of = asks+len(m.Asks), s.To
		}
	}
	return asks, of
}

// A primary that has proved a channel may claim it again without proof, most times. No other node may, nor may it for
// many more readers.
func TestClaimsNeedTheProofOfTheirClaimant(t *testing.T) {
	c := channel(0)
	by, rival := near(c.ID, 1), near(c.ID, 2)
	l := newLone()
	l.Receive(by, l.proof(c, by))
	l.asked()
	claim := func(from, names engine.Peer, readers uint32) (asks int, of engine.Peer) {
		l.Receive(from, &Claims{Host: news, Node: names, Handed: true,
			Claims: []Claim{{URL: c.URL, Readers: readers, Pollers: []uint32{8}}}})
		return l.asked()
	}
	doubted := 0
	for range 100 {
		asks, _ := claim(by, by, 100)
		doubted += asks
	}
	if doubted == 0 || doubted > 20 {
		t.Errorf("%d of 100 claims were doubted", doubted)
	}
	for range 20 {
		if asks, of := claim(rival, rival, 100); asks != 1 || of != rival {
			t.Fatalf("%d proofs were asked of %v for the claim of another", asks, of)
		}
		if asks, of := claim(by, by, 126); asks != 1 || of != by {
			t.Fatalf("%d proofs were asked for a quarter more readers", asks)
		}
		if asks, of := claim(by, rival, 1); asks != 1 || of != rival ||
			l.hosts.index[news].index[c.ID].claim.Readers != 100 {
			t.Fatalf("another's claim that a primary passes on counts as its own: %d proofs were requested of %v", asks,
				of)
		}
		if asks, _ := claim(rival, by, 100); asks != 0 {
			t.Fatal("a primary with a proof is asked because another passes its claim on")
		}
	}
	l.env.Advance(claimsLast * usual.Maintenance)
	if asks, of := claim(rival, by, 100); asks != 1 || of != by {
		t.Errorf("%d proofs were requested of %v that has not claimed lately", asks, of)
	}
	if asks, _ := claim(far(c.ID), far(c.ID), 100); asks != 0 {
		t.Error("a node that cannot be primary is asked for proof")
	}
	l.Receive(by, &Claims{Host: HostKey("https://other.example/"), Node: by, Handed: true,
		Claims: []Claim{{URL: channel(2).URL}}})
	if asks, _ := l.asked(); asks != 0 {
		t.Error("a channel is claimed of a host that is not its own")
	}
}

// A claim that another node passes on renews the known grant, as a restarted primary needs. But it changes nothing of
// the claim, and not sooner than the primary itself would claim again.
func TestHandedClaimsGrantWhatIsKnown(t *testing.T) {
	c := channel(0)
	by, rival := near(c.ID, 1), near(c.ID, 2)
	l := newLone()
	l.Receive(by, l.proof(c, by))
	granted := func() (to []engine.Peer) {
		l.env.Advance(usual.Maintenance / divideEvery)
		for _, s := range l.env.Sent() {
			if m, ok := s.Message.(*Grants); ok && len(m.Grants) == 1 {
				to = append(to, s.To)
			}
		}
		return to
	}
	first := granted()
	claimedAt := l.hosts.index[news].index[c.ID].claimedAt
	handed := &Claims{Host: news, Node: by, Handed: true,
		Claims: []Claim{{URL: c.URL, Readers: 1 << 20, Pollers: []uint32{1 << 20}, Wait: 3600}}}
	l.Receive(rival, handed)
	again := granted()
	if want := []engine.Peer{by}; !slices.Equal(first, want) || !slices.Equal(again, want) {
		t.Errorf("granted to %v, then to %v", first, again)
	}
	known := l.hosts.index[news].index[c.ID]
	if known.claim.Readers != 100 || known.wait > 0 || known.claimedAt != claimedAt {
		t.Errorf("what another says is believed: %+v", known.claim)
	}
	l.Receive(by, &Claims{Host: news, Node: by, Handed: true, Claims: []Claim{known.claim}})
	granted()
	l.Receive(by, l.proof(c, by))
	l.Receive(rival, handed)
	if to := granted(); len(to) != 1 {
		t.Errorf("a claim of a moment ago is granted %d times", len(to))
	}
}

// A primary that has moved is answered at its new address: at once if it claims itself, and after another proof if
// another node passes its claim on.
func TestClaimsOfAPrimaryThatHasMoved(t *testing.T) {
	l, c := newLone(), channel(0)
	by := near(c.ID, 1)
	moved := engine.Peer{ID: by.ID, Address: "elsewhere"}
	sent := func() (granted, asked []engine.Peer) {
		l.env.Advance(usual.Maintenance / divideEvery)
		for _, s := range l.env.Sent() {
			switch m := s.Message.(type) {
			case *Grants:
				if len(m.Grants) > 0 {
					granted = append(granted, s.To)
				}
			case *AskProof:
				asked = append(asked, s.To)
			}
		}
		return granted, asked
	}
	l.Receive(by, l.proof(c, by))
	sent()
	claims := &Claims{Host: news, Node: moved, Claims: []Claim{l.hosts.index[news].index[c.ID].claim}, Handed: true}
	l.Receive(far(c.ID), claims)
	if granted, asked := sent(); len(granted) > 0 || !slices.Equal(asked, []engine.Peer{moved}) {
		t.Errorf("handed on, it is granted to %v, and proof asked of %v", granted, asked)
	}
	l.Receive(moved, l.proof(c, by))
	if granted, _ := sent(); !slices.Equal(granted, []engine.Peer{moved}) {
		t.Errorf("proved from where it is now, it is granted to %v", granted)
	}
	l.hosts.index[news].index[c.ID].by = by
	for range 2 * proveAgain { // some claims are doubted
		l.Receive(moved, claims)
	}
	granted, _ := sent()
	if !slices.Equal(granted, []engine.Peer{moved}) {
		t.Errorf("claimed from where it is now, it is granted to %v", granted)
	}
}

// An owner keeps no more claims than it may, and of one primary a part of these.
func TestClaimsAreBounded(t *testing.T) {
	const most = 64
	l := newLone(func(c *Config) { c.MaxHostClaims = most })
	greedy := engine.Peer{Address: "greedy"}
	for i := range 3 * most {
		c := channel(i)
		greedy.ID = near(c.ID, 1).ID
		l.Receive(greedy, l.proof(c, greedy))
	}
	if l.hosts.claims != most || len(l.hosts.index[news].claims) != most {
		t.Errorf("%d claims of %d are kept", l.hosts.claims, most)
	}
	l = newLone(func(c *Config) { c.MaxHostClaims = most })
	of := &host{key: news, index: make(map[engine.ID]*claimed)}
	l.hosts.index[news] = of
	l.hosts.list = append(l.hosts.list, of)
	for i := range 3 * most { // all by one primary, whose node is close to all of them
		c := channel(i)
		l.proved(greedy, l.proof(c, greedy), c.ID, []roster.Sampled{{Node: numbered(1), Count: 1}})
	}
	if got := len(of.claims); got != most/claimantShare+1 {
		t.Errorf("%d claims of one primary are kept", got)
	}
}

// A claim that is not renewed is dropped after some intervals, but not while its grants can be used.
func TestClaimsAreForgotten(t *testing.T) {
	c := channel(0)
	by := near(c.ID, 1)
	l := newLone()
	l.Receive(by, l.proof(c, by))
	l.env.Advance(5*usual.Maintenance + 4*time.Minute) // until pollers have renewed their last certificate
	if of := l.hosts.index[news]; of == nil || l.heldOf(of.index[c.ID]) == 0 {
		t.Error("it is forgotten while its grant can be used")
	}
	l.env.Advance(2 * usual.Maintenance)
	if l.readers(c) != 0 || l.hosts.claims != 0 || len(l.hosts.list) != 0 || len(l.hosts.index) != 0 {
		t.Errorf("%v readers of %d channels are still known", l.readers(c), l.hosts.claims)
	}
}

// Readers that are proved for two channels pay for each once: a later channel waits until the first has less.
func TestReadersPayOnce(t *testing.T) {
	d := newDivider(1000, 1_000_000)
	all := make([]int, 10)
	for i := range all {
		all[i] = i
	}
	d.claim("first", all, 64, wedge(0))
	d.grantNow()
	before := d.requests()
	d.claim("second", all, 64, wedge(0))
	d.grantNow()
	if got := d.requests(); got > 640 || before < 550 {
		t.Errorf("%v requests, and %v once there is a second channel with the same readers", before, got)
	}
}
