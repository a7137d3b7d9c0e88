package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// MaxIDWork is the most work that a network can ask of IDs, in bits. Each bit doubles how many keys have to be made
// until one is found: 40 need a processor's core a year.
const MaxIDWork = 40

// idWorkWords begin what is hashed, so that no other hash of an ID is worth anything here.
const idWorkWords = "tidings id work\n"

// Work returns how much work an ID has cost, in bits: with how many zero bits a hash of it begins. A node chooses no
// ID: that is the hash of its public key. So one with so many bits costs about 2^bits keys, and one at a certain place
// of the ring as well so many times more. It is the static puzzle of Baumgart and Mies, "S/Kademlia: A practicable
// approach towards secure key-based routing" (ICPADS 2007), section 4.1. Anybody can check it by the ID alone, in less
// than a microsecond.
func (a ID) Work() int {
	sum := sha256.Sum256(append([]byte(idWorkWords), a[:]...))
	return bits.LeadingZeros64(binary.BigEndian.Uint64(sum[:]))
}

// Admitter is an Env of a network whose IDs cost work. It gives protocols nothing from nodes whose IDs are not
// admissible, and sends nothing to them; [Keys] holds nothing for signed by them.
type Admitter interface {
	// Admissible reports whether an ID has the work that the network asks for.
	Admissible(ID) bool
}

// Admissible reports whether a node with that ID can be in the network that env is of.
func Admissible(env Env, id ID) bool {
	a, ok := env.(Admitter)
	return !ok || a.Admissible(id)
}

// PrefixOf returns in which part of the network an address is; empty where nothing is known of that. See Prefixer.
func PrefixOf(env Env, a Address) string {
	if p, ok := env.(Prefixer); ok {
		return p.Prefix(a)
	}
	return ""
}
