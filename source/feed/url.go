package feed

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"tidings"
	"tidings/markup"
)

// MaxURL is the length in bytes of the longest address that can be a channel's.
const MaxURL = 4096

// Canonical returns the canonical form of a channel's address, which is its identity: scheme and host in lower case,
// the host in ASCII (punycode) and without a final dot, no default port, no dot segments, no fragment, "/" for an empty
// path, no unnecessary escapes, and capital letters in the necessary ones (RFC 3986, section 6.2.2 and 6.2.3). An
// address without a scheme is read as https, feed: and its kin as the http or https they stand for. Canonical is
// idempotent.
//
// It refuses, with tidings.ErrInvalid, an address that is not http or https, is longer than MaxURL, or carries a user
// name or password: callers split those off before.
func Canonical(raw string) (string, error) {
	canonical, err := canonical(raw)
	if err != nil {
		return "", fmt.Errorf("the address %q cannot be used: %w", cutText(redact(raw), 200), err)
	}
	return canonical, nil
}

func canonical(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > MaxURL {
		return "", tidings.Invalidf("it is too long")
	}
	u, err := url.Parse(repairURL(withScheme(raw)))
	if err != nil {
		return "", tidings.Invalidf("it is not written like one, such as https://example.org/feed")
	}
	if u.User != nil {
		return "", tidings.Invalidf("it carries a user name or password")
	}
	if err := normalize(u); err != nil {
		return "", err
	}
	u.Fragment, u.RawFragment = "", ""
	s := u.String()
	if len(s) > MaxURL {
		return "", tidings.Invalidf("it is too long")
	}
	return s, nil
}

// withScheme turns the ways in which people and pages write feed addresses into URLs.
func withScheme(s string) string {
	for _, scheme := range []string{"feed:", "itpc:", "pcast:", "podcast:", "rss:"} {
		rest, ok := cutPrefixFold(s, scheme)
		if !ok {
			continue
		}
		if _, ok := cutPrefixFold(rest, "http"); ok {
			s = rest
		} else {
			s = "http:" + "//" + strings.TrimLeft(rest, "/")
		}
		break
	}
	switch {
	case strings.HasPrefix(s, "//"):
		return "https:" + s
	case !hasScheme(s):
		return "https://" + s
	}
	return s
}

// hasScheme reports whether s starts with a scheme rather than with a host and port.
func hasScheme(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || strings.ContainsAny(scheme, "./?#[@ ") || scheme == "" {
		return false
	}
	return !(len(rest) > 0 && isDigit(rest[0]))
}

// normalize makes an address of http or https uniform, and refuses every other.
func normalize(u *url.URL) error {
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme != "http" && u.Scheme != "https" {
		return tidings.Invalidf("it is neither http nor https")
	}
	if u.Opaque != "" {
		return tidings.Invalidf("it names no host")
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return err
	}
	port, err := canonicalPort(u)
	if err != nil {
		return err
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	u.Host = host
	u.ForceQuery = false
	u.RawQuery = uniformEscapes(u.RawQuery, badInQuery)
	cleanPath(u)
	return nil
}

// canonicalPort returns an address's port without leading zeros; "" for the one that its scheme has by itself.
func canonicalPort(u *url.URL) (string, error) {
	if u.Port() == "" {
		return "", nil
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case err != nil:
		return "", tidings.Invalidf("its port is not valid")
	case n == 80 && u.Scheme == "http", n == 443 && u.Scheme == "https":
		return "", nil
	}
	return strconv.FormatUint(n, 10), nil
}

// asciiHost returns a host in lower-case ASCII, without the final dot that a whole name may have. Several are none's.
func asciiHost(host string) (string, error) {
	host = strings.TrimSuffix(host, ".")
	if strings.HasSuffix(host, ".") {
		return "", tidings.Invalidf("its host is not valid")
	}
	if host == "" {
		return "", tidings.Invalidf("it names no host")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return "", tidings.Invalidf("its host is not valid")
		}
		return ip.String(), nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		// Underscores and the like, which names in use have: only ASCII then.
		for i := 0; i < len(host); i++ {
			if c := host[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '.' && c != '_' {
				return "", tidings.Invalidf("its host is not valid")
			}
		}
		ascii = strings.ToLower(host)
	}
	ascii = strings.TrimSuffix(ascii, ".")
	if ascii == "" || len(ascii) > 253 || strings.Contains(ascii, "..") || ascii[0] == '.' ||
		ascii[len(ascii)-1] == '.' {
		return "", tidings.Invalidf("its host is not valid")
	}
	return ascii, nil
}

// removeDots removes "." and ".." segments as RFC 3986, section 5.2.4, but keeps
// doubled slashes.
func removeDots(p string) string {
	var out []string
	segments := strings.Split(p, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	if joined := strings.Join(out, "/"); joined != "" {
		return joined
	}
	return "/"
}

// repairURL makes an address that people can read one that url.Parse can: blanks and
// line ends within go or are escaped, as is "%" that starts no escape.
func repairURL(s string) string {
	bad := false
	for i := 0; i < len(s) && !bad; i++ {
		c := s[i]
		bad = c <= ' ' || c == '%' && !isEscape(s[i:]) || c == 0x7f || c == '\\'
	}
	if !bad {
		return s
	}
	var b strings.Builder
	slashes := strings.IndexAny(s, "?#")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' || c == '\r' || c == '\t' || c < ' ' || c == 0x7f:
		case c == ' ':
			b.WriteString("%20")
		case c == '%' && !isEscape(s[i:]):
			b.WriteString("%25")
		case c == '\\' && (slashes < 0 || i < slashes):
			b.WriteByte('/')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// redact hides a password in an address that is about to be shown.
func redact(s string) string {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	start := strings.Index(s, "://")
	if start < 0 || start > at {
		return s[at+1:]
	}
	return s[:start+3] + s[at+1:]
}

// resolve returns an address relative to base; what cannot be resolved gives base.
func resolve(base, ref string) string {
	if ref == "" {
		return base
	}
	r, err := url.Parse(repairURL(ref))
	if err != nil {
		return base
	}
	if base == "" {
		return r.String()
	}
	b, err := url.Parse(base)
	if err != nil {
		return r.String()
	}
	return b.ResolveReference(r).String()
}

// itemLink makes of a published link one that may be followed: absolute, http or
// https, uniform, without user name and password, fragment kept; "" if it cannot.
func itemLink(base, ref string, limit int) string {
	return linkUnder(parseBase(base), ref, limit)
}

// linkUnder is itemLink for a base that has been read.
func linkUnder(base *url.URL, ref string, limit int) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || len(ref) > limit {
		return ""
	}
	u, err := url.Parse(repairURL(ref))
	if err != nil {
		return ""
	}
	if !u.IsAbs() {
		if !base.IsAbs() {
			return ""
		}
		u = base.ResolveReference(u)
	}
	if normalize(u) != nil {
		return ""
	}
	u.User = nil
	if s := u.String(); len(s) <= limit {
		return s
	}
	return ""
}

// linkKey is a link without what changes from fetch to fetch and says nothing of the
// item: scheme, "www.", tracking parameters, session ids, a final slash.
func linkKey(link string) string {
	_, rest, ok := strings.Cut(link, "://")
	if !ok {
		return link
	}
	path, tail := splitTail(strings.TrimPrefix(rest, "www."), isTracking)
	return strings.TrimSuffix(path, "/") + tail
}

// guidKey is a guid as it is compared. If it is an address of the web, the scheme and parameters that only count
// readers are left out: they come and go while the guid is meant to stay. "www." and a final slash stay: there are
// feeds whose guids differ in these alone.
func guidKey(guid string) string {
	scheme, rest, ok := strings.Cut(guid, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return guid
	}
	host := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = i
	}
	path, tail := splitTail(rest[host:], markup.IsCounting)
	return strings.ToLower(rest[:host]) + path + tail
}

// splitTail splits what follows the host of an address. The path is without a session's id. The query and fragment are
// without the parameters that are noise.
func splitTail(rest string, noise func(param string) bool) (path, tail string) {
	path, fragment, _ := strings.Cut(rest, "#")
	path, query, _ := strings.Cut(path, "?")
	if i := strings.Index(strings.ToLower(path), ";jsessionid="); i >= 0 {
		path = path[:i]
	}
	if kept := markup.KeptParams(query, noise); kept != "" {
		tail = "?" + kept
	}
	if fragment != "" && !noise(fragment) {
		tail += "#" + fragment
	}
	return path, tail
}

// isTracking reports whether a parameter says where a reader came from, not where the link leads.
func isTracking(param string) bool {
	name := paramName(param)
	return markup.IsCounting(param) || tracking[name]
}

func paramName(param string) string {
	name, _, _ := strings.Cut(param, "=")
	return strings.ToLower(name)
}

var (
	tracking = set(`igsh ref_src ref_url xtor at_medium at_campaign
	ns_mchannel ns_source ns_campaign ns_linkname wt.mc_id cmpid s_cid sfnsn spm scm
	sessionid session_id sid cftoken cfid zenid`)
)

// extension returns the lower-case extension of an address's path.
func extension(u *url.URL) string { return strings.ToLower(path.Ext(u.Path)) }
