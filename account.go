package tidings

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"
)

// AccountID names an account on this node. The first, Owner, always exists.
type AccountID int64

// Owner is the account of the person that runs the node: the one account of a new node, and
// the one that speaks through the socket in the data directory.
const Owner AccountID = 1

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
	ID   AccountID `json:"-"`
	Name string    `json:"name"`
	Role Role      `json:"role"`
	// the first, an administrator for ever: commands on the node's machine are this person's
	Owner   bool      `json:"owner,omitempty"`
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
			return Invalidf(
				"the name %s cannot be: names are made of letters a to z, digits, and . _ - @, and begin with a letter or a digit", Quote(name))
		}
	}
	return nil
}

// ProviderUser is a user of an OpenID Connect provider that has signed in there, with what the node's settings make of
// that.
type ProviderUser struct {
	Issuer string // URL of the provider
	// the user's identifier at the provider, at most MaxSubject bytes; it never changes, and is never used twice
	Subject string

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

// Token is an app password: a program or a feed reader uses it in an account's name. Its secret is shown once and not
// kept.
type Token struct {
	ID        int64  `json:"id"`
	Label     string `json:"label"`
	FeverUser string `json:"fever_user,omitempty"` // the user name that it is for, by the Fever API alone
	// the name of the channel to which it posts items, which is all that it is for
	Posts    string    `json:"posts,omitempty"`
	Created  time.Time `json:"created"`
	LastUsed time.Time `json:"last_used,omitzero"`
}

// A Preference is something about the page that each person chooses, by its name.
type Preference string

// The preferences of a person, whatever is read.
const (
	PreferTheme    Preference = "theme"
	PreferText     Preference = "text"  // how large text is
	PreferWidth    Preference = "width" // how long lines of articles are
	PreferPictures Preference = "pictures"
	PreferKeys     Preference = "keys" // whether single keys are shortcuts
	PreferLanguage Preference = "language"
)

// The preferences of lists of items, which each view may have of its own.
const (
	PreferDensity Preference = "density"
	PreferSort    Preference = "sort"
	PreferFirst   Preference = "first"
	PreferItems   Preference = "items"
	PreferScroll  Preference = "scroll" // what scrolling past an item does
)

// choices are the values of each preference. The first is the default.
var choices = map[Preference][]string{
	PreferTheme:    {"auto", "light", "dark"},
	PreferText:     {"normal", "small", "large", "larger"},
	PreferWidth:    {"normal", "narrow", "wide"},
	PreferPictures: {"on", "off"},
	PreferKeys:     {"on", "off"},
	PreferLanguage: {"auto"}, // as the browser asks; or the tag of a language

	PreferDensity: {"roomy", "compact"},
	PreferSort:    {"date", "arrival"},
	PreferFirst:   {"newest", "oldest"},
	PreferItems:   {"all", "unread"},
	PreferScroll:  {"keep", "read"},
}

// PersonPreferences and ListPreferences are the names of all preferences.
var (
	PersonPreferences = []Preference{PreferTheme, PreferText, PreferWidth, PreferPictures, PreferKeys, PreferLanguage}
	ListPreferences   = []Preference{PreferDensity, PreferSort, PreferFirst, PreferItems, PreferScroll}
)

// languageTag is the form of a BCP 47 tag, as far as languages of pages have one: "de", "pt-BR".
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)

// Choices returns the values that a preference can have; nil: there is no such preference.
func (p Preference) Choices() []string { return slices.Clone(choices[p]) }

// OfLists reports whether each view may have a value of its own.
func (p Preference) OfLists() bool { return slices.Contains(ListPreferences, p) }

// View names a list of items for which a person may have preferences. The zero value is all of them.
type View string

// The views that always are. Those of one folder, tag or channel are made by ViewOf.
const (
	EveryView   View = ""
	RiverView   View = "river"
	UnreadView  View = "unread"
	StarredView View = "starred"
)

// The kinds of views of which there are many. The kind alone is the View of all of that kind.
const (
	FolderKind  = "folder"
	TagKind     = "tag"
	ChannelKind = "channel"
)

// maxView bounds the name of a view, in bytes.
const maxView = 8 << 10

// ViewOf returns the view of one folder, by its path, of one tag, or of one channel, by its URL.
func ViewOf(kind, name string) View {
	if kind == FolderKind {
		name = CleanFolder(name)
	}
	return View(kind + "/" + name)
}

// kind returns the view of all views of the same kind.
func (v View) kind() View {
	kind, _, _ := strings.Cut(string(v), "/")
	return View(kind)
}

// Validate reports what is no view.
func (v View) Validate() error {
	switch v {
	case EveryView, RiverView, UnreadView, StarredView, FolderKind, TagKind, ChannelKind:
		return nil
	}
	kind, name, _ := strings.Cut(string(v), "/")
	if name == "" || len(v) > maxView || kind != FolderKind && kind != TagKind && kind != ChannelKind {
		return Invalidf("there is no view %q", Quote(string(v)))
	}
	return nil
}

// Preferences are what one person has chosen, by view. What is not of lists is under EveryView.
type Preferences map[View]map[Preference]string

// Of returns the value of a preference in a view: the one chosen for it, for its kind, for all, or the first there is.
func (p Preferences) Of(v View, name Preference) string {
	for _, at := range []View{v, v.kind(), EveryView} {
		if value, ok := p[at][name]; ok {
			return value
		}
	}
	if all := choices[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

// Is reports whether a preference has a value in a view.
func (p Preferences) Is(v View, name Preference, value string) bool { return p.Of(v, name) == value }

// ValidatePreferences reports what of a person's choices for a view cannot be.
func ValidatePreferences(v View, chosen map[Preference]string) error {
	if err := v.Validate(); err != nil {
		return err
	}
	for name, value := range chosen {
		switch {
		case choices[name] == nil:
			return Invalidf("there is no preference %q", Quote(string(name)))
		case name == PreferLanguage && languageTag.MatchString(value):
		case !slices.Contains(choices[name], value):
			return Invalidf("%s is one of %s, and not %q", name, strings.Join(choices[name], ", "), Quote(value))
		case v != EveryView && !name.OfLists():
			return Invalidf("%s is not chosen by view", name)
		}
	}
	return nil
}
