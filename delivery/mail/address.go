package mail

import (
	"net/mail"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"tidings"
)

// Scheme begins the URL of a target.
const Scheme = "mailto:"

// Bounds on an address, in bytes (RFC 5321, section 4.5.3.1).
const (
	maxLocal   = 64
	maxDomain  = 253
	maxAddress = 254
)

// Address returns the address of a target's URL, mailto:SOMEONE@DOMAIN (RFC 6068, without header fields). The domain is
// in lower case and in ASCII. The error is tidings.ErrInvalid, and says what to enter instead.
func Address(target string) (string, error) {
	text, found := cutScheme(target)
	if !found {
		return "", tidings.Invalidf("the URL is not that of a mail address: give mailto:you@example.org")
	}
	if strings.ContainsAny(text, "?#") {
		return "", tidings.Invalidf("the URL has more than an address: leave out what follows it")
	}
	address, err := url.PathUnescape(text)
	if err != nil {
		return "", tidings.Invalidf("the mail address has a %% that cannot be read: write the address as it is")
	}
	return parseAddress(address)
}

func cutScheme(target string) (string, bool) {
	if len(target) < len(Scheme) || !strings.EqualFold(target[:len(Scheme)], Scheme) {
		return "", false
	}
	return target[len(Scheme):], true
}

// parseAddress checks one bare address: LOCAL@DOMAIN, the local part of ASCII characters without quotes.
func parseAddress(address string) (string, error) {
	at := strings.LastIndexByte(address, '@')
	if at < 1 || !utf8.ValidString(address) {
		return "", tidings.Invalidf("%s is no mail address: give one such as you@example.org", tidings.Quote(address))
	}
	local, name := address[:at], address[at+1:]
	domain, err := idna.Lookup.ToASCII(name)
	switch {
	case len(local) > maxLocal || len(domain) > maxDomain || len(local)+1+len(domain) > maxAddress:
		return "", tidings.Invalidf("the mail address is too long: give one of at most %d characters", maxAddress)
	case err != nil, !isDomain(domain):
		return "", tidings.Invalidf("%s is no domain of a mail address: give one such as you@example.org",
			tidings.Quote(name))
	case !isLocal(local):
		return "", tidings.Invalidf("%s is no mail address that this node can send to: "+
			"letters, digits, dots and some signs can stand before the @", tidings.Quote(address))
	}
	return local + "@" + domain, nil
}

// isDomain reports whether a domain is a host name of at least two labels, the last of which is no number. An address
// literal is none, nor is the name of a machine at home.
func isDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(labels) < 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		for _, c := range []byte(l) {
			if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
				return false
			}
		}
	}
	return true
}

// isLocal reports whether a local part is a dot-atom (RFC 5322, section 3.2.3).
func isLocal(local string) bool {
	for part := range strings.SplitSeq(local, ".") {
		if part == "" {
			return false
		}
		for _, c := range []byte(part) {
			letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
			if !letter && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
				return false
			}
		}
	}
	return true
}

// sender is what stands in From.
type sender struct {
	name, address, domain string
}

// parseSender reads an address with or without a name, as in "News <news@example.org>".
func parseSender(text string) (s sender, err error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return s, tidings.Invalidf("%s is no mail address: give one such as news@example.org", tidings.Quote(text))
	}
	if s.address, err = parseAddress(parsed.Address); err != nil {
		return s, err
	}
	s.name, s.domain = parsed.Name, s.address[strings.LastIndexByte(s.address, '@')+1:]
	if s.name == "" {
		s.name = "Tidings"
	}
	return s, nil
}
