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

	// Poster is the role in which a program enters with a token for posting: it puts items into one channel of the
	// token's owner, and neither reads nor changes anything else. No account has it.
	Poster Role = "poster"

	// Subscriber is the role of an account that stands for an outside address, such as that of a chat, or for the
	// subscribers of a hub. It follows channels and is sent their updates. Nobody can sign in as one. It is not counted
	// or listed among people. Its name has a colon, which no person's can have.
	Subscriber Role = "subscriber"
)

// Person is a user of a node. Each has subscriptions, folders, read and starred items, sessions, tokens
// and feeds of his or her own, and sees nothing of the others'.
type Person struct {
	ID      AccountID `json:"-"`
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Owner   bool      `json:"owner,omitempty"`  // the first, an administrator for ever: commands on the node's machine are this person's
	Created time.Time `json:"created,omitzero"` // zero of the owner
	Posts   string    `json:"-"`                // of a Poster: the name of the channel
}

// Bounds on people.
const (
	MaxPersonName = 64   // characters
	MaxPeople     = 1000 // of a node

	MaxSubscribers    = 10_000 // accounts of role Subscriber of a node
	MaxSubscriberName = 3100   // bytes: the largest address of XMPP (RFC 7622, section 3.1), and what stands before it
)

// Bounds on passkeys.
const (
	MaxPasskeys         = 20   // of a person
	MaxPasskeyName      = 80   // bytes
	MaxPasskeyID        = 1023 // bytes of a credential's ID (WebAuthn, section 5.8.3)
	MaxPasskeyPublicKey = 2048 // bytes of a credential's public key
)

// ParseRole returns a role by its name.
func ParseRole(text string) (Role, error) {
	switch r := Role(strings.ToLower(text)); r {
	case Reader, Administrator:
		return r, nil
	}
	return "", Invalidf("%s is neither reader nor administrator", Quote(text))
}

// ValidatePersonName reports why a person cannot have a name: 1 to 64 of the letters a to z, large or small, digits,
// and the characters . _ - @, of which the first is a letter or a digit. All are ASCII: so no two names look alike, and
// case is the same everywhere.
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

// ProviderUser is a user of an OpenID Connect provider that has signed in there, with what the node's settings make of
// that.
type ProviderUser struct {
	Issuer  string // URL of the provider
	Subject string // the user's identifier at the provider, at most MaxSubject bytes; it never changes, and is never used twice

	// Names are those by which an account may be found or made at the first sign-in, the preferred one first; all are
	// valid.
	Names []string

	Role Role // that the provider gives; "": the person keeps the present one. The owner always keeps it.

	Owner      bool   // the settings say that this user is the owner
	TrustNames bool   // a name is enough for an account that has been used already, though never for the owner's
	Create     bool   // a reader is made where no account has one of Names
	NoPassword string // hash of no password, for the reader that is made
}

// MaxSubject bounds the identifier of a user at a provider, in bytes (OpenID Connect Core 1.0, section 2).
const MaxSubject = 255

// SessionIDBytes is how many bytes of the hash of a session's secret name it to its person. Nothing can be done with
// them but to end it.
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

// Passkey is a credential of the Web Authentication API (W3C WebAuthn, level 3) by which a person signs in without a
// password.
type Passkey struct {
	ID      int64     `json:"id"`
	Name    string    `json:"name"`
	Host    string    `json:"host"` // the host name at which it works: its relying party ID
	Created time.Time `json:"created"`
	Used    time.Time `json:"used,omitzero"` // zero: never

	Credential PasskeyCredential `json:"-"`
}

// PasskeyCredential is what signatures of a passkey are checked with.
type PasskeyCredential struct {
	Account   AccountID
	ID        []byte // chosen by the authenticator, at most MaxPasskeyID
	PublicKey []byte // COSE_Key (RFC 9052), at most MaxPasskeyPublicKey
	Counter   uint32 // signatures that the authenticator counted; 0: it counts none
	Copied    bool   // it may be copied between devices: the flag "backup eligible", which never changes
}
