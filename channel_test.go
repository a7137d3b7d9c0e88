package tidings_test

import (
	"strings"
	"testing"

	"tidings"
)

// A person's own channel has an address and an ID that its public address and a secret determine, and nothing else.
func TestOwnURL(t *testing.T) {
	const public = "https://a.example/feed?x=1"
	own := tidings.OwnURL(public, []byte("secret"))
	if own == tidings.OwnURL(public, []byte("other")) || own == tidings.OwnURL(public+"2", []byte("secret")) ||
		own != tidings.OwnURL(public, []byte("secret")) {
		t.Errorf("own is %s", own)
	}
	if tidings.PublicURL(own) != public || !tidings.IsOwnURL(own) || tidings.IDOf(own) == tidings.IDOf(public) {
		t.Errorf("%s is of %s", own, tidings.PublicURL(own))
	}
	if origin := (tidings.Channel{URL: own}).Origin(); origin != public {
		t.Errorf("it is fetched at %s", origin)
	}
	digits := own[len(own)-32:]
	for _, other := range []string{
		"", public, own[:len(own)-1], own + "0", public + "#" + digits, public + "#~" + strings.ToUpper(digits[:31]) +
			"G", "#~" + digits, "query:x#~" + digits,
	} {
		if tidings.IsOwnURL(other) || tidings.PublicURL(other) != other {
			t.Errorf("%q is taken for somebody's own", other)
		}
	}
}
