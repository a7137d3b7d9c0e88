package archive

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// pull is the fetching of what this node lacks. It fetches at most Config.MaxWanted items, maxWantedOfOne of them from
// one peer, from Config.Pulls peers at a time.
type pull struct {
	env     engine.Env
	config  *Config
	node    pulling
	queue   []*want
	wanted  map[Name]*want // those of the queue and of the flights
	flights []*flight
}

// pulling is what a pull needs of its node.
type pulling interface {
	// penalize has nothing fetched from a peer for a while if it can be had from others.
	penalize(id engine.ID, lasts time.Duration)
	// failed is called when an item is wanted no more.
	failed(name Name)
}

// want is an item that this node is to have, and that a peer claims to have.
type want struct {
	item Held
	from engine.Peer
}

// flight is a Fetch under way.
type flight struct {
	to     engine.Peer
	number uint64
	wants  []*want
	timer  engine.Alarm
}

// Bounds of what one peer can make this node want, and of what is fetched at once.
const (
	maxWantedOfOne = 256
	maxPullBytes   = maxAnswer
)

// wants reports whether an item is wanted.
func (p *pull) wants(name Name) bool { return p.wanted[name] != nil }

// hasRoom reports whether one more item can be wanted.
func (p *pull) hasRoom() bool {
	if len(p.wanted) < p.config.MaxWanted {
		return true
	}
	limitHit(p.env, "MaxWanted", p.config.MaxWanted)
	return false
}

// want has an item fetched, unless too much is wanted of that peer already. It reports whether it is.
func (p *pull) want(from engine.Peer, item Held) bool {
	of := 0
	for _, w := range p.queue {
		if w.from.ID == from.ID {
			of++
		}
	}
	if of >= maxWantedOfOne {
		return false
	}
	w := &want{item, from}
	p.wanted[item.Name] = w
	p.queue = append(p.queue, w)
	p.fetchMore()
	return true
}

// unwant notes that an item is not fetched any more.
func (p *pull) unwant(name Name) {
	delete(p.wanted, name)
	p.node.failed(name)
}

// fetchMore fetches from peers from which nothing is being fetched.
func (p *pull) fetchMore() {
	for len(p.flights) < p.config.Pulls {
		i := slices.IndexFunc(p.queue, func(w *want) bool {
			return !slices.ContainsFunc(p.flights, func(f *flight) bool { return f.to.ID == w.from.ID })
		})
		if i < 0 {
			return
		}
		f := &flight{to: p.queue[i].from, number: p.env.Rand().Uint64()}
		m := &Fetch{Number: f.number}
		size := 0
		p.queue = slices.DeleteFunc(p.queue, func(w *want) bool {
			of := int(w.item.Size)
			if w.from.ID != f.to.ID || len(f.wants) == maxNames || len(f.wants) > 0 && size+of > maxPullBytes {
				return false
			}
			size += of
			f.wants = append(f.wants, w)
			m.Names = append(m.Names, w.item.Name)
			return true
		})
		p.flights = append(p.flights, f)
		p.env.Send(f.to, m)
		f.timer.Set(p.env, p.env.Now()+p.config.Patience, func() {
			if len(f.wants) == len(m.Names) {
				p.node.penalize(f.to.ID, silentFor)
			}
			p.endFlight(f)
		})
	}
}

// endFlight gives up what has not come. It shows again when replicas are compared.
func (p *pull) endFlight(f *flight) {
	f.timer.Stop()
	p.flights = slices.DeleteFunc(p.flights, func(g *flight) bool { return g == f })
	for _, w := range f.wants {
		p.unwant(w.item.Name)
	}
	p.fetchMore()
}

// arrives reports whether an item was asked for that comes from a peer. It stays wanted until unwant.
func (p *pull) arrives(from engine.Peer, name Name) bool {
	w := p.wanted[name]
	i := slices.IndexFunc(p.flights, func(f *flight) bool { return f.to.ID == from.ID })
	if w == nil || i < 0 || !slices.Contains(p.flights[i].wants, w) {
		return false
	}
	f := p.flights[i]
	f.wants = slices.DeleteFunc(f.wants, func(v *want) bool { return v == w })
	return true
}

// busyWait is how long a peer that has no time is not asked again.
const busyWait = 2 * time.Second

// onFetched receives the end of an answer.
func (p *pull) onFetched(from engine.Peer, m *Fetched) {
	i := slices.IndexFunc(p.flights, func(f *flight) bool { return f.to.ID == from.ID && f.number == m.Number })
	if i < 0 {
		return
	}
	f := p.flights[i]
	if m.Busy { // the flight stays, so that the peer is left in peace, and then all is asked for again
		f.timer.Set(p.env, p.env.Now()+jitter(p.env, busyWait), func() {
			p.queue = append(p.queue, f.wants...)
			f.wants = nil
			p.endFlight(f)
		})
		return
	}
	for _, w := range f.wants {
		if slices.Contains(m.None, w.item.Name) {
			p.node.penalize(from.ID, lacksFor)
		}
	}
	p.endFlight(f)
}

// down ends what is fetched from a peer that is down.
func (p *pull) down(peer engine.Peer) {
	p.queue = slices.DeleteFunc(p.queue, func(w *want) bool {
		if w.from.ID == peer.ID {
			p.unwant(w.item.Name)
			return true
		}
		return false
	})
	for _, f := range slices.Clone(p.flights) {
		if f.to.ID == peer.ID {
			p.endFlight(f)
		}
	}
}
