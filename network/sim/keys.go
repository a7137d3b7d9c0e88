package sim

import (
	"bytes"
	"crypto/sha256"

	"tidings/network/engine"
)

// Keys returns what signs with a node's key. A simulated signature is a hash of the signer's ID and of the signed
// bytes: as long as a real one, and cheap. Nothing but good manners keeps a node from signing for another, so simulated
// liars must not ask for other nodes' Keys.
func (w *World) Keys(n Node) engine.Keys { return keys{w.node(n).id, &w.config} }

type keys struct {
	self   engine.ID
	config *Config
}

func (k keys) Sign(data []byte) []byte { return signature(k.self, data) }

func (k keys) Signed(p engine.Peer, data, s []byte) bool {
	return k.config.admits(p.ID) && bytes.Equal(s, signature(p.ID, data))
}

func signature(by engine.ID, data []byte) []byte {
	h := sha256.New()
	h.Write(by[:])
	h.Write(data)
	s := h.Sum(make([]byte, 0, engine.SignatureLength))
	return append(s, s...)
}
