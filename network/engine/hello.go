package engine

import "fmt"

// Version is a version of what nodes say to each other. It rises when an older node would
// misunderstand a newer one; new kinds of messages and new fields alone need none, because
// both are skipped where they are unknown.
type Version uint16

// The versions that this program speaks.
const (
	OldestVersion Version = 1
	NewestVersion Version = 1
)

// Hello opens every stream, in both directions, before anything else is said there. Who
// receives it answers nothing; it negotiates (see Negotiate) and from then on speaks the
// version that both sides find, or ends the connection.
type Hello struct {
	// Oldest and Newest bound the versions that the sender speaks, both included.
	Oldest Version `cbor:"1,keyasint"`
	Newest Version `cbor:"2,keyasint"`

	// Program is the sender's name and version for people, such as "tidings 0.4.1".
	// Nothing is decided by it.
	Program string `cbor:"3,keyasint" max:"64"`

	// Incarnation is drawn at random when the node starts. Two incarnations of one ID
	// that both go on speaking are two nodes with the same key: a data directory was
	// copied.
	Incarnation uint64 `cbor:"4,keyasint"`

	// IDWork is how many bits of work the sender asks of the IDs in its network (see ID.Work). Nodes
	// that ask for different work are of two networks.
	IDWork uint8 `cbor:"5,keyasint"`
}

// Kind returns the number of Hello. It is clear of the tags below 16, which CBOR itself
// and its libraries give a meaning to.
func (*Hello) Kind() Kind { return KindOf(Transport, 0x10) }

// TransportVocabulary is what the transport itself says.
var TransportVocabulary = Vocabulary{
	Protocol: Transport, Name: "transport",
	Messages: []MessageType{{new(Hello), Control}},
}

// NewHello returns the Hello of this program, as the named program, in an incarnation.
func NewHello(program string, incarnation uint64) *Hello {
	return &Hello{Oldest: OldestVersion, Newest: NewestVersion, Program: program, Incarnation: incarnation}
}

// Negotiate returns the newest version that both sides speak. Both find the same. The error
// says in words for people why there is none.
func (h *Hello) Negotiate(other *Hello) (Version, error) {
	switch {
	case other.Oldest == 0 || other.Oldest > other.Newest:
		return 0, fmt.Errorf("%w: the other node says that it speaks versions %d to %d", ErrMalformed, other.Oldest,
			other.Newest)
	case other.Oldest > h.Newest:
		return 0, fmt.Errorf("the other node (%q) speaks versions from %d on, this one up to %d: update this node",
			other.Program, other.Oldest, h.Newest)
	case other.Newest < h.Oldest:
		return 0, fmt.Errorf(
			"the other node (%q) speaks versions up to %d, this one from %d on: the other node needs an update",
			other.Program, other.Newest, h.Oldest)
	}
	return min(h.Newest, other.Newest), nil
}
