package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tidings"
)

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow makes requests until one is answered with something else than a redirect.
func (c *Client) follow(ctx context.Context, ask Request) (*Response, error) {
	first, err := c.guard.target(ask.URL)
	if err != nil {
		return nil, err
	}
	t := &trip{ask: ask, first: first, at: first, valid: ask.ValidFor, lasted: true, left: c.config.Total}
	if t.valid == "" {
		t.valid = first.text
	}
	for t.left > 0 {
		res, err := c.exchange(ctx, t)
		if err != nil {
			return nil, err
		}
		if res != nil {
			res.Took = c.config.Total - t.left
			return res, nil
		}
	}
	return nil, &NetworkError{Words: t.at.host + ": " + errSlowTotal.Error(), Err: errSlowTotal}
}

// redirect moves the trip to where an answer pointed.
func (c *Client) redirect(t *trip, location string, status int) error {
	refuse := func(why string) error { return &RedirectError{Host: t.at.host, Why: why} }
	if len(location) > maxURL {
		return refuse("its address is too long")
	}
	ref, err := url.Parse(location)
	if err != nil {
		return refuse("its address cannot be read")
	}
	from := t.at.url
	next, err := c.guard.targetOf(from.ResolveReference(ref))
	switch {
	case ref.IsAbs() && ref.Scheme != "http" && ref.Scheme != "https":
		return refuse("it leads to " + strings.ToLower(ref.Scheme) + ":, and only http and https can be fetched")
	case errors.Is(err, tidings.ErrInvalid):
		return refuse("its address cannot be read")
	case err != nil:
		return fmt.Errorf("redirect by %s: %w", t.at.host, err)
	case t.ask.Access.Identifies() && from.Scheme == "https" && next.url.Scheme == "http":
		return refuse("it leads from https to http, and this channel has a password, or headers or cookies of its own")
	case len(t.hops) >= c.config.MaxRedirects:
		return refuse(fmt.Sprintf("more than %d in a row", c.config.MaxRedirects) + t.cookies.words())
	}
	// Where the same was asked before, the answer is the same, unless there are other cookies now.
	to := next.text
	again := to == t.at.text
	if again && t.asked == t.cookies.changes {
		return refuse("it leads to itself" + t.cookies.words())
	}
	for i, hop := range t.hops {
		if hop.URL == to && t.before[i] == t.cookies.changes {
			return refuse("they lead in a circle" + t.cookies.words())
		}
		again = again || hop.URL == to
	}
	t.hops = append(t.hops, Hop{URL: t.at.text, Status: status, Location: to})
	t.before = append(t.before, t.asked)
	t.lasted = t.lasted && !again && (status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect)
	t.at = next
	return nil
}
