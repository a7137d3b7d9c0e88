package engine

// Linker is an Env that knows with which peers it has a connection.
type Linker interface {
	// Link returns the peer with that ID, as it is reached now, if there is a connection with it: what is sent to it
	// then needs nobody to be dialled.
	Link(id ID) (Peer, bool)
}

// LinkOf returns the peer with that ID if env has a connection with it, as far as env knows. See Linker.
func LinkOf(env Env, id ID) (Peer, bool) {
	if l, ok := env.(Linker); ok {
		return l.Link(id)
	}
	return Peer{}, false
}

// Doubter is an Env that can find out whether a connection is dead. A node that comes by a forwarder although there is
// a connection with it has lost that one.
type Doubter interface {
	// Doubt has the peer with that ID give a sign of life soon, if there is a connection with it; it is down without
	// one.
	Doubt(id ID)
}

// Doubt says to env that the connection with a peer may be dead. See Doubter.
func Doubt(env Env, id ID) {
	if d, ok := env.(Doubter); ok {
		d.Doubt(id)
	}
}

// Introducer is an Env that reaches peers with which it has no connection by others that have one. It learns of those
// by nodes that know; see network/forward.
type Introducer interface {
	// Introducer returns the node that has a connection with the peer with that ID: this node, or the one by which it
	// reaches the peer. Zero: none is known.
	Introducer(id ID) Peer

	// Introduce notes that by may have a connection with a peer.
	Introduce(peer ID, by Peer)
}

// IntroducerOf returns the node that has a connection with a peer, as far as env knows; see Introducer. It is zero
// where env reaches none by others.
func IntroducerOf(env Env, id ID) Peer {
	if i, ok := env.(Introducer); ok {
		return i.Introducer(id)
	}
	return Peer{}
}

// Introduce says to env by which node a peer may be reached.
func Introduce(env Env, peer ID, by Peer) {
	if i, ok := env.(Introducer); ok && !by.IsZero() {
		i.Introduce(peer, by)
	}
}

// Refuser is an Env that keeps some peers out for a while, as protocols have asked it to: it accepts nothing from them,
// and sends nothing to them.
type Refuser interface {
	// Refuses reports whether the peer with that ID is kept out.
	Refuses(ID) bool
}

// Refuses reports whether env keeps a peer out; see Refuser.
func Refuses(env Env, id ID) bool {
	r, ok := env.(Refuser)
	return ok && r.Refuses(id)
}
