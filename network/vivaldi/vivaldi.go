package vivaldi

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Neighbours says which peers to measure: a mix of near and far ones is best (Vivaldi, section
// 5.3). At most MaxPeers are measured in turn, chosen by chance if there are more.
type Neighbours interface {
	// Peers returns live peers, in an order that is no map's. It is asked again when all
	// have had their turn.
	Peers() []engine.Peer
}

// Landmarks are peers that every node measures: well-known, up for long, far apart from each
// other. Rappel has 18 (section 6.1.4).
type Landmarks []engine.Peer

// Peers returns the landmarks.
func (l Landmarks) Peers() []engine.Peer { return l }

// Vivaldi finds its node's coordinate. It pings one neighbour a period, and each answer is a sample; see Observe.
type Vivaldi struct {
	env        engine.Env
	config     Config
	neighbours Neighbours

	space  *space
	known  *table
	round  []engine.Peer // peers with their turn still to come
	others int           // how many had a turn in this round
	asked  []asked
	timer  engine.Timer
	update int // number of updates of the coordinate
	still  still
}

// asked is a Ping that is not answered yet.
type asked struct {
	nonce uint64
	peer  engine.ID
	at    time.Duration
}

// maxAsked bounds the pings under way; the oldest is given up for a new one.
const maxAsked = 128

// New starts to find the coordinate of env's node. It panics if c is not valid.
func New(env engine.Env, c Config, neighbours Neighbours) *Vivaldi {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	v := &Vivaldi{
		env: env, config: c, neighbours: neighbours,
		space: newSpace(c, env.Rand()), known: newTable(c.MaxPeers), still: newStill(c.FreezeUpdates),
	}
	v.wait()
	return v
}

// Coordinate returns where the node is.
func (v *Vivaldi) Coordinate() Coordinate { return v.space.here }

// Frozen reports whether the coordinate stays as it is for the session.
func (v *Vivaldi) Frozen() bool { return v.still.frozen }

// Distance returns the estimated round trip to a peer that was measured lately, and whether there is one. Where its
// coordinate is known otherwise, use Coordinate.Distance.
func (v *Vivaldi) Distance(peer engine.ID) (time.Duration, bool) {
	if k := v.known.byID[peer]; k != nil {
		return v.space.here.Distance(k.coordinate), true
	}
	return 0, false
}

// RTT returns the round trip to a peer as it was measured lately, and whether it was.
func (v *Vivaldi) RTT(peer engine.ID) (time.Duration, bool) {
	if k := v.known.byID[peer]; k != nil {
		return k.rtt, true
	}
	return 0, false
}

// wait lets some time pass until the next ping: between half a period and one and a half.
func (v *Vivaldi) wait() {
	period := v.config.Period
	if v.settled() {
		period = v.config.Watch
	}
	v.timer = v.env.After(period/2+time.Duration(v.env.Rand().Int64N(int64(period)+1)), func() {
		v.ping()
		v.wait()
	})
}

func (v *Vivaldi) ping() {
	peer := v.next()
	if peer.IsZero() {
		return
	}
	now := v.env.Now()
	v.asked = slices.DeleteFunc(v.asked, func(a asked) bool { return now-a.at > v.config.MaxRTT })
	if len(v.asked) == maxAsked {
		v.asked = slices.Delete(v.asked, 0, 1)
	}
	nonce := v.env.Rand().Uint64()
	v.asked = append(v.asked, asked{nonce, peer.ID, now})
	v.env.Send(peer, &Ping{Nonce: nonce})
}

// next returns the peer with the next turn; none if there are no others.
func (v *Vivaldi) next() engine.Peer {
	if len(v.round) == 0 {
		self := v.env.Self().ID
		v.round = slices.DeleteFunc(slices.Clone(v.neighbours.Peers()), func(p engine.Peer) bool {
			return p.ID == self || p.IsZero()
		})
		v.env.Rand().Shuffle(len(v.round), func(i, j int) { v.round[i], v.round[j] = v.round[j], v.round[i] })
		v.round = v.round[:min(len(v.round), v.config.MaxPeers)]
		v.others = len(v.round)
	}
	if len(v.round) == 0 {
		return engine.Peer{}
	}
	peer := v.round[0]
	v.round = v.round[1:]
	return peer
}

// Receive handles a Ping or a Pong.
func (v *Vivaldi) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Ping:
		v.env.Send(from, &Pong{Nonce: m.Nonce, Coordinate: v.space.here})
	case *Pong:
		v.onPong(from, m)
	}
}

func (v *Vivaldi) onPong(from engine.Peer, m *Pong) {
	i := slices.IndexFunc(v.asked, func(a asked) bool { return a.nonce == m.Nonce && a.peer == from.ID })
	if i < 0 {
		v.env.Trace(Rejected{from, Unasked})
		return
	}
	rtt := v.env.Now() - v.asked[i].at
	v.asked = slices.Delete(v.asked, i, i+1)
	v.Observe(from, m.Coordinate, rtt)
}

// PeerDown forgets a peer.
func (v *Vivaldi) PeerDown(p engine.Peer) {
	v.known.forget(p.ID)
	v.round = slices.DeleteFunc(v.round, func(r engine.Peer) bool { return r.ID == p.ID })
}

// Stop ends it.
func (v *Vivaldi) Stop() { v.timer.Stop() }

var _ engine.Protocol = (*Vivaldi)(nil)
