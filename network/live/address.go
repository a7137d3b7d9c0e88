package live

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/crypto"
	pb "github.com/libp2p/go-libp2p/core/crypto/pb"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/engine"
)

// An engine.Address is, in bytes: the Ed25519 public key (32), then one to maxPlaces places, each a length (1) and a
// multiaddr in binary without its last /p2p part. An address with one IPv4 QUIC and one TCP place has 53 bytes. The
// order is the owner's: best first.
const (
	maxAddressBytes = 512
	maxPlaces       = 8
	maxPlaceBytes   = 200
)

// contact is an engine.Address in its parts.
type contact struct {
	key    ed25519.PublicKey
	places []ma.Multiaddr // without identity
}

// NodeID returns the ID of the node that holds a key.
func NodeID(public ed25519.PublicKey) engine.ID { return engine.IDOf(public) }

// peerID returns what libp2p calls the holder of the key.
func peerID(public ed25519.PublicKey) (peer.ID, error) {
	key, err := crypto.UnmarshalEd25519PublicKey(public)
	if err != nil {
		return "", err
	}
	return peer.IDFromPublicKey(key)
}

// keyOf returns the Ed25519 key within a libp2p peer ID.
func keyOf(id peer.ID) (ed25519.PublicKey, error) {
	key, err := id.ExtractPublicKey()
	if err != nil || key.Type() != pb.KeyType_Ed25519 {
		return nil, errors.New("no Ed25519 key")
	}
	return key.Raw()
}

// address puts a contact together, leaving out places beyond the bounds.
func (c contact) address() engine.Address {
	b := slices.Clone([]byte(c.key))
	count := 0
	for _, place := range c.places {
		p := place.Bytes()
		if count == maxPlaces || len(p) > maxPlaceBytes || len(b)+1+len(p) > maxAddressBytes {
			continue
		}
		b = append(append(b, byte(len(p))), p...)
		count++
	}
	return engine.Address(b)
}

// parseContact parses an address. An address without places is one of a peer that
// cannot be dialled.
func parseContact(a engine.Address) (contact, error) {
	if len(a) < ed25519.PublicKeySize || len(a) > maxAddressBytes {
		return contact{}, errors.New("an address of a wrong length")
	}
	c := contact{key: ed25519.PublicKey(a[:ed25519.PublicKeySize])}
	for rest := a[ed25519.PublicKeySize:]; len(rest) > 0; {
		n := int(rest[0])
		if n == 0 || n > maxPlaceBytes || n >= len(rest) || len(c.places) == maxPlaces {
			return contact{}, errors.New("an address with places out of bounds")
		}
		place, err := ma.NewMultiaddrBytes([]byte(rest[1 : 1+n]))
		if err != nil {
			return contact{}, fmt.Errorf("an address with a wrong place: %w", err)
		}
		if transportOf(place) == overNothing {
			return contact{}, errors.New("an address with a place that is not spoken here")
		}
		c.places = append(c.places, place)
		rest = rest[1+n:]
	}
	return c, nil
}

// check parses the address of a peer and makes sure that the peer's ID is its key's.
func check(p engine.Peer) (contact, error) {
	c, err := parseContact(p.Address)
	if err != nil {
		return contact{}, err
	}
	if NodeID(c.key) != p.ID {
		return contact{}, errors.New("the ID is not that of the key in the address")
	}
	return c, nil
}

// info returns the contact as libp2p wants it.
func (c contact) info() (peer.AddrInfo, error) {
	id, err := peerID(c.key)
	return peer.AddrInfo{ID: id, Addrs: c.places}, err
}

// peerOf returns libp2p's knowledge of a peer as ours.
func peerOf(info peer.AddrInfo) (engine.Peer, error) {
	key, err := keyOf(info.ID)
	if err != nil {
		return engine.Peer{}, err
	}
	c := contact{key: key}
	for _, a := range info.Addrs {
		place, _ := peer.SplitAddr(a)
		if place != nil && transportOf(place) != overNothing {
			c.places = append(c.places, place)
		}
	}
	return engine.Peer{ID: NodeID(key), Address: c.address()}, nil
}
