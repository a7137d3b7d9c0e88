package fetch

import (
	"net/http"
	"strings"
)

// Bounds on the cookies of one fetch.
const (
	maxCookies     = 8
	maxCookieBytes = 4 << 10 // of names and values together
)

// cookies are what origins set on one fetch's way through redirects. Some answer no client that does not send back what
// they set a redirect before. Each goes to the host and port that set it, by HTTPS alone if it came by HTTPS. All of
// them end with the fetch.
type cookies struct {
	kept    []cookie
	changes int  // how often one was set that was not kept like that
	refused bool // one was beyond the bounds
}

type cookie struct {
	name, value string
	host        string // target.host
	path        string // below which it is sent
	secure      bool
}

// keep keeps the cookies that an answer of a host sets.
func (c *cookies) keep(from target, header http.Header) {
	for _, set := range (&http.Response{Header: header}).Cookies() {
		c.set(cookie{
			name: set.Name, value: set.Value, host: from.host,
			path: cookiePath(from, set.Path), secure: set.Secure || from.url.Scheme == "https",
		}, set.MaxAge < 0)
	}
}

// set keeps a cookie in place of an earlier one of its name, or ends that.
func (c *cookies) set(made cookie, end bool) {
	size := len(made.name) + len(made.value)
	for i, old := range c.kept {
		if old.name == made.name && old.host == made.host && old.path == made.path {
			if old.value == made.value && !end {
				return
			}
			c.kept = append(c.kept[:i], c.kept[i+1:]...)
			c.changes++
			break
		}
	}
	if end {
		return
	}
	for _, other := range c.kept {
		size += len(other.name) + len(other.value)
	}
	if len(c.kept) >= maxCookies || size > maxCookieBytes {
		c.refused = true
		return
	}
	c.kept = append(c.kept, made)
	c.changes++
}

// cookiePath is the path below which a cookie is sent: where it says, else the folder of the address (RFC 6265, 5.1.4).
func cookiePath(from target, said string) string {
	if strings.HasPrefix(said, "/") {
		return said
	}
	path := from.url.EscapedPath()
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// pairs returns what is sent to a host, each as name=value.
func (c *cookies) pairs(to target) (pairs []string) {
	for _, k := range c.kept {
		if k.host == to.host && below(to.url.EscapedPath(), k.path) && (!k.secure || to.url.Scheme == "https") {
			pairs = append(pairs, (&http.Cookie{Name: k.name, Value: k.value}).String())
		}
	}
	return pairs
}

// beside returns a channel's own cookies and those that were set on the way. If both have one of a name, the latter
// counts.
func beside(own, set []string) []string {
	pairs := set
	for _, pair := range own {
		name, _, _ := strings.Cut(pair, "=")
		if !has(set, name, "=") {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// below reports whether a path is a folder, or lies in it.
func below(path, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return path == folder || strings.HasPrefix(path, folder+"/") || folder == ""
}

// words says what cookies have to do with a chain of redirects that has no end; empty if nothing.
func (c *cookies) words() string {
	switch {
	case c.refused:
		return ", and the site wants cookies that are larger or more than this node sends back"
	case c.changes > 0:
		return ", though the cookies that the site wants were sent back"
	default:
		return ""
	}
}
