package view

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// lost is the nodes that the view has lost, and contacts that it has not met yet: one after the other is asked whether
// it is back.
type lost struct {
	env    engine.Env
	config *Config
	list   []gone // the one that waits longest first
}

type gone struct {
	peer  engine.Peer
	at    time.Duration // what was said before that is not believed
	asked bool
}

// find returns what is known of a node; nil: it is not lost.
func (l *lost) find(id engine.ID) *gone {
	if i := slices.IndexFunc(l.list, func(g gone) bool { return g.peer.ID == id }); i >= 0 {
		return &l.list[i]
	}
	return nil
}

// add notes a node of which nothing is believed that was said before a time.
func (l *lost) add(p engine.Peer, at time.Duration) {
	if g := l.find(p.ID); g != nil {
		g.peer, g.at = p, max(g.at, at)
		return
	}
	if len(l.list) >= l.config.MaxLost {
		l.env.Trace(LimitHit{"MaxLost", l.config.MaxLost})
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, gone{peer: p, at: at})
}

// remove notes that a node is there again.
func (l *lost) remove(id engine.ID) {
	l.list = slices.DeleteFunc(l.list, func(g gone) bool { return g.peer.ID == id })
}

// since returns from when on what is said of a node is believed.
func (l *lost) since(id engine.ID) time.Duration {
	if g := l.find(id); g != nil {
		return g.at
	}
	return never
}

// next returns the one to ask now. It is the last to be asked again.
func (l *lost) next() (engine.Peer, bool) {
	if len(l.list) == 0 {
		return engine.Peer{}, false
	}
	g := l.list[0]
	g.asked = true
	l.list = append(slices.Delete(l.list, 0, 1), g)
	return g.peer, true
}

// fresh returns one that was never asked: a contact.
func (l *lost) fresh() (engine.Peer, bool) {
	for i := range l.list {
		if g := &l.list[i]; !g.asked && g.at == never {
			g.asked = true
			return g.peer, true
		}
	}
	return engine.Peer{}, false
}

// asked reports whether a node is lost and was asked.
func (l *lost) asked(id engine.ID) bool {
	g := l.find(id)
	return g != nil && g.asked
}
