package believe

import (
	"bytes"
	"cmp"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// node is the surroundings of one machine, as a test sets them.
type node struct {
	*Machine
	env     *enginetest.Env
	nodes   int // of the ring
	least   int // that it has at least; 0: nodes
	most    int // that others may count at least; 0: nodes
	strange bool
	owns    bool
	readers int
	few     bool // the origin wants few polls
	barred  bool // no reader's node may poll
	held    map[uint64]update.Hash
	polls   int
	routed  []engine.ID
	steps   update.Steps
	blamed  []Contradicted
}

// news is the channel of all tests.
var news = update.Channel{ID: engine.PrefixID("50"), URL: "http://news/"}

const halfHour = 30 * time.Minute

func newNode(name string, nodes, witnesses int) *node {
	n := &node{env: enginetest.NewEnv(enginetest.NewPeer(name)), nodes: nodes, readers: 1,
		held: make(map[uint64]update.Hash)}
	n.env.Advance(time.Hour) // times are unlike durations
	n.Machine = New(machine.Base{Env: n.env, Ring: ring{n: n}, Keys: keys{n.env.Self().ID}}, n, n,
		update.Config{Interval: halfHour, Witnesses: witnesses})
	return n
}

func (n *node) After(d time.Duration, f func() update.Steps) engine.Timer {
	return n.env.After(d, func() { n.steps = append(n.steps, f()...) })
}
func (n *node) CouldOwn(_, _ engine.ID) bool { return !n.strange }
func (n *node) Owns(engine.ID) bool          { return n.owns }
func (n *node) Readers(engine.ID) int        { return n.readers }
func (n *node) Nodes() (about, least, most int) {
	return n.nodes, cmp.Or(n.least, n.nodes), cmp.Or(n.most, n.nodes)
}
func (n *node) WantsFew(engine.ID) bool                  { return n.few }
func (n *node) MayPoll(engine.ID) (update.Channel, bool) { return news, !n.barred }
func (n *node) Poll(update.Channel)                      { n.polls++ }
func (n *node) Contradicted(e Contradicted)              { n.blamed = append(n.blamed, e) }
func (n *node) Content(engine.ID) update.Hash            { _, h := n.Held(news.ID); return h }
func (n *node) Held(engine.ID) (latest uint64, h update.Hash) {
	for version, hash := range n.held {
		if version > latest {
			latest, h = version, hash
		}
	}
	return latest, h
}

type ring struct {
	machine.Ring
	n *node
}

func (r ring) Patience() time.Duration               { return 0 }
func (r ring) Nodes() int                            { return r.n.nodes }
func (r ring) Route(key engine.ID, _ engine.Message) { r.n.routed = append(r.n.routed, key) }

// keys sign by the signer's ID.
type keys struct{ self engine.ID }

func (k keys) Sign(data []byte) []byte {
	sum := engine.IDOf(append(bytes.Clone(k.self[:]), data...))
	return append(bytes.Clone(sum[:]), make([]byte, engine.SignatureLength-len(sum))...)
}

func (k keys) Signed(p engine.Peer, data, signature []byte) bool {
	return bytes.Equal(keys{p.ID}.Sign(data), signature)
}

// version returns a version that a peer found and numbered.
func version(by engine.Peer, number uint64, text string) *update.Update {
	u := &update.Update{Channel: news.ID, Hash: update.Hash{4: 1}, FoundBy: by.ID, FoundAt: 1}
	copy(u.Hash[3:], text)
	u.Version = number<<update.TagBits | update.TagOf(u.Hash)
	u.Seal.Finder, u.Seal.Giver = by.Address, by
	u.Seal.Found = keys{by.ID}.Sign(u.ReportWords())
	h := u.Header()
	u.Seal.Given = keys{by.ID}.Sign(h.Words())
	return u
}

// pollOf returns the outcome of a poll that shows a version.
func pollOf(u *update.Update) *update.PollResult { return &update.PollResult{Hash: u.Hash, Size: 1} }
