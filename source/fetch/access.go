package fetch

import (
	"cmp"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"tidings"
)

// Bounds on what a channel's origin is sent of its own.
const (
	maxAccessFields = 20      // headers and cookies
	maxAccessBytes  = 8 << 10 // of headers and cookies together
	maxProxy        = 2 << 10 // bytes of a proxy's URL
	maxProxySecret  = 255     // bytes of a proxy's user name, and of its password (RFC 1929)
)

// ownHeaders are those that the client sets, or that are about a connection and not a document. All that begin with one
// of ownPrefixes are, too.
var (
	ownHeaders = []string{
		"Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Te", "Trailer",
		"Connection", "Keep-Alive",
		"Upgrade", "Http2-Settings", "Expect", "Range", "A-Im", "Accept-Encoding",
	}
	ownPrefixes = []string{"If-", "Proxy-"}
)

// Alter returns an access with a change made. The error is tidings.ErrInvalid, and repeats no value.
func Alter(a tidings.Access, change tidings.AccessChange) (tidings.Access, error) {
	a.Headers, a.Cookies = slices.Clone(a.Headers), slices.Clone(a.Cookies)
	for _, text := range change.Headers {
		name, value, err := header(text)
		if err != nil {
			return tidings.Access{}, err
		}
		a.Headers = withPair(a.Headers, name, ": ", value)
	}
	for _, text := range change.Cookies {
		name, value, err := ownCookie(text)
		if err != nil {
			return tidings.Access{}, err
		}
		a.Cookies = withPair(a.Cookies, name, "=", value)
	}
	if change.Proxy != nil {
		if _, err := parseProxy(*change.Proxy); err != nil && *change.Proxy != "" {
			return tidings.Access{}, err
		}
		a.Proxy = *change.Proxy
	}
	bytes := 0
	for _, pair := range slices.Concat(a.Headers, a.Cookies) {
		bytes += len(pair)
	}
	switch {
	case len(a.Headers)+len(a.Cookies) > maxAccessFields:
		return tidings.Access{}, tidings.Invalidf("a channel has at most %d headers and cookies", maxAccessFields)
	case bytes > maxAccessBytes:
		return tidings.Access{}, tidings.Invalidf("the headers and cookies of a channel have at most %d bytes together",
			maxAccessBytes)
	case (a.User != "" || a.Password != "") && has(a.Headers, "Authorization", ": "):
		return tidings.Access{},
			tidings.Invalidf(
				"the address has a user name and password, which are sent as the header Authorization: leave one of them out")
	}
	return a, nil
}

// header reads a header that a person sets.
func header(text string) (name, value string, err error) {
	name, value, found := strings.Cut(text, ":")
	name, value = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)), strings.Trim(value, " \t")
	switch {
	case strings.ContainsAny(text, "\r\n\x00"):
		return "", "", tidings.Invalidf("a header is one line: it has no line break")
	case !found || !httpguts.ValidHeaderFieldName(name):
		return "", "", tidings.Invalidf("a header is written as Name: value")
	case !httpguts.ValidHeaderFieldValue(value):
		return "", "", tidings.Invalidf("the value of the header %s has characters that cannot be sent",
			tidings.Quote(name))
	case name == "Cookie":
		return "", "", tidings.Invalidf("cookies are not set as a header, but each as a cookie: name=value")
	case slices.Contains(ownHeaders, name),
		slices.ContainsFunc(ownPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }):
		return "", "", tidings.Invalidf("the header %s is set by the node itself", name)
	}
	return name, value, nil
}

// ownCookie reads a cookie that a person sets.
func ownCookie(text string) (name, value string, err error) {
	name, value, found := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !found || !httpguts.ValidHeaderFieldName(name) {
		return "", "", tidings.Invalidf("a cookie is written as name=value, one at a time")
	}
	if strings.ContainsFunc(value, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`,;\`, r)
	}) {
		return "", "", tidings.Invalidf("the value of the cookie %s has characters that cannot be sent",
			tidings.Quote(name))
	}
	return name, value, nil
}

// withPair sets the pair of a name; without a value it removes it.
func withPair(pairs []string, name, mark, value string) []string {
	pairs = slices.DeleteFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, name+mark) })
	if value != "" {
		pairs = append(pairs, name+mark+value)
	}
	slices.Sort(pairs)
	return pairs
}

func has(pairs []string, name, mark string) bool {
	return slices.ContainsFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, name+mark) })
}

// parseProxy reads the URL of a proxy. The error does not repeat it.
func parseProxy(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxProxy {
		return nil, tidings.Invalidf("the address of the proxy cannot be read")
	}
	standard, known := map[string]string{"http": "80", "https": "443", "socks5": "1080"}[u.Scheme]
	switch {
	case u.Scheme == "socks5h":
		return nil, tidings.Invalidf(
			"a proxy is not asked to look up names, which this node does itself: write socks5://")
	case !known:
		return nil, tidings.Invalidf("the address of a proxy begins with http://, https:// or socks5://")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, tidings.Invalidf("the address of a proxy has a host and a port, and nothing behind them")
	}
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return nil, tidings.Invalidf("the address of the proxy has no host that can be read")
	}
	if n, err := strconv.ParseUint(cmp.Or(u.Port(), standard), 10, 16); err != nil || n == 0 {
		return nil, tidings.Invalidf("the address of the proxy has no port that can be used")
	}
	u.Host = net.JoinHostPort(host, cmp.Or(u.Port(), standard))
	if u.User != nil {
		password, _ := u.User.Password()
		if user := u.User.Username(); len(user) > maxProxySecret || len(password) > maxProxySecret || user == "" ||
			strings.Contains(user, ":") {
			return nil, tidings.Invalidf(
				"the user name of a proxy has 1 to %d bytes and no colon, and its password at most as many",
				maxProxySecret)
		}
	}
	return u, nil
}

// sendOwn sets the headers of a channel, which are for its origin alone.
func sendOwn(h http.Header, own []string) {
	for _, pair := range own {
		name, value, _ := strings.Cut(pair, ": ")
		h[name] = []string{value}
	}
}

// AccessAt returns what of a channel's access holds at an address: all of it at the channel's own origin (scheme, host
// and port), and elsewhere its proxy alone.
func AccessAt(a tidings.Access, channel, address string) tidings.Access {
	own, err := anyAddress.target(channel)
	if err != nil {
		return a.Elsewhere()
	}
	if at, err := anyAddress.target(address); err != nil || at.origin() != own.origin() {
		return a.Elsewhere()
	}
	return a
}
