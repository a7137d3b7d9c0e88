package engine

// SignatureLength is the length of every signature, in bytes: that of Ed25519.
const SignatureLength = 64

// Keys signs with a node's key, and checks what other nodes have signed. Protocols that need
// proof get it beside their Env. Its methods may be called from jobs of [Env.Work] as well:
// either needs some tens of microseconds on live connections.
//
// What is signed should begin with words that no other purpose uses, so that a signature given for
// one purpose is worth nothing for another.
type Keys interface {
	// Sign returns the signature of data by this node.
	Sign(data []byte) []byte

	// Signed reports whether the node p has signed data. p may be hearsay: the key is in its address, and the ID is
	// that of the key. Nothing is signed by a node whose ID is not admissible (see Admitter). Where in the world the
	// address leads to does not matter.
	Signed(p Peer, data, signature []byte) bool
}
