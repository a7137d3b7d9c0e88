package networkroom

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"tidings/delivery/web/wording"
	"tidings/view"
)

func reachText(w wording.Words, r view.Reach) wording.Word {
	switch r {
	case view.ReachPublic:
		return w.Good("Yes", "Nodes outside can connect to this one.")
	case view.ReachPrivate:
		return w.Wait("No",
			"A router or firewall keeps nodes outside from connecting to this one. It works without, but slower and at others’ cost; tidings doctor says what to let through.")
	}
	return w.Idle("Not known yet", "Other nodes have not tried so far.")
}

// natText says what is known of the router before a node; "" if that is nothing.
func natText(w wording.Words, n view.Network) string {
	var words []string
	if n.Router.Forwards {
		words = append(words, w.Text("It forwards this node’s port, as the node has asked it to."))
	}
	if n.Reachable == view.ReachPrivate {
		switch n.Router.Ports {
		case view.PortsSame:
			words = append(words,
				w.Text("It gives this node the same port towards everybody: most other homes can connect once a third node has introduced them."))
		case view.PortsVary:
			words = append(words,
				w.Text("It gives this node another port towards each other node: other homes mostly speak with it through third nodes."))
		}
		if n.Router.Relays > 0 {
			words = append(words, w.Text("Nodes that relay to this one: %d.", n.Router.Relays))
		}
	}
	if n.Router.NoUDP {
		words = append(words, w.Text("It lets no UDP through: this node speaks over TCP."))
	}
	return strings.Join(words, " ")
}

// wayText says how another node is reached, where that is worth a word: "" where one side could dial the other.
func wayText(w wording.Words, way view.Way) string {
	switch way {
	case view.WayPunched:
		return w.Text("through both routers")
	case view.WayRelayed:
		return w.Text("through a relay")
	case view.WayForwarded:
		return w.Text("not connected; others forward to it")
	}
	return ""
}

func joinText(w wording.Words, s view.JoinState) wording.Word {
	switch s {
	case view.Joined:
		return w.Good("Joined", "")
	case view.Joining:
		return w.Idle("Trying now", "")
	}
	return w.Bad("Failed", "")
}

// rttText returns a round trip of so many milliseconds.
func rttText(w wording.Words, ms float64) string {
	switch {
	case ms <= 0:
		return w.Text("not measured")
	case ms < 10:
		return w.Text("%s ms", w.Decimal(max(ms, 0.1), 1))
	case ms < 1000:
		return w.Text("%s ms", w.Decimal(ms, 0))
	}
	return w.Text("%s s", w.Decimal(ms/1000, 1))
}

// clockText says how this machine's clock is off. It returns "" if it is not, or if too small a number of other nodes
// agrees.
func clockText(w wording.Words, c view.Clock) string {
	off := time.Duration(c.Offset * float64(time.Millisecond))
	if !c.Agreed() || off.Abs() < view.ClockOff {
		return ""
	}
	if off < 0 {
		return w.Text("This machine’s clock is %s behind those of other nodes (the median of %d; %d of them agree).",
			w.Span(-off), c.Others, c.Agree)
	}
	return w.Text("This machine’s clock is %s ahead of those of other nodes (the median of %d; %d of them agree).",
		w.Span(off), c.Others, c.Agree)
}

// keyOf returns a name for an address by which the script knows its row again.
func keyOf(address string) string {
	h := fnv.New64a()
	h.Write([]byte(address))
	return fmt.Sprintf("%016x", h.Sum64())
}
