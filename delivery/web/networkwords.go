package web

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tidings"
)

const (
	shortID = 8  // digits of an ID that are shown where it is to be told from others
	wholeID = 40 // digits of an ID
)

// standingText says in one line how a node stands among the others; known is how many it
// knows beside its neighbours.
func standingText(n tidings.Network, known int) word {
	switch {
	case n.Mining != nil:
		return word{"Works alone", "wait", "It makes a key whose ID the network admits, and joins when it has one: " + thousands(int64(n.Mining.Tried)) +
			" of about " + thousands(int64(n.Mining.Expected)) + " keys tried."}
	case n.Off:
		return word{"Works alone", "idle", "It was started with --no-network."}
	case len(n.Neighbours) == 0:
		return word{"Alone", "wait", "No other node is known yet."}
	}
	text := "With " + count(len64(n.Neighbours), "neighbour", "neighbours")
	if known > 0 {
		text += " and " + count(int64(known), "other known node", "other known nodes")
	}
	return word{"In a ring of " + nodesText(n) + " nodes", "good", text + "."}
}

// nodesText returns how many nodes a ring has, in words.
func nodesText(n tidings.Network) string {
	nodes, guess := nodesOf(n)
	if guess {
		return "about " + nodes
	}
	return nodes
}

// nodesOf returns how many nodes a ring has: a guess once there are more than the
// neighbours and this one.
func nodesOf(n tidings.Network) (nodes string, guess bool) {
	seen := len(n.Neighbours) + 1
	return thousands(int64(max(n.Nodes, seen))), n.Nodes > seen
}

func reachText(r tidings.Reach) word {
	switch r {
	case tidings.ReachPublic:
		return word{"Yes", "good", "Nodes outside can connect to this one."}
	case tidings.ReachPrivate:
		return word{"No", "wait", "A router or firewall keeps nodes outside from connecting to this one. It works without, but slower and at others’ cost; tidings doctor says what to let through."}
	}
	return word{"Not known yet", "idle", "Other nodes have not tried so far."}
}

// natText says what is known of the router before a node; "" if that is nothing.
func natText(n tidings.Network) string {
	var words []string
	if n.Router.Forwards {
		words = append(words, "It forwards this node’s port, as the node has asked it to.")
	}
	if n.Reachable == tidings.ReachPrivate {
		switch n.Router.Ports {
		case tidings.PortsSame:
			words = append(words, "It gives this node the same port towards everybody: most other homes can connect once a third node has introduced them.")
		case tidings.PortsVary:
			words = append(words, "It gives this node another port towards each other node: other homes mostly speak with it through third nodes.")
		}
		if n.Router.Relays > 0 {
			words = append(words, fmt.Sprintf("Nodes that relay to this one: %d.", n.Router.Relays))
		}
	}
	if n.Router.NoUDP {
		words = append(words, "It lets no UDP through: this node speaks over TCP.")
	}
	return strings.Join(words, " ")
}

// wayText says how another node is reached, where that is worth a word: "" where one side could dial the other.
func wayText(w tidings.Way) string {
	switch w {
	case tidings.WayPunched:
		return "through both routers"
	case tidings.WayRelayed:
		return "through a relay"
	case tidings.WayForwarded:
		return "not connected; others forward to it"
	}
	return ""
}

func joinText(s tidings.JoinState) word {
	switch s {
	case tidings.Joined:
		return word{"Joined", "good", ""}
	case tidings.Joining:
		return word{"Trying now", "idle", ""}
	}
	return word{"Failed", "bad", ""}
}

// rttText returns a round trip of so many milliseconds.
func rttText(ms float64) string {
	switch {
	case ms <= 0:
		return "not measured"
	case ms < 10:
		return fmt.Sprintf("%.1f ms", max(ms, 0.1))
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

// clockText says how this machine's clock is off, or "" if it is not, or if too few others
// agree for that to be believed.
func clockText(c tidings.Clock) string {
	off := time.Duration(c.Offset * float64(time.Millisecond))
	if !c.Agreed() || off.Abs() < tidings.ClockOff {
		return ""
	}
	way := "ahead of"
	if off < 0 {
		way = "behind"
	}
	return fmt.Sprintf("This machine’s clock is %s %s those of other nodes (the median of %d; %d of them agree).", spanText(off.Abs()), way, c.Others, c.Agree)
}

// sentence makes a reason from inside a sentence, but for the full stop.
func sentence(reason string, max int) string {
	text := strings.TrimRight(plain(reason, max), ". ")
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// keyOf returns a name for an address by which the script knows its row again.
func keyOf(address string) string {
	h := fnv.New64a()
	h.Write([]byte(address))
	return fmt.Sprintf("%016x", h.Sum64())
}

// cut returns the first n characters of an ID.
func cut(id string, n int) string { return strings.TrimSuffix(plain(id, n), "…") }

func len64[T any](list []T) int64 { return int64(len(list)) }
