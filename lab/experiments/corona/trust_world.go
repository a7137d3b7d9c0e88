package corona

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab/stats"
	"tidings/network/corona"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/sim"
)

// trustWorld is a world in which some nodes lie, after what the honest do was measured.
type trustWorld struct {
	*row
	attacked int
	kind     string // that lies now
	gang     map[sim.Node]bool
	next     uint32         // number of the next invented content
	fooled   map[string]int // by kind: readers' nodes to which an invention was shown, each once for each invention
	aimed    map[string]int // at so many
	requests map[string]int // that the inventions caused

	// forged has, by the number of an invented content, the readers at which it is aimed and to which it was not shown
	// so far. What other nodes store, as those that poll for readers, deceives nobody.
	forged map[uint32]map[sim.Node]bool
}

// Inventions have numbers that no content of an origin comes to.
const firstForged = 1 << 30

// lying is how long an invention has to be believed.
const lying = 2 * time.Minute

func (w *trustWorld) measure() trusted {
	w.forged, w.next = make(map[uint32]map[sim.Node]bool), firstForged
	w.fooled, w.aimed, w.requests = make(map[string]int), make(map[string]int), make(map[string]int)
	w.row.measure()
	t := trusted{measured: w.measured, deceived: make(map[string]float64), caused: make(map[string]float64)}
	chance := rand.New(rand.NewPCG(w.work.seed, 0x11a5))
	for _, l := range kindsOfLiars {
		w.kind = l.name
		w.attack(l, chance)
		t.deceived[l.name] = stats.Share(float64(w.fooled[l.name]), float64(w.aimed[l.name]))
		t.caused[l.name] = stats.Share(float64(w.requests[l.name]), float64(w.aimed[l.name]))
	}
	return t
}

// attack makes liars of one kind invent something for so many channels. The channels are drawn, each for a liar alone.
// Or they are all channels with a liar as primary, and liars are drawn again until there are enough.
func (w *trustWorld) attack(l liars, chance *rand.Rand) {
	left := min(w.attacked, len(w.work.channels))
	if l.share == 0 {
		for _, i := range chance.Perm(len(w.work.channels))[:left] {
			primary := w.primary(i)
			w.gang = map[sim.Node]bool{primary: !l.finders}
			w.lie(i, primary, l.finders)
		}
		w.Run.Advance(w.World, lying)
		return
	}
	done := make(map[int]bool)
	for tries := 0; len(done) < left && tries < 1000; tries++ {
		gang := make(map[sim.Node]bool)
		w.gang = gang
		for _, n := range chance.Perm(w.sizes.Nodes)[:max(1, int(l.share*float64(w.sizes.Nodes)))] {
			gang[sim.Node(n)] = true
		}
		for i := range w.work.channels {
			if primary := w.primary(i); gang[primary] && !done[i] && len(done) < left {
				done[i] = true
				w.lie(i, primary, false)
			}
		}
	}
	w.Run.Advance(w.World, lying)
}

func (w *trustWorld) primary(channel int) sim.Node {
	best := w.Live[0]
	for _, n := range w.Live {
		if engine.Closer(w.work.channels[channel].ID, w.Peer(n).ID, w.Peer(best).ID) {
			best = n
		}
	}
	return best
}

// lie makes a primary invent a content of a channel, and send it to all readers with the signatures that its gang can
// make: as its finder, and at those of the channel's places that its members can claim. A finder only reports it to the
// primary, which is honest.
func (w *trustWorld) lie(channel int, liar sim.Node, finder bool) {
	w.next++
	c, h := w.work.channels[channel], hashOf(int32(channel), w.next)
	latest := uint64(0)
	for n := range sim.Node(w.sizes.Nodes) {
		held, _ := w.watch.held(channel, n)
		latest = max(latest, held)
	}
	finds := liar
	if finder {
		finds = w.someReader(channel, liar)
	}
	for n := range sim.Node(w.sizes.Nodes) {
		if w.gang[n] && finds == liar {
			finds = n
		}
	}
	now := w.Wall(liar)
	u := &corona.Update{Channel: c.ID, Hash: h, FoundBy: w.Peer(finds).ID, FoundAt: now.UnixMilli(),
		Size: documentLength, Payload: wholeContent}
	u.Seal.Finder = w.Peer(finds).Address
	u.Seal.Found = w.Keys(finds).Sign(u.ReportWords())
	if finder {
		w.gang = map[sim.Node]bool{finds: true}
		w.aim(channel)
		w.send(finds, func(n *node) { n.pastry.Route(c.ID, &corona.Detected{Update: *u}) })
		return
	}
	u.Version = (latest>>24+1)<<24 | h.Start()>>40 // numbers end in the start of the content's hash
	u.Seal.Giver = w.Peer(liar)
	header := u.Header()
	u.Seal.Given = w.Keys(liar).Sign(header.Words())
	for number := range uint8(w.config.Witnesses + believe.Spare) {
		if n, ok := w.standing(believe.Place(c.ID, now, number), u.Seal.Seen); ok {
			a := corona.Attestation{Place: number, At: now.UnixMilli(), By: w.Peer(n)}
			a.Signature = w.Keys(n).Sign(update.AttestationWords(c.ID, u.Version, h, &a))
			u.Seal.Seen = append(u.Seal.Seen, a)
		}
	}
	w.send(liar, func(n *node) {
		for _, to := range w.aim(channel) {
			n.env.Send(w.Peer(to), u)
		}
	})
}

// aim returns the honest readers of a channel, and counts them as targets of the latest invention.
func (w *trustWorld) aim(channel int) (readers []sim.Node) {
	for n, wants := range w.wants {
		if !w.gang[sim.Node(n)] && slices.ContainsFunc(wants, func(r reading) bool { return r.channel == channel }) {
			readers = append(readers, sim.Node(n))
		}
	}
	w.aimed[w.kind] += len(readers)
	w.forged[w.next] = make(map[sim.Node]bool)
	for _, n := range readers {
		w.forged[w.next][n] = true
	}
	return readers
}

// someReader returns a node that reads a channel and is not the one given.
func (w *trustWorld) someReader(channel int, but sim.Node) sim.Node {
	for n, wants := range w.wants {
		if sim.Node(n) != but && slices.ContainsFunc(wants, func(r reading) bool { return r.channel == channel }) {
			return sim.Node(n)
		}
	}
	return but
}

func (w *trustWorld) send(from sim.Node, do func(n *node)) {
	w.Do(from, func(p engine.Protocol) { do(p.(*node)) })
}

// standing returns a liar that honest nodes may believe to be closest to a place, and that has not signed yet.
func (w *trustWorld) standing(place engine.ID, signed []corona.Attestation) (sim.Node, bool) {
	for n := range sim.Node(w.sizes.Nodes) {
		near := w.Peer(n).ID.Distance(place).Position()*float64(w.sizes.Nodes) <= believe.WitnessReach
		if w.gang[n] && near &&
			!slices.ContainsFunc(signed, func(a corona.Attestation) bool { return a.By.ID == w.Peer(n).ID }) {
			return n, true
		}
	}
	return 0, false
}

// shows counts a reader that shows an invention.
func (w *trustWorld) shows(n sim.Node, h corona.Hash) {
	if left := w.forged[contentOf(h)]; left[n] {
		delete(left, n)
		w.fooled[w.kind]++
	}
}
