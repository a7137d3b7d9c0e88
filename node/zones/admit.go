package zones

import (
	"crypto/sha256"
	"encoding/binary"

	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/volunteer"
)

// Admit is as in router.Member. Of items that were sent to zones it admits those that their sender has signed.
func (m member) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	switch e := event.(type) {
	case *feedtree.Item:
		return admitSent(topic, e)
	case *corona.Update:
		if digest, bytes, ok = m.TreeMember.Admit(topic, e, from); ok {
			digest = wholeOf(e, digest)
		}
		return digest, bytes, ok
	case *feedtree.Named:
		if !e.Fits(topic) {
			return 0, 0, false
		}
		if digest, bytes, ok = m.others.Admit(topic, e.Event, from); ok {
			digest = withName(e, digest)
		}
		return digest, bytes + len(e.URL), ok
	}
	return m.others.Admit(topic, event, from)
}

// Withdrawn is as in router.Withdrawer.
func (m member) Withdrawn(topic engine.ID, event engine.Message) bool {
	e, is := event.(*feedtree.Named)
	return is && router.IsWithdrawn(m.others, topic, e.Event)
}

// withName returns the digest of what a publisher has signed together with the address, which it has not signed: a
// forwarder could leave the address out.
func withName(e *feedtree.Named, signed uint64) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, signed), e.URL...))
	return binary.BigEndian.Uint64(sum[:])
}

// wholeOf returns the digest of all that an update says. The signatures for its version cover less: each signer can
// name the content in another way. A forwarder could replace the rest by nothing, or nonsense, and nodes would believe
// it to be the update.
func wholeOf(u *corona.Update, signed uint64) uint64 {
	h := sha256.New()
	part := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	number := func(n uint64) { h.Write(binary.BigEndian.AppendUint64(nil, n)) }
	number(signed)
	part([]byte(u.URL))
	h.Write(u.Base[:])
	number(uint64(u.Size))
	part(u.Payload)
	h.Write(u.Seal.Giver.ID[:])
	for _, a := range u.Seal.Seen {
		number(uint64(a.Place))
		number(uint64(a.At))
		h.Write(a.By.ID[:])
		part(a.Signature)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// signedBy is newswire.Seams.SignedBy. Only its sender can publish what was sent to a zone, and only possible owners
// the version of a channel. Any node can publish what publishers have signed, as their keys belong to no nodes. That
// keeps it from no node, as an item is known by its publishing node (see package newswire). What a volunteer has found
// it publishes itself.
func (m member) signedBy(node, _ engine.ID, event engine.Message) bool {
	switch e := event.(type) {
	case *feedtree.Item:
		return live.NodeID(e.Key[:]) == node
	case *corona.Update:
		return m.CouldPublish(e.Channel, node)
	case *feedtree.Named:
		return true
	case *volunteer.PollReport:
		return e.Finder.ID == node
	}
	return false
}
