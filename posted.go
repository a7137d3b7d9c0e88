package tidings

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
)

// A channel of items that a person's programs post is of KindPosted. Nobody else can follow it.
const postedScheme = "posted:"

// Bounds on posting.
const (
	MaxPostedName  = 100  // bytes of the name of a channel
	MaxPostedItems = 100  // of one order
	MaxPosted      = 1000 // channels of KindPosted, of all people of a node together
)

// PostedURL returns the URL of the channel of a name to which a person with a secret has items posted. Nobody else can
// make out whose it is.
func PostedURL(name string, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(postedScheme + name))
	return postedScheme + url.PathEscape(name) + "~" + hex.EncodeToString(mac.Sum(nil)[:ownDigits/2])
}

// CleanPostedName returns a name for a channel of posted items without blanks around it; ErrInvalid if no channel can
// have it.
func CleanPostedName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > MaxPostedName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", WithHint(Invalidf("a channel of posted items has a name of 1 to %d bytes without control characters", MaxPostedName),
			`name it in "channel", as in {"channel": "Backups", "items": [{"title": "Done"}]}`)
	}
	return name, nil
}

// PostOrder asks that items be put into a channel of a person's own.
type PostOrder struct {
	Channel string           `json:"channel"` // its name, which is its title, too; a token for posting may leave it out
	Items   []PublishedEntry `json:"items"`   // 1 to MaxPostedItems. One without an id has that of its URL, or of its text
}

// PostResult says what became of posted items.
type PostResult struct {
	Channel string `json:"channel"` // URL
	New     int    `json:"new"`
	Changed int    `json:"changed"` // those that were there, and said something else
}
