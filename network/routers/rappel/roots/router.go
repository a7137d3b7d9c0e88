package roots

import (
	"tidings/network/engine"
	"tidings/network/routers/rappel"
)

// Router is Rappel for topics with roots that are looked for as long as they are joined.
type Router struct {
	*rappel.Node
	Finder *Finder
}

// Join is as in network.Router.
func (r Router) Join(topic engine.ID) {
	r.Finder.Look(topic)
	r.Node.Join(topic)
}

// Leave is as in network.Router.
func (r Router) Leave(topic engine.ID) {
	r.Node.Leave(topic)
	r.Finder.Forget(topic)
}
