package believe

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// witnesses decides how many nodes must have seen a content, and which count. A channel has places for witnesses,
// anywhere on the ring, and elsewhere each day. When an owner that numbers a version asks, the node closest to a place
// polls the origin and signs what it sees. A content counts as seen if witnesses at all places but Spare have signed
// it. So neither an owner alone nor all nodes near the channel can deceive others. An attacker has to be closest, or
// nearly, to most of the day's places.
type witnesses struct {
	around
	asked map[engine.ID]*asked // by channel, at most one for each that is owned here
}

const (
	// Spare is how many places need not answer: nodes die, see something else, or are closest to two places. They are
	// asked spareAfter the others.
	Spare      = 2
	spareAfter = 500 * time.Millisecond
	// WitnessReach is how far from its place a witness may be, in mean distances between nodes. In 95 of 100 cases a
	// node is there (1 - exp(-2·1.5)). Nodes measure by the least size that the ring may have, so that they agree: in a
	// ring that has been counted, 1.7 distances. If one node in twenty lies, a liar is there in 16 of 100 cases, and at
	// four of six places in 0.7 of 100.
	WitnessReach = 1.5
	// leastNodes is the size of a ring in which two witnesses are asked. One more is asked for each nodesEach nodes
	// more, so that places seldom fall to the same nodes. In a smaller ring readers' nodes poll for themselves.
	leastNodes = 8
	nodesEach  = 8
	// attestFor is how long later signatures count, for nodes that request the version.
	attestFor = 30 * time.Second
	// attestAge bounds the age of what a witness has seen. Its places are those of its own day: an attacker that could
	// choose the day could choose the places.
	attestAge = 24 * time.Hour
)

// asked is what an owner knows of a channel's witnesses.
type asked struct {
	now *attesting // the version with witnesses that are being asked, or nil
	// wasted is when witnesses were last asked for a content that became no version; 0: never.
	wasted time.Duration
}

// attesting is a version with witnesses that are being asked, at the owner that numbers it.
type attesting struct {
	update update.Update
	need   int
	early  bool                 // it has no number yet: this node is still checking it
	seen   []update.Attestation // one for each place: those needed, and later ones
	firm   int                  // how many of seen are so near their places that all readers believe them
}

// lacks reports whether more witnesses are needed.
func (w *attesting) lacks() bool { return w.firm < w.need }

// Place returns the position of a channel's witness on the day of at.
func Place(channel engine.ID, at time.Time, number uint8) engine.ID {
	b := append([]byte("tidings corona place\n"), channel[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(at.UnixMilli()/(24*time.Hour).Milliseconds()))
	return engine.IDOf(append(b, number))
}

// needOf returns how many witnesses a version needs in a ring of so many nodes. It is 0 if nothing is signed, or if all
// readers poll for themselves in so small a ring.
func (n *witnesses) needOf(nodes int) int {
	if n.Keys != nil && nodes >= leastNodes {
		return min(n.config.Witnesses, 2+(nodes-leastNodes)/nodesEach)
	}
	return 0
}

// about returns what is known of a channel's witnesses, and begins to.
func (n *witnesses) about(channel engine.ID) *asked {
	w := n.asked[channel]
	if w == nil {
		w = new(asked)
		n.asked[channel] = w
	}
	return w
}

// attesting returns the version with witnesses that are being asked, or nil.
func (n *witnesses) attesting(channel engine.ID) *attesting {
	if w := n.asked[channel]; w != nil {
		return w.now
	}
	return nil
}

// MayAskEarly reports whether witnesses may be asked for a content before it is a version. Most reports are true, and
// so their versions need not wait for two polls in turn. A false one costs the origin those polls in vain, at most once
// an interval.
func (n *witnesses) MayAskEarly(channel engine.ID) bool {
	w := n.asked[channel]
	return w == nil || w.wasted == 0 || n.Env.Now() >= w.wasted+n.config.Interval
}

// AskEarly asks witnesses to see a reported content while this node polls too. So many nodes subscribe.
func (n *witnesses) AskEarly(c update.Channel, u update.Update, subscribers int) {
	n.begin(c, &attesting{update: u, early: true}, subscribers)
}

// Ask asks witnesses to see a version, while the other owners note its number.
func (n *witnesses) Ask(c update.Channel, u update.Update, subscribers int) {
	w := n.attesting(c.ID)
	if w != nil && w.early && w.update.Version == u.Version && w.update.Hash == u.Hash {
		w.early = false
		return
	}
	n.Spoil(c.ID)
	n.begin(c, &attesting{update: u}, subscribers)
}

// Spoil ends what AskEarly began, as it became no version.
func (n *witnesses) Spoil(channel engine.ID) {
	if w := n.asked[channel]; w != nil && w.now != nil && w.now.early {
		w.now, w.wasted = nil, n.Env.Now()
	}
}

// Forget forgets a channel that is no longer owned here.
func (n *witnesses) Forget(channel engine.ID) { delete(n.asked, channel) }

func (n *witnesses) begin(c update.Channel, w *attesting, subscribers int) {
	about, _, _ := n.host.Nodes()
	w.need = n.needOf(about)
	if w.need == 0 || subscribers <= w.need { // all readers poll
		return
	}
	n.about(c.ID).now = w
	n.askPlaces(c, w, 0, w.need)
	n.Env.After(spareAfter+n.Ring.Patience(), func() {
		if n.attesting(c.ID) == w && w.lacks() {
			n.askPlaces(c, w, w.need, w.need+Spare)
		}
	})
	n.Env.After(attestFor, func() {
		if n.attesting(c.ID) == w {
			n.asked[c.ID].now = nil
		}
	})
}

func (n *witnesses) askPlaces(c update.Channel, w *attesting, from, to int) {
	now := n.Env.Wall()
	for number := from; number < to; number++ {
		n.Ring.Route(Place(c.ID, now, uint8(number)),
			&update.Verify{Channel: c.ID, URL: c.URL, Version: w.update.Version,
				Place: uint8(number)})
	}
}

// Seen returns which witnesses have seen a version so far, whether they are being asked, and whether it lacks some.
func (n *witnesses) Seen(channel engine.ID, version uint64) (seen []update.Attestation, asked, awaited bool) {
	w := n.attesting(channel)
	if w == nil || w.update.Version != version {
		return nil, false, false
	}
	return w.seen, true, w.lacks()
}

// Count counts what a witness has seen. It returns the version if that has enough witnesses; else nil.
func (n *witnesses) Count(m *update.Verified) *update.Update {
	w := n.attesting(m.Channel)
	if w == nil || m.Hash != w.update.Hash || !n.isSound(&w.update, &m.Seen) || !n.isOther(w.seen, &m.Seen) ||
		w.need == 1 && n.IsSelf(m.Seen.By) {
		return nil
	}
	w.seen = append(w.seen, m.Seen)
	if n.isFirm(m.Channel, &m.Seen) {
		w.firm++
	}
	if w.lacks() {
		return nil
	}
	u := w.update
	u.Seal.Seen = w.seen
	return &u
}

// Polls returns how many polls a version is known to have cost its origin besides the one that found it: the primary's,
// and those of the other witnesses that have signed.
func (n *witnesses) Polls(u *update.Update) int {
	polls := 1
	for i := range u.Seal.Seen {
		if u.Seal.Seen[i].By.ID != u.Seal.Giver.ID {
			polls++
		}
	}
	return polls
}

// isFirm reports whether a sound witness is so near its place that all readers' nodes will believe it. They may count
// more nodes than this one does, and then fewer are near enough.
func (n *witnesses) isFirm(channel engine.ID, s *update.Attestation) bool {
	_, _, most := n.host.Nodes()
	return isNear(channel, s, most)
}

// isNear reports whether a witness is near enough to its place in a ring of so many nodes.
func isNear(channel engine.ID, s *update.Attestation, nodes int) bool {
	place := Place(channel, time.UnixMilli(s.At), s.Place)
	return s.By.ID.Distance(place).Position()*float64(nodes) <= WitnessReach
}

// isSound reports whether a witness has signed what it has seen, and can be at its place, as far as this node knows.
func (a *around) isSound(u *update.Update, s *update.Attestation) bool {
	at, now := time.UnixMilli(s.At), a.Env.Wall()
	_, least, _ := a.host.Nodes()
	return int(s.Place) < a.config.Witnesses+Spare && at.After(now.Add(-attestAge)) &&
		at.Before(now.Add(update.ClockSkew)) &&
		isNear(u.Channel, s, least) &&
		len(s.Signature) == engine.SignatureLength &&
		a.Keys.Signed(s.By, update.AttestationWords(u.Channel, u.Version, u.Hash, s), s.Signature)
}

// isOther reports whether a witness is independent: at another place than those before it, another node, in another
// part of the network.
func (n *witnesses) isOther(before []update.Attestation, a *update.Attestation) bool {
	return !slices.ContainsFunc(before, func(b update.Attestation) bool {
		return a.Place == b.Place || a.By.ID == b.By.ID || n.Neighbours(a.By.Address, b.By.Address)
	})
}

// Believes reports whether this node need not see an update itself: enough witnesses have seen it, or this node has the
// content already. If the origin has asked this node for fewer polls than all its readers would make, the finder and
// another giver suffice.
func (n *witnesses) Believes(u *update.Update) bool {
	_, held := n.contents.Held(u.Channel)
	return n.Keys == nil || n.config.Witnesses == 0 || u.Hash == held || u.Hash == n.contents.Content(u.Channel) ||
		n.host.WantsFew(u.Channel) && n.byTwo(u) || n.attested(u)
}

// byTwo reports whether an update's finder and giver have signed it, and are two nodes in two parts of the network.
func (n *witnesses) byTwo(u *update.Update) bool {
	giver := u.Seal.Giver
	return len(u.Seal.Found) > 0 && giver.ID != u.FoundBy && !n.Neighbours(giver.Address, u.Seal.Finder)
}

// attested reports whether enough witnesses have signed an update.
func (n *witnesses) attested(u *update.Update) bool {
	_, least, _ := n.host.Nodes()
	need := n.needOf(least) // the giver may count fewer nodes than this node does
	if need == 0 || len(u.Seal.Seen) < need {
		return false
	}
	var sound []update.Attestation
	for i := range u.Seal.Seen {
		if a := &u.Seal.Seen[i]; n.isOther(sound, a) && n.isSound(u, a) && (need > 1 || a.By.ID != u.Seal.Giver.ID) {
			sound = append(sound, *a)
		}
	}
	return len(sound) >= need
}

// Stands reports whether this node is asked as the one at a channel's place for a witness.
func (n *witnesses) Stands(key engine.ID, m *update.Verify) bool {
	now := n.Env.Wall()
	return int(m.Place) < n.config.Witnesses+Spare && (key == Place(m.Channel, now, m.Place) ||
		key == Place(m.Channel, now.Add(-update.ClockSkew), m.Place) ||
		key == Place(m.Channel, now.Add(update.ClockSkew), m.Place))
}
