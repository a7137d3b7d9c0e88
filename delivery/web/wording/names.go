package wording

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// NameOf returns a channel's label as it is shown, in at most max characters and an ellipsis. An address, which stands
// for a channel without a title, keeps its host and its end: these distinguish it from its neighbours.
func NameOf(label string, max int) string {
	u := addressOf(label)
	if u == nil {
		return Plain(label, max)
	}
	host := HostOf(u)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	if path == "/" {
		path = ""
	}
	return shorten(Plain(host, MaxURL), Plain(path, MaxURL), max)
}

// maxNavAddress is how many characters of an address fit beside the page.
const maxNavAddress = 22

// NavName is nameOf for the list beside the page. There the stylesheet cuts names that are too long, but can only cut
// the end.
func NavName(label string) string {
	if addressOf(label) != nil {
		return NameOf(label, maxNavAddress)
	}
	return Plain(label, 60)
}

// addressOf returns the address that a label is; nil if it is a name.
func addressOf(label string) *url.URL {
	if len(label) > MaxURL || !strings.HasPrefix(label, "http://") && !strings.HasPrefix(label, "https://") {
		return nil
	}
	u, err := url.Parse(label)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return u
}

// shorten joins host and path, with an ellipsis in their middle if they have more than
// max characters: behind the host if that leaves room for half of what is shown.
func shorten(host, path string, max int) string {
	h, p := []rune(host), []rune(path)
	if len(h)+len(p) <= max {
		return host + path
	}
	all := append(slices.Clone(h), p...)
	head := len(h) + 1 // with the slash
	if head > max/2 {
		head = (max - 1) / 2
	}
	return string(all[:head]) + "…" + string(all[len(all)-(max-1-head):])
}

// isAddress reports whether a host is a number and no name.
func isAddress(host string) bool { return net.ParseIP(host) != nil }
