package version

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// attests decides how many nodes must have seen a content, and which count. A channel has places for witnesses,
// anywhere on the ring, and elsewhere each day. When an owner that numbers a version asks, the node closest to a place
// polls the origin and signs what it sees. A content counts as seen if witnesses at all places but Spare have signed
// it. So neither an owner alone nor all nodes near the channel can deceive others. An attacker has to be closest, or
// nearly, to most of the day's places.
type attests struct{ *core }

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
	// attestWait is how long a version waits for its witnesses, from when it has its number.
	attestWait = 3 * time.Second
	// attestFor is how long later signatures count, for nodes that request the version.
	attestFor = 30 * time.Second
	// attestAge bounds the age of what a witness has seen. Its places are those of its own day: an attacker that could
	// choose the day could choose the places.
	attestAge = 24 * time.Hour
)

// attesting is a version with witnesses that are being asked, at the owner that numbers it.
type attesting struct {
	update Update
	need   int
	early  bool          // it has no number yet: this node is still checking it
	seen   []Attestation // one for each place: those needed, and later ones
}

// Place returns the position of a channel's witness on the day of at.
func Place(channel engine.ID, at time.Time, number uint8) engine.ID {
	b := append([]byte("tidings corona place\n"), channel[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(at.UnixMilli()/(24*time.Hour).Milliseconds()))
	return engine.IDOf(append(b, number))
}

// needOf returns how many witnesses a version needs in a ring of so many nodes. It is 0 if nothing is signed, or if all
// readers poll for themselves in so small a ring.
func (n *attests) needOf(nodes int) int {
	if n.Keys != nil && nodes >= leastNodes {
		return min(n.config.Witnesses, 2+(nodes-leastNodes)/nodesEach)
	}
	return 0
}

// stands reports whether a node can be the witness at a place, as far as this node knows.
func (n *attests) stands(node, place engine.ID) bool {
	return node.Distance(place).Position()*float64(n.Plan.LeastNodes()) <= WitnessReach
}

// askEarly asks witnesses to see a reported content while this node polls too. Most reports are true, and so their
// versions need not wait for two polls in turn. A false one costs the origin those polls in vain, at most once an
// interval.
func (n *attests) askEarly(o *record, c *candidate) {
	w := o.contents
	if now := n.Env.Now(); !n.verifier.soon(o) && (w.wasted == 0 || now >= w.wasted+n.config.Interval) {
		if u := c.update; n.numbering.number(o, &u) {
			n.begin(o, &attesting{update: u, early: true})
		}
	}
}

// ask asks witnesses to see a candidate, while the other owners note its number.
func (n *attests) ask(o *record, c *candidate) {
	w := o.contents.attesting
	if w != nil && w.early && w.update.Version == c.version && w.update.Hash == c.update.Hash {
		w.early = false
		return
	}
	n.spoil(o)
	n.begin(o, &attesting{update: c.update})
}

// spoil ends what askEarly began, as it became no version.
func (n *attests) spoil(o *record) {
	if w := o.contents.attesting; w != nil && w.early {
		o.contents.attesting, o.contents.wasted = nil, n.Env.Now()
	}
}

func (n *attests) begin(o *record, w *attesting) {
	w.need = n.needOf(n.Plan.Nodes())
	// fewer requests if all readers poll, or nobody may
	if w.need == 0 || o.Live() <= w.need || n.origins.pollsAlone(o) || o.limit.Interval > 0 {
		return
	}
	o.contents.attesting = w
	n.askPlaces(o, w, 0, w.need)
	n.Env.After(spareAfter+n.Ring.Patience(), func() {
		if o.contents.attesting == w && len(w.seen) < w.need && !o.Gone() {
			n.askPlaces(o, w, w.need, w.need+Spare)
		}
	})
	n.Env.After(attestFor, func() {
		if o.contents.attesting == w {
			o.contents.attesting = nil
		}
	})
}

func (n *attests) askPlaces(o *record, w *attesting, from, to int) {
	now, channel := n.Env.Wall(), o.Channel()
	grants := n.Ceilings.Certificate(channel.ID)
	for number := from; number < to; number++ {
		n.Ring.Route(Place(channel.ID, now, uint8(number)),
			&Verify{Channel: channel.ID, URL: channel.URL, Version: w.update.Version, Place: uint8(number),
				Certificate: grants})
	}
}

// awaits reports whether a version lacks witnesses that may still answer.
func (n *attests) awaits(o *record, c *candidate) bool {
	w := o.contents.attesting
	return w != nil && w.update.Version == c.version && len(w.seen) < w.need
}

// receive counts what a witness has seen.
func (n *attests) receive(m *Verified) {
	o := n.find(m.Channel)
	if o == nil || o.contents == nil || o.contents.attesting == nil {
		return
	}
	w := o.contents.attesting
	if m.Hash != w.update.Hash || !n.isSound(&w.update, &m.Seen) || !n.isOther(w.seen, &m.Seen) ||
		w.need == 1 && n.IsSelf(m.Seen.By) {
		return
	}
	if w.seen = append(w.seen, m.Seen); len(w.seen) >= w.need {
		n.numbering.attested(o, w)
	}
}

// outOfTurn estimates the polls that a version has cost its origin besides the one that found it. They are the
// primary's, those of the witnesses, and some at the spare places.
func outOfTurn(u *Update, witnesses int) int {
	seen := len(u.Seal.Seen)
	if seen == 0 {
		return 1
	}
	return 1 + max(seen, min(seen, witnesses)+Spare/2)
}

// isSound reports whether a witness has signed what it has seen, and can be at its place.
func (n *attests) isSound(u *Update, a *Attestation) bool {
	at, now := time.UnixMilli(a.At), n.Env.Wall()
	return int(a.Place) < n.config.Witnesses+Spare && at.After(now.Add(-attestAge)) && at.Before(now.Add(clockSkew)) &&
		n.stands(a.By.ID, Place(u.Channel, at, a.Place)) &&
		len(a.Signature) == engine.SignatureLength &&
		n.Keys.Signed(a.By, AttestationWords(u.Channel, u.Version, u.Hash, a), a.Signature)
}

// isOther reports whether a witness is independent: at another place than those before it, another node, in another
// part of the network.
func (n *attests) isOther(before []Attestation, a *Attestation) bool {
	return !slices.ContainsFunc(before, func(b Attestation) bool {
		return a.Place == b.Place || a.By.ID == b.By.ID || n.Neighbours(a.By.Address, b.By.Address)
	})
}

// believes reports whether this node need not see an update itself: enough witnesses have seen it, or this node has the
// content already. If the origin has asked this node for fewer polls than all its readers would make, the finder and
// another giver suffice.
func (n *attests) believes(u *Update) bool {
	_, held := n.Library.Held(u.Channel)
	return n.Keys == nil || n.config.Witnesses == 0 || u.Hash == held || u.Hash == n.Library.Content(u.Channel) ||
		n.origins.wantsFew(u.Channel) && n.byTwo(u) || n.attested(u)
}

// byTwo reports whether an update's finder and giver have signed it, and are two nodes in two parts of the network.
func (n *attests) byTwo(u *Update) bool {
	giver := u.Seal.Giver
	return len(u.Seal.Found) > 0 && giver.ID != u.FoundBy && !n.Neighbours(giver.Address, u.Seal.Finder)
}

// attested reports whether enough witnesses have signed an update.
func (n *attests) attested(u *Update) bool {
	need := n.needOf(n.Plan.LeastNodes()) // the giver may count fewer nodes than this node does
	if need == 0 || len(u.Seal.Seen) < need {
		return false
	}
	var sound []Attestation
	for i := range u.Seal.Seen {
		if a := &u.Seal.Seen[i]; n.isOther(sound, a) && n.isSound(u, a) && (need > 1 || a.By.ID != u.Seal.Giver.ID) {
			sound = append(sound, *a)
		}
	}
	return len(sound) >= need
}

// stand polls a channel as the node at one of its places, if the host lets the channel be polled. An owner that numbers
// a version asks for it.
func (n *attests) stand(key engine.ID, from engine.Peer, m *Verify) {
	c, now := Channel{ID: m.Channel, URL: m.URL}, n.Env.Wall()
	here := key == Place(m.Channel, now, m.Place) || key == Place(m.Channel, now.Add(-clockSkew), m.Place) ||
		key == Place(m.Channel, now.Add(clockSkew), m.Place)
	if int(m.Place) >= n.config.Witnesses+Spare || !here || !n.Ceilings.MayLead(from.ID, c.ID) {
		n.Env.Trace(Refused{m.Channel, 0, from.ID, Stranger})
		return
	}
	n.Ceilings.CheckCertificate(c, m.Certificate, func(pollers float64) {
		if pollers == 0 {
			n.Env.Trace(Refused{m.Channel, 0, from.ID, Uncertified})
			return
		}
		n.duties.keep(c)
		// Each version was found by a poll of a poller in its turn: there are no more versions than such polls.
		n.witness.add(requester{from, m.Version, m.Place, true}, c, 1+int(pollers))
	})
}

// sign signs what this node has seen as a witness.
func (n *attests) sign(channel engine.ID, version uint64, h Hash, place uint8) (a Attestation) {
	if n.Keys != nil && h != (Hash{}) {
		a = Attestation{Place: place, At: n.Env.Wall().UnixMilli(), By: n.Env.Self()}
		a.Signature = n.Keys.Sign(AttestationWords(channel, version, h, &a))
	}
	return a
}
