package fetch

import (
	"net/url"
	"slices"
	"strings"

	"tidings"
	"tidings/egress"
)

// Classify gives an address its privacy class, from its form alone and before it is fetched. When in doubt it is
// unlisted: a disclosed secret stays disclosed, and a person can open a channel by hand. In a lab, private addresses
// count as public ones.
func Classify(raw string, lab bool) tidings.Privacy {
	u, err := url.Parse(raw)
	if err != nil {
		return tidings.Unlisted
	}
	if u.User != nil {
		return tidings.Credentialed
	}
	host, err := asciiHost(u.Hostname())
	if err != nil || privateHost(host) && !lab {
		return tidings.Unlisted
	}
	known := knownPublic(host, u.Path)
	if !known && slices.ContainsFunc(strings.Split(u.Path, "/"), secretPart) {
		return tidings.Unlisted
	}
	if secretQuery(u.RawQuery, known) {
		return tidings.Unlisted
	}
	return tidings.Public
}

// privateSuffixes end the names that only a private network resolves (RFC 6761, 6762,
// 8375, 9476 and custom), or that only an overlay reaches.
var privateSuffixes = []string{
	".localhost", ".local", ".lan", ".internal", ".intranet", ".home", ".home.arpa",
	".corp", ".private", ".localdomain", ".test", ".alt", ".onion", ".i2p",
}

// privateName reports whether a host name, in lower case, belongs to a private network.
// A name without a dot is resolved by the local search list.
func privateName(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc(privateSuffixes, func(suffix string) bool {
		return strings.HasSuffix(host, suffix)
	})
}

func privateHost(host string) bool {
	if ip := literal(host); ip.IsValid() {
		return !egress.IsPublic(ip)
	}
	return privateName(host)
}

// publicPlaces are where long random-looking names are what everybody links to: the
// identifiers of channels, shows and commits. A host stands for its subdomains too.
var publicPlaces = []struct{ host, path string }{
	{"youtube.com", "/"},
	{"youtu.be", "/"},
	{"github.com", "/"},
	{"raw.githubusercontent.com", "/"},
	{"omnycontent.com", "/d/"},
	{"feeds.acast.com", "/public/"},
	{"feeds.redcircle.com", "/"},
	{"feeds.captivate.fm", "/"},
	{"feeds.simplecast.com", "/"},
	{"feeds.megaphone.fm", "/"},
	{"bsky.app", "/profile/"},
	{"open.spotify.com", "/show/"},
	{"archive.org", "/"},
}

// knownPublic reports whether random-looking names are public there. Words for secrets
// in the query are believed even so.
func knownPublic(host, path string) bool {
	for _, p := range publicPlaces {
		if (host == p.host || strings.HasSuffix(host, "."+p.host)) && strings.HasPrefix(path, p.path) {
			return true
		}
	}
	return false
}

// secretQuery reports whether a query names a secret or has a value that looks like one.
func secretQuery(query string, knownPublic bool) bool {
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		if value, err := url.QueryUnescape(value); err == nil && value != "" {
			if secretName(name) || !knownPublic && secretPart(value) {
				return true
			}
		}
		if value == "" && !knownPublic && secretPart(name) { // "?SECRET"
			return true
		}
	}
	return false
}

// secretWords are parts of names of what only one reader is meant to have.
var secretWords = []string{
	"token", "key", "secret", "auth", "sig", "signature", "hmac", "jwt", "password", "passwd", "pwd", "pass",
	"apikey", "accesskey", "authkey", "passkey", "rsskey", "feedkey", "userkey", "apitoken", "authtoken",
	"accesstoken", "rsstoken", "feedtoken", "usertoken", "session", "sessionid", "sid", "phpsessid",
	"credential", "credentials", "authorization",
}

// secretName reports whether one of a name's words, as in "feed_token" or "X-Amz-Signature",
// is one for a secret.
func secretName(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == '_' || r == '-' || r == '.' || r == '[' || r == ']'
	})
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(secretWords, word) })
}

// secretPart reports whether a segment of a path, or a value of a query, looks like a
// secret: it names itself one ("secret:abc", "private-abc"), or is long and random.
func secretPart(part string) bool {
	if name, value, ok := strings.Cut(part, ":"); ok && value != "" && secretName(name) {
		return true
	}
	if name, value, ok := strings.Cut(part, "="); ok && value != "" && secretName(name) {
		return true
	}
	return random(part)
}
