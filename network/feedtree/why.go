package feedtree

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"tidings/network/engine"
)

// Why is what is wrong with something that a publisher is said to have signed. It is an error as
// well.
type Why uint8

// What can be wrong. A node that passes on what is false in itself is at fault, as every node looks;
// see false.
const (
	Genuine    Why = iota // nothing is
	Oversized             // longer than MaxEntry
	Malformed             // no publisher would write it
	WrongKey              // the key is not that of the topic
	Forged                // the signature is not the key's, of these words
	Early                 // dated ahead of the calendar
	Replayed              // an old one, once more
	Disordered            // its time goes back as the number rises, or the reverse
	Doubled               // another item has the number
	Void                  // the key was revoked
	Unpinned              // the key is not the one that is followed, though it fits the topic
	Struck                // from a node that is not listened to
	whys       = iota
)

var whyTexts = [whys]string{
	"genuine", "oversized", "malformed", "wrong key", "forged", "dated ahead", "replayed",
	"out of order", "doubled", "key revoked", "not the pinned key", "from a liar",
}

// String returns the reason in a short phrase.
func (w Why) String() string {
	if int(w) < len(whyTexts) {
		return whyTexts[w]
	}
	return fmt.Sprintf("why %d", uint8(w))
}

// Error returns what String does.
func (w Why) Error() string { return "not a publisher's word: " + w.String() }

// false reports whether no honest node passes such a thing on.
func (w Why) false() bool { return Oversized <= w && w <= Forged }

// clockUnset is a calendar before 2025: it has not been set, and nothing is ahead of it.
const clockUnset = 1735689600

// looks returns what is visibly wrong with a statement. It does no arithmetic on curves, which needs a hundred times as
// long.
func (s *statement) looks(topic engine.ID, now time.Time, ahead time.Duration) Why {
	switch {
	case s.tooLong:
		return Oversized
	case s.time <= 0, s.item && s.number == 0, len(s.signature) != ed25519.SignatureSize:
		return Malformed
	case s.number > uint64(s.time): // more than one in a millisecond since 1970: no count of items
		return Malformed
	case !s.key.belongs(topic):
		return WrongKey
	case now.Unix() >= clockUnset && s.time > now.Add(ahead).UnixMilli():
		return Early
	}
	return Genuine
}
