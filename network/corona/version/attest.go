package version

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// attests is who has to have seen a content before it is believed. A channel has places for witnesses, anywhere on the ring and each day elsewhere. The node
// closest to a place polls the origin when an owner that gives a version asks it to, and signs what it sees. A content counts as seen if witnesses at all places
// but Spare have signed it. So neither an owner alone nor all who stand near the channel make others believe anything: who means to has to stand closest, or
// nearly, at most of the day's places.
type attests struct{ *core }

const (
	// Spare is how many places need not answer, as nodes die, are shown something else, or stand at two of them. They are asked spareAfter the others.
	Spare      = 2
	spareAfter = 500 * time.Millisecond
	// WitnessReach is how far from its place a witness may be, in mean distances between nodes: in 95 of 100 cases a node is there (1 - exp(-2·1.5)). Nodes
	// measure by the least that the ring may have, so that they do not disagree: in a ring that has been counted, 1.7 distances. Of nodes of which one in
	// twenty lies, a liar is there in 16 of 100, and at four of six places in 0.7 of 100.
	WitnessReach = 1.5
	// leastNodes is how many nodes a ring has where two witnesses are asked, and nodesEach how many it takes more for each more, so that places seldom fall to the
	// same nodes. In a smaller ring readers' nodes poll for themselves.
	leastNodes = 8
	nodesEach  = 8
	// attestWait is how long a version is held back for its witnesses, from when it has its number.
	attestWait = 3 * time.Second
	// attestFor is until when those count that come later: for nodes that ask for the version.
	attestFor = 30 * time.Second
	// attestAge is how old what a witness has seen may be: it is looked for at the places of its own day, and who could choose the day could choose the places.
	attestAge = 24 * time.Hour
)

// attesting is a version whose witnesses are asked, at the owner that gives it.
type attesting struct {
	update Update
	need   int
	early  bool          // it has no number yet: this node still makes sure itself that it is true
	seen   []Attestation // one a place: those that it takes, and those that come after
}

// Place returns where a witness of a channel stands on the day of a time.
func Place(channel engine.ID, at time.Time, number uint8) engine.ID {
	b := append([]byte("tidings corona place\n"), channel[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(at.UnixMilli()/(24*time.Hour).Milliseconds()))
	return engine.IDOf(append(b, number))
}

// needOf returns how many witnesses a version needs in a ring of so many nodes; 0: nothing is signed, or the ring is so small that all readers poll for themselves.
func (n *attests) needOf(nodes int) int {
	if n.Keys != nil && nodes >= leastNodes {
		return min(n.config.Witnesses, 2+(nodes-leastNodes)/nodesEach)
	}
	return 0
}

// stands reports whether a node can stand at a place, as far as this node can tell.
func (n *attests) stands(node, place engine.ID) bool {
	return node.Distance(place).Position()*float64(n.Plan.LeastNodes()) <= WitnessReach
}

// askEarly has witnesses see what somebody reports, while this node polls too: most reports are true, and their versions need not wait for the two one after the
// other. One that turns out not to be costs the origin as many polls for nothing, which happens once an interval at most.
func (n *attests) askEarly(o *record, c *candidate) {
	w := o.contents
	if now := n.Env.Now(); !n.judge.soon(o) && (w.wasted == 0 || now >= w.wasted+n.config.Interval) {
		if u := c.update; n.giver.number(o, &u) {
			n.begin(o, &attesting{update: u, early: true})
		}
	}
}

// ask has witnesses see what a candidate is, while the other owners take note of its number.
func (n *attests) ask(o *record, c *candidate) {
	w := o.contents.attesting
	if w != nil && w.early && w.update.Version == c.version && w.update.Hash == c.update.Hash {
		w.early = false
		return
	}
	n.spoil(o)
	n.begin(o, &attesting{update: c.update})
}

// spoil ends what was begun early, as it has become no version.
func (n *attests) spoil(o *record) {
	if w := o.contents.attesting; w != nil && w.early {
		o.contents.attesting, o.contents.wasted = nil, n.Env.Now()
	}
}

func (n *attests) begin(o *record, w *attesting) {
	w.need = n.needOf(n.Plan.Nodes())
	if w.need == 0 || o.Live() <= w.need || n.origins.pollsAlone(o) || o.limit.Interval > 0 { // it takes fewer requests if all who read it poll, or none may
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
		n.Ring.Route(Place(channel.ID, now, uint8(number)), &Verify{Channel: channel.ID, URL: channel.URL, Version: w.update.Version, Place: uint8(number), Certificate: grants})
	}
}

// awaits reports whether a version lacks witnesses who may still answer.
func (n *attests) awaits(o *record, c *candidate) bool {
	w := o.contents.attesting
	return w != nil && w.update.Version == c.version && len(w.seen) < w.need
}

// take takes what a witness has seen.
func (n *attests) take(m *Verified) {
	o := n.find(m.Channel)
	if o == nil || o.contents == nil || o.contents.attesting == nil {
		return
	}
	w := o.contents.attesting
	if m.Hash != w.update.Hash || !n.isSound(&w.update, &m.Seen) || !n.isOther(w.seen, &m.Seen) || w.need == 1 && n.IsSelf(m.Seen.By) {
		return
	}
	if w.seen = append(w.seen, m.Seen); len(w.seen) >= w.need {
		n.giver.attested(o, w)
	}
}

// outOfTurn returns how many polls a version has cost its origin besides the one that found it, about: the primary's, and those
// of so many witnesses and of some at the places to spare.
func outOfTurn(u *Update, witnesses int) int {
	seen := len(u.Seal.Seen)
	if seen == 0 {
		return 1
	}
	return 1 + max(seen, min(seen, witnesses)+Spare/2)
}

// isSound reports whether a witness has signed what it has seen, and can stand where it says.
func (n *attests) isSound(u *Update, a *Attestation) bool {
	at, now := time.UnixMilli(a.At), n.Env.Wall()
	return int(a.Place) < n.config.Witnesses+Spare && at.After(now.Add(-attestAge)) && at.Before(now.Add(clockSkew)) && n.stands(a.By.ID, Place(u.Channel, at, a.Place)) &&
		len(a.Signature) == engine.SignatureLength && n.Keys.Signed(a.By, AttestationWords(u.Channel, u.Version, u.Hash, a), a.Signature)
}

// isOther reports whether a witness stands for itself: at another place than those before it, as another node, in another part of the network.
func (n *attests) isOther(before []Attestation, a *Attestation) bool {
	return !slices.ContainsFunc(before, func(b Attestation) bool {
		return a.Place == b.Place || a.By.ID == b.By.ID || n.Neighbours(a.By.Address, b.By.Address)
	})
}

// believes reports whether an update need not be seen by this node itself: enough witnesses have seen it, or this node has the content already. Where the origin has asked this node for fewer polls than all its readers would make, the finder and another node that gives the version will do.
func (n *attests) believes(u *Update) bool {
	_, held := n.Library.Held(u.Channel)
	return n.Keys == nil || n.config.Witnesses == 0 || u.Hash == held || u.Hash == n.Library.Content(u.Channel) ||
		n.origins.wantsFew(u.Channel) && n.byTwo(u) || n.attested(u)
}

// byTwo reports whether two nodes have signed an update, its finder and its giver, from two parts of the network.
func (n *attests) byTwo(u *Update) bool {
	giver := u.Seal.Giver
	return len(u.Seal.Found) > 0 && giver.ID != u.FoundBy && !n.Neighbours(giver.Address, u.Seal.Finder)
}

// attested reports whether enough witnesses have signed an update.
func (n *attests) attested(u *Update) bool {
	need := n.needOf(n.Plan.LeastNodes()) // the giver may count fewer than this node does
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

// stand polls a channel, as the node at one of its places, for an owner that gives a version of it, if the host lets the channel be polled.
func (n *attests) stand(key engine.ID, from engine.Peer, m *Verify) {
	c, now := Channel{ID: m.Channel, URL: m.URL}, n.Env.Wall()
	here := key == Place(m.Channel, now, m.Place) || key == Place(m.Channel, now.Add(-clockSkew), m.Place) || key == Place(m.Channel, now.Add(clockSkew), m.Place)
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
		// Every version was found by a poll of a poller in its turn: there are no more of them than such polls.
		n.witness.add(asker{from, m.Version, m.Place, true}, c, 1+int(pollers))
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
