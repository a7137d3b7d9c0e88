package live

import (
	"errors"
	"fmt"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
)

// Errors of ParseAddress, for people.
var (
	ErrNotAddress = errors.New("not a multiaddr such as /ip4/192.0.2.1/udp/4001/quic-v1/p2p/12D3KooW…")
	ErrNoIdentity = errors.New("the address has no /p2p/… part at its end, which says whose it is")
	ErrWrongKey   = errors.New("the /p2p/… part is not that of a node, which begins with 12D3KooW")
)

// ParseAddress reads a full multiaddr as a person gives it, or several of one node with
// commas between them.
func ParseAddress(text string) (engine.Peer, error) {
	var all peer.AddrInfo
	for one := range strings.SplitSeq(text, ",") {
		one = strings.TrimSpace(one)
		a, err := ma.NewMultiaddr(one)
		if err != nil || len(a) == 0 {
			return engine.Peer{}, fmt.Errorf("%q: %w", one, ErrNotAddress)
		}
		place, id := peer.SplitAddr(a)
		switch {
		case id == "" || place == nil:
			return engine.Peer{}, fmt.Errorf("%q: %w", one, ErrNoIdentity)
		case transportOf(place) == overNothing:
			return engine.Peer{}, fmt.Errorf("%q: only /udp/…/quic-v1 and /tcp/… are spoken here", one)
		case len(place.Bytes()) > maxPlaceBytes:
			return engine.Peer{}, fmt.Errorf("%q: longer than %d bytes", one, maxPlaceBytes)
		case all.ID != "" && all.ID != id:
			return engine.Peer{}, fmt.Errorf("%q: addresses of two different nodes", text)
		}
		all.ID, all.Addrs = id, append(all.Addrs, place)
	}
	p, err := peerOf(all)
	if err != nil {
		return engine.Peer{}, fmt.Errorf("%q: %w", text, ErrWrongKey)
	}
	return p, nil
}

// FormatAddress returns the first place of a peer as a full multiaddr, which ParseAddress reads. If no place is known,
// it returns the bare /p2p/… part; if the address is invalid, "".
func FormatAddress(p engine.Peer) string {
	if all := FormatAddresses(p); len(all) > 0 {
		return all[0]
	}
	c, err := check(p)
	if err != nil {
		return ""
	}
	id, err := peerID(c.key)
	if err != nil {
		return ""
	}
	return "/p2p/" + id.String()
}

// FormatAddresses returns all places of a peer as full multiaddrs, in their order.
func FormatAddresses(p engine.Peer) []string {
	c, err := check(p)
	if err != nil {
		return nil
	}
	id, err := peerID(c.key)
	if err != nil {
		return nil
	}
	var all []string
	for _, place := range c.places {
		all = append(all, place.String()+"/p2p/"+id.String())
	}
	return all
}
