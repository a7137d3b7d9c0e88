package newswire

import (
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// maxFellows is how many nodes Fellows returns at most.
const maxFellows = 16

// Fellows returns nodes that may have the events of a topic: members of the node's own zones with it in their filters,
// and one representative of each zone with it in its filter. The nearest zones come first.
func Fellows(n *Node, topic engine.ID) (list []engine.Peer) {
	path, placed := n.zones.Path()
	if !placed {
		return nil
	}
	for depth := path.Depth(); depth >= 0; depth-- {
		for r := range n.zones.Table(path.At(depth)).Children() {
			own := zone.IsZone(r.Label) && r.Path().Contains(path)
			speakers := astrolabe.Representatives(r)
			if own || len(speakers) == 0 || !n.config.Shape.Has(r.Attributes.Get(AttrFilter).Bytes, topic) {
				continue
			}
			if p := speakers[0]; p.ID != n.env.Self().ID && len(list) < maxFellows {
				list = append(list, p)
			}
		}
	}
	return list
}
