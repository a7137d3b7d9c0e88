package member

import (
	"fmt"

	"github.com/multiformats/go-multiaddr"

	"tidings"
	"tidings/network/live"
	"tidings/view"
)

// exampleListen is an example of an address to listen at, for error messages.
const exampleListen = "/ip4/0.0.0.0/udp/7601/quic-v1"

// MaxListen bounds the addresses that a node listens at.
const MaxListen = 16

// CheckJoin says what is wrong with an address to join by, as [tidings.ErrInvalid]. Whether anybody is there is
// another question.
func CheckJoin(text string) error {
	if len(text) > view.MaxJoinAddress {
		return tidings.Invalidf("%q is longer than the %d bytes that an address can have", tidings.Quote(text),
			view.MaxJoinAddress)
	}
	if _, err := live.ParseAddress(text); err != nil {
		return tidings.Invalidf("%v; the other node's `tidings status` shows its addresses", err)
	}
	return nil
}

// CheckListen says what is wrong with an address to listen at, as [tidings.ErrInvalid]. private is whether the node
// has a network key.
func CheckListen(text string, private bool) error {
	a, err := parseAddress(text)
	if err != nil {
		return tidings.Invalidf("%q is no address to listen at: it should look like %s or /ip4/0.0.0.0/tcp/7601",
			tidings.Quote(text), exampleListen)
	}
	codes := codesOf(a)
	switch {
	case !isTransport(codes):
		return tidings.Invalidf("%q cannot be listened at: it should look like %s or /ip4/0.0.0.0/tcp/7601",
			tidings.Quote(text), exampleListen)
	case private && codes[1] != multiaddr.P_TCP:
		return tidings.Invalidf(
			"%q cannot be listened at with a network key: QUIC knows none; use TCP, such as /ip4/0.0.0.0/tcp/7601",
			tidings.Quote(text))
	}
	return nil
}

// parseAddress parses a multiaddr of at least one component.
func parseAddress(text string) (multiaddr.Multiaddr, error) {
	if len(text) > view.MaxJoinAddress {
		return nil, fmt.Errorf("an address of %d bytes", len(text))
	}
	a, err := multiaddr.NewMultiaddr(text)
	if err != nil {
		return nil, err
	}
	if len(a) == 0 {
		return nil, fmt.Errorf("an empty address")
	}
	return a, nil
}

// codesOf returns the codes of the protocols that an address is made of.
func codesOf(a multiaddr.Multiaddr) []int {
	codes := make([]int, len(a))
	for i, c := range a {
		codes[i] = c.Protocol().Code
	}
	return codes
}

// isTransport reports whether codes are those of an IP address with TCP or QUIC on it.
func isTransport(codes []int) bool {
	if len(codes) < 2 {
		return false
	}
	if codes[0] != multiaddr.P_IP4 && codes[0] != multiaddr.P_IP6 {
		return false
	}
	switch rest := codes[1:]; rest[0] {
	case multiaddr.P_TCP:
		return len(rest) == 1
	case multiaddr.P_UDP:
		return len(rest) == 2 && rest[1] == multiaddr.P_QUIC_V1
	}
	return false
}

// ListenAddresses returns where a node listens. That is at the configured multiaddrs or, if there are none, at a port,
// at all addresses of this machine, by QUIC and by TCP. QUIC knows no network key: private says that the node has one.
func ListenAddresses(told []string, port int, private bool) []string {
	if len(told) > 0 {
		return told
	}
	var all []string
	for _, host := range []string{"/ip4/0.0.0.0", "/ip6/::"} {
		if !private {
			all = append(all, fmt.Sprintf("%s/udp/%d/quic-v1", host, port))
		}
		all = append(all, fmt.Sprintf("%s/tcp/%d", host, port))
	}
	return all
}
