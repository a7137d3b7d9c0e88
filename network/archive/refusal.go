package archive

// Refusal says why a node does not accept an item.
type Refusal uint8

// The refusals.
const (
	Accepted  Refusal = iota // it is accepted
	TooLong                  // or empty
	Unowned                  // the node is none of the item's owners
	False                    // the Verifier does not accept it
	Full                     // there is no room for what lies so far from the node
	TopicFull                // the same, of the topic's share
	Busy                     // too much is under way
	Broken                   // the store has failed
)

// lasting reports whether there is no use in asking the same node again.
func (r Refusal) lasting() bool { return r == TooLong || r == False || r == Full || r == TopicFull }

func (r Refusal) String() string {
	switch r {
	case Accepted:
		return "taken"
	case TooLong:
		return "it is empty, or longer than an item may be"
	case Unowned:
		return "another node keeps such items"
	case False:
		return "it is not genuine"
	case Full:
		return "there is no room"
	case TopicFull:
		return "there is no room for more of this topic"
	case Busy:
		return "too much is under way"
	case Broken:
		return "the store has failed"
	}
	return "it was refused"
}
