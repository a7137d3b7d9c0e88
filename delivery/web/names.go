package web

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tidings"
)

// nameOf returns a channel's label as it is shown, in at most max characters and an
// ellipsis. An address, which stands for a channel without a title, keeps its host and
// its end: what tells it from its neighbours.
func nameOf(label string, max int) string {
	u := addressOf(label)
	if u == nil {
		return plain(label, max)
	}
	host := hostText(u)
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
	return shorten(plain(host, maxURL), plain(path, maxURL), max)
}

// maxNavAddress is how many characters of an address fit beside the page.
const maxNavAddress = 22

// navName is nameOf for the list beside the page, where the stylesheet cuts what is too
// long, but knows only to cut the end.
func navName(label string) string {
	if addressOf(label) != nil {
		return nameOf(label, maxNavAddress)
	}
	return plain(label, 60)
}

// addressOf returns the address that a label is; nil if it is a name.
func addressOf(label string) *url.URL {
	if len(label) > maxURL || !strings.HasPrefix(label, "http://") && !strings.HasPrefix(label, "https://") {
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

// followed returns all channels of an account in the order in which people count:
// by folder, then by name, "Part 2" before "Part 10".
func (s *site) followed(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error) {
	all, err := s.store.Channels(ctx, account)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b tidings.Subscription) int {
		return cmp.Or(natural(a.Folder, b.Folder), natural(a.Label(), b.Label()), strings.Compare(a.URL, b.URL))
	})
	return all, nil
}

// natural compares names without regard to case, and numbers in them by their value.
// Names that differ are never equal.
func natural(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
		}
		c, d := 0, 0
		if n, m := digits(x), digits(y); n > 0 && m > 0 {
			v, w := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if order := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); order != 0 {
				return order
			}
			c, d = n, m
		} else {
			var r, q rune
			r, c = utf8.DecodeRuneInString(x)
			q, d = utf8.DecodeRuneInString(y)
			if order := cmp.Compare(unicode.ToLower(r), unicode.ToLower(q)); order != 0 {
				return order
			}
		}
		x, y = x[c:], y[d:]
	}
}

// digits returns how many digits s begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
