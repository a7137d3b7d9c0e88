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

// Admit is as in router.Member: of items that were sent to zones it lets pass those that their sender has signed.
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

// withName returns the digest of what a publisher has signed together with the address, which it has not: who passes it on could leave that out.
func withName(e *feedtree.Named, signed uint64) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, signed), e.URL...))
	return binary.BigEndian.Uint64(sum[:])
}

// wholeOf returns the digest of all that an update says. What those who stand for its version have signed is less: they can each say in another way which
// content it is. Who passes an update on could put nothing, or nonsense, in the place of that, and nodes would take it for the update.
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

// signedBy is newswire.Seams.SignedBy: what was sent to a zone only its sender can publish, and the version of a channel only those who can be its owners. What
// publishers have signed any node can, as their keys are those of no nodes: nobody is kept from it so, as an item is known by who publishes it (see package
// newswire). What a volunteer has found it publishes itself.
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
