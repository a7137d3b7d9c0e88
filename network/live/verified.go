package live

import (
	"crypto/sha256"
	"sync"

	"tidings/network/engine"
)

// verified remembers signatures that were lately found valid. So content that comes on several ways, as versions do to
// owners, pollers and subscribers, is checked once. Invalid ones are not remembered: they come from peers that are cut
// off soon.
type verified struct {
	mu          sync.Mutex
	now, before map[[sha256.Size]byte]struct{}
}

// mostVerified bounds a generation; there are two, of some 100 KB each.
const mostVerified = 2048

// signatureKey names a signature of some data by a node.
func signatureKey(p engine.Peer, data, signature []byte) (key [sha256.Size]byte) {
	inner := sha256.Sum256(data) // of fixed length, as signatures are, so that parts cannot be mistaken for each other
	h := sha256.New()
	h.Write(inner[:])
	h.Write(p.ID[:])
	h.Write(signature)
	h.Write([]byte(p.Address))
	h.Sum(key[:0])
	return key
}

func (v *verified) has(key [sha256.Size]byte) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.now[key]; ok {
		return true
	}
	_, ok := v.before[key]
	return ok
}

func (v *verified) add(key [sha256.Size]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.now) >= mostVerified {
		v.before, v.now = v.now, nil
	}
	if v.now == nil {
		v.now = make(map[[sha256.Size]byte]struct{})
	}
	v.now[key] = struct{}{}
}
