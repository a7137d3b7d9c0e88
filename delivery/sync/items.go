package sync

import (
	"context"
	"net/url"
	"strconv"
	"strings"
)

// piece is how many items are read at a time. It bounds the memory for items that are not encoded yet.
const piece = 100

// EachItem calls each for items of these numbers in their order. It reads one piece at a time. It ends early when each
// returns false.
func EachItem(ctx context.Context, l Library, p Person, numbers []int64, each func(Item) (bool, error)) error {
	for len(numbers) > 0 {
		some := numbers[:min(piece, len(numbers))]
		numbers = numbers[len(some):]
		items, err := l.ItemsOf(ctx, p, some)
		if err != nil {
			return err
		}
		for _, item := range items {
			if more, err := each(item); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// Page returns up to limit numbers that q asks for, and whether there are more.
func Page(ctx context.Context, l Library, p Person, q Query, limit int) (numbers []int64, more bool, err error) {
	q.Limit = min(limit, MaxNumbers) + 1
	numbers, err = l.Numbers(ctx, p, q)
	if more = len(numbers) == q.Limit; more {
		numbers = numbers[:q.Limit-1]
	}
	return numbers, more, err
}

// ParseNumber reads the number of an item. It fails for any that no item has.
func ParseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && s[0] != '+' && IsNumber(n)
}

// IsNumber reports whether an item can have the number.
func IsNumber(n int64) bool { return FirstNumber <= n && n <= LastNumber }

// ParseBound reads a number as a bound of a list: any integer, however large. It fails for what is no number.
func ParseBound(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	digits := strings.TrimLeft(strings.TrimPrefix(s, "-"), "0")
	switch {
	case s == "" || s == "-" || strings.Trim(strings.TrimPrefix(s, "-"), "0123456789") != "":
		return 0, false
	case strings.HasPrefix(s, "-"):
		return 0, true
	case len(digits) > 10:
		return LastNumber + 1, true
	}
	n, _ := strconv.ParseInt("0"+digits, 10, 64) // ten digits at most
	return min(n, LastNumber+1), true
}

// Link returns an address if clients can follow it without harm, else nothing.
func Link(address string) string {
	scheme, rest, ok := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	if ok && strings.HasPrefix(rest, "//") && (scheme == "http" || scheme == "https") {
		return address
	}
	return ""
}

// LinkOf returns an address for an item. Two clients need one, and one of them distinguishes items by it. If the item
// has none, it is the feed's with the number behind it.
func LinkOf(i Item, f Feed) string {
	if link := Link(i.URL); link != "" {
		return link
	}
	u, err := url.Parse(f.SiteLink())
	if err != nil {
		return ""
	}
	u.Fragment = "item-" + strconv.FormatInt(i.Number, 10)
	return u.String()
}

// EditLink returns the address for an edit of an item at address, because one client distinguishes items by their
// addresses. If address has a fragment already, it stays as it is: what the page makes of another fragment is not
// known.
func EditLink(address string, number int64) string {
	if address == "" || strings.Contains(address, "#") {
		return address
	}
	return address + "#edit-" + strconv.FormatInt(number, 10)
}

// SiteLink returns the page of a feed, or its own address if it has none.
func (f Feed) SiteLink() string {
	if link := Link(f.Site); link != "" {
		return link
	}
	return f.URL
}

// OneSlash returns a path that begins with one slash. It may begin with two: one that a person put at the end of the
// server's address, and one of the client's own.
func OneSlash(path string) string {
	if !strings.HasPrefix(path, "//") {
		return path
	}
	return "/" + strings.TrimLeft(path, "/")
}
