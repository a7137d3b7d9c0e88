package doctor

import (
	"fmt"
	"strings"

	"tidings/view"
)

// aboutReach says whether others can connect to a node, what kind of router keeps them out, and what would help.
func aboutReach(n view.Network) []Diagnosis {
	switch n.Reachable {
	case view.ReachPublic:
		if n.Router.Forwards {
			return []Diagnosis{fine(
				"Nodes outside can connect to this one: the router forwards its port, as the node has asked it to.")}
		}
		return []Diagnosis{fine("Nodes outside can connect to this one.")}
	case view.ReachPrivate:
		return []Diagnosis{{LevelWarning,
			"Nodes outside cannot connect to this one: a router or firewall keeps them out." + routerWords(n.Router),
			"turn on UPnP or NAT-PMP at the router, or let " + portWords(n.Addresses) +
				" through to this machine; it works without, but slower and at others' cost"}}
	}
	if len(n.Neighbours) == 0 {
		return nil // no other node can report it
	}
	return []Diagnosis{fine("Whether nodes outside can connect to this one is not known yet.")}
}

// routerWords returns what is known of the router before an unreachable node, in sentences that follow others.
func routerWords(r view.Router) string {
	words := ""
	switch r.Ports {
	case view.PortsSame:
		words += " The router gives the node the same port towards everybody, so most other homes can connect to it once a third node has introduced them."
	case view.PortsVary:
		words += " The router gives the node another port towards each other node, so other homes can mostly not connect to it, and speak with it through third nodes."
	}
	if r.NoUDP {
		words += " UDP does not come through; the node speaks over TCP."
	}
	switch r.Relays {
	case 0:
		words += " No other node relays to it so far."
	case 1:
		words += " One other node relays to it."
	default:
		words += fmt.Sprintf(" %d other nodes relay to it.", r.Relays)
	}
	return words
}

// aboutWays says how the connections to neighbours go, and names those that go through a relay.
func aboutWays(neighbours []view.Peer) []Diagnosis {
	count := make(map[view.Way]int)
	var relayed []string
	for _, p := range neighbours {
		count[p.Way]++
		if p.Way == view.WayRelayed {
			relayed = append(relayed, p.ID[:min(8, len(p.ID))])
		}
	}
	if count[view.WayPunched]+count[view.WayRelayed]+count[view.WayForwarded] == 0 {
		return nil // nothing is out of the ordinary
	}
	var parts []string
	for _, w := range []struct {
		way   view.Way
		words string
	}{
		{view.WayDirect, "directly"},
		{view.WayPunched, "directly, through both routers, after a third node introduced them"},
		{view.WayRelayed, "through a relay (" + strings.Join(relayed, ", ") + ")"}, {"", "not at present"},
		{view.WayForwarded, "only by neighbours of both, which forward messages"},
	} {
		if count[w.way] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[w.way], w.words))
		}
	}
	return []Diagnosis{fine("Of its neighbours the node is connected to %s.", strings.Join(parts, "; "))}
}
