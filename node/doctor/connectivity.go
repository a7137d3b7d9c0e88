package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multiformats/go-multiaddr"

	"tidings/view"
)

// connectivity says what is wrong with how a running node stands among others.
func (c Config) connectivity(n view.Network) []Diagnosis {
	if m := n.Mining; m != nil {
		return []Diagnosis{{LevelWarning,
			fmt.Sprintf(
				"The node works alone while it makes a key whose ID the network admits: it has tried %d of about %d keys.", m.Tried, m.Expected),
			fmt.Sprintf(
				"wait: it takes about %s on this machine, more or less by chance, and then the node joins by itself",
				m.Expects().Round(time.Second))}}
	}
	if n.Off {
		return []Diagnosis{fine("The node works alone, as it was told to.")}
	}
	return slices.Concat(c.aboutDuplicateKey(n), aboutListening(n), aboutPeers(n), aboutJoins(n), aboutReach(n),
		aboutWays(n.Neighbours), aboutZones(n.Zones))
}

func (c Config) aboutDuplicateKey(n view.Network) []Diagnosis {
	if !n.DuplicateKey {
		return nil
	}
	where := ""
	if n.DuplicateKeyAt != "" {
		where = " at " + n.DuplicateKeyAt
	}
	return []Diagnosis{{LevelProblem,
		fmt.Sprintf(
			"Another running node%s has the key of this one: others take the two for one. It was last met at %s.",
			where, n.DuplicateKeyMet.Local().Format("15:04:05")),
		fmt.Sprintf("on the copy of the two: stop the node, move %s out of its data directory, start it again; "+
			"this goes when the other was not met for %.0f minutes", c.KeyFile, view.DuplicateKeyGone.Minutes())}}
}

func aboutListening(n view.Network) []Diagnosis {
	if len(n.Addresses) > 0 {
		return nil
	}
	return []Diagnosis{{LevelProblem, "The node has no address at which others could find it.",
		"see whether this machine is connected, and what its log says"}}
}

func aboutPeers(n view.Network) []Diagnosis {
	switch {
	case len(n.Neighbours) > 0:
		neighbours := "1 neighbour"
		if len(n.Neighbours) > 1 {
			neighbours = fmt.Sprintf("%d neighbours", len(n.Neighbours))
		}
		return []Diagnosis{fine("The node knows %s in a ring of about %d nodes.", neighbours, n.Nodes)}
	case len(n.Joins) > 0:
		return []Diagnosis{{LevelWarning, "The node knows no other node, and works alone meanwhile.",
			"it goes on trying the addresses that it was given to join by"}}
	}
	return []Diagnosis{{LevelWarning, "The node knows no other node, and works alone meanwhile.",
		"join one by its address, which the other node's `tidings status` shows: tidings join MULTIADDR"}}
}

func aboutJoins(n view.Network) []Diagnosis {
	var all []Diagnosis
	for _, j := range n.Joins {
		switch {
		case j.State == view.Joined && len(n.Neighbours) == 0:
			all = append(all,
				Diagnosis{LevelWarning,
					fmt.Sprintf("The node has connected by %s, and nobody there has let it into the ring so far.",
						j.Address),
					"wait a minute; if it stays so, see what the other node's `tidings doctor` says"})
		case j.State == view.Joined:
			all = append(all, fine("Joined by %s.", j.Address))
		case j.Failure != "":
			text := fmt.Sprintf("Joining by %s fails: %s.", j.Address, sentence(j.Failure))
			if !j.Next.IsZero() {
				text += " It is tried again at " + j.Next.Local().Format("15:04:05") + "."
			}
			all = append(all,
				Diagnosis{LevelWarning, text, "see that the other node runs and that its status shows this address; " +
					"to have it tried no more: tidings join --forget " + j.Address})
		}
	}
	return all
}

func aboutZones(z *view.ZoneMembership) []Diagnosis {
	switch {
	case z == nil:
		return nil
	case z.Soon:
		return []Diagnosis{{LevelWarning, z.Problem, z.Hint}}
	case z.Problem != "":
		return []Diagnosis{{LevelProblem, z.Problem + " It gets nothing of its zones.", z.Hint}}
	case z.Own == "":
		return []Diagnosis{fine("The node is looking for its place in the zones.")}
	}
	return []Diagnosis{fine("The node is in the zone %s.", z.Own)}
}

// portWords names the ports of addresses: "UDP port 7601 and TCP port 7601".
func portWords(addresses []string) string {
	var words []string
	for _, text := range addresses {
		a, err := multiaddr.NewMultiaddr(text)
		if err != nil || isRelayed(a) {
			continue
		}
		for code, name := range map[int]string{multiaddr.P_UDP: "UDP port ", multiaddr.P_TCP: "TCP port "} {
			if port, err := a.ValueForProtocol(code); err == nil && !slices.Contains(words, name+port) {
				words = append(words, name+port)
			}
		}
	}
	slices.Sort(words)
	if len(words) == 0 {
		return "the node's ports"
	}
	return strings.Join(words, " and ")
}

// isRelayed reports whether an address leads through another node.
func isRelayed(a multiaddr.Multiaddr) bool {
	_, err := a.ValueForProtocol(multiaddr.P_CIRCUIT)
	return err == nil
}

// sentence makes a reason fit to be followed by a full stop.
func sentence(reason string) string { return strings.TrimRight(reason, ". ") }
