package tidings

import (
	"encoding/hex"
	"strings"
	"time"
)

// Role says what a person may do at a node.
type Role string

const (
	Reader        Role = "reader"        // follows and reads, and decides about nothing that others notice
	Administrator Role = "administrator" // decides about the node, too
)

// Person is a user of a node. Each has subscriptions, folders, read and starred items, sessions and tokens
// of his or her own, and sees nothing of the others'.
type Person struct {
	ID      AccountID `json:"-"`
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Owner   bool      `json:"owner,omitempty"`  // the first, who is an administrator for ever: commands on the node's machine are his or hers
	Created time.Time `json:"created,omitzero"` // zero of the owner
}

// Bounds on people.
const (
	MaxPersonName = 64   // characters
	MaxPeople     = 1000 // of a node
)

// ParseRole returns a role by its name.
func ParseRole(text string) (Role, error) {
	switch r := Role(strings.ToLower(text)); r {
	case Reader, Administrator:
		return r, nil
	}
	return "", Invalidf("%s is neither reader nor administrator", Quote(text))
}

// ValidatePersonName reports why a person cannot have a name: 1 to 64 of the letters a to z, large or small, digits, and
// the characters . _ - @, of which the first is a letter or a digit. All are ASCII: so no two names look alike, and case
// is the same everywhere.
func ValidatePersonName(name string) error {
	if name == "" || len(name) > MaxPersonName {
		return Invalidf("a name has 1 to %d characters", MaxPersonName)
	}
	for i := range len(name) {
		c := name[i]
		alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alphanumeric && (i == 0 || !strings.ContainsRune("._-@", rune(c))) {
			return Invalidf("the name %s cannot be: names are made of letters a to z, digits, and . _ - @, and begin with a letter or a digit", Quote(name))
		}
	}
	return nil
}

// SessionIDBytes is how many bytes of the hash of a session's secret name it to its person. Nothing can be done with them
// but to end it.
const SessionIDBytes = 8

// SessionID returns the ID of the session whose secret has a hash.
func SessionID(secretHash [32]byte) string { return hex.EncodeToString(secretHash[:SessionIDBytes]) }

// Session is one browser in which a person is signed in.
type Session struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created,omitzero"` // zero where that was not kept
	Used    time.Time `json:"used,omitzero"`    // to the day
	Expires time.Time `json:"expires"`
	Browser string    `json:"browser,omitempty"` // as it calls itself
	This    bool      `json:"this,omitempty"`    // it is the one that the list was asked for with
}
