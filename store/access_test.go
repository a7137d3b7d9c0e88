package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
)

// Headers, cookies and a proxy are kept apart as a password is: another account follows the channel only with the same,
// and nobody changes them while others follow it, too.
func TestHeadersOfAChannelAreKeptApart(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	second := secondAccount(t, s)
	kept := tidings.Access{Headers: []string{"X-Key: secret"}, Cookies: []string{"sid=secret"},
		Proxy: "http://u:secret@p.example"}
	subscribe := func(account tidings.AccountID, a tidings.Access) error {
		_, _, err := s.Subscribe(ctx, account, Subscription{URL: feedURL, Privacy: tidings.Credentialed, Access: a})
		return err
	}
	change := func(a tidings.Access) error {
		return s.Change(ctx, tidings.Owner, feedURL, Change{NewAccess: &a, Next: time.Now()})
	}
	if err := subscribe(tidings.Owner, kept); err != nil {
		t.Fatal(err)
	}
	w, err := s.Content.Watch(ctx, feedURL)
	if err != nil || fmt.Sprintf("%#v", w.Access) != fmt.Sprintf("%#v", kept) {
		t.Fatalf("kept is something else: %q %q, %v", w.Access.Headers, w.Access.Cookies, err)
	}
	f, err := s.Channel(ctx, tidings.Owner, feedURL)
	if err != nil || strings.Contains(fmt.Sprintf("%+v", f), "secret") ||
		!slices.Equal(f.Access.Headers, []string{"X-Key"}) || !slices.Equal(f.Access.Cookies, []string{"sid"}) ||
		!f.Access.Proxy {
		t.Errorf("shown is %+v, %v", f.Access, err)
	}
	for name, other := range map[string]tidings.Access{
		"nothing": {}, "no proxy": {Headers: kept.Headers, Cookies: kept.Cookies},
		"another header":  {Headers: []string{"X-Key: x"}, Cookies: kept.Cookies, Proxy: kept.Proxy},
		"no cookie":       {Headers: kept.Headers, Proxy: kept.Proxy},
		"a password, too": {User: "u", Headers: kept.Headers, Cookies: kept.Cookies, Proxy: kept.Proxy},
	} {
		if err := subscribe(second, other); !errors.Is(err, tidings.ErrUnauthorized) {
			t.Errorf("another account follows with %s: %v", name, err)
		}
	}
	if err := subscribe(second, kept); err != nil {
		t.Fatal(err)
	}
	if err := change(tidings.Access{}); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("changed while another follows: %v", err)
	}
	if _, err := s.Unsubscribe(ctx, second, feedURL); err != nil {
		t.Fatal(err)
	}
	if err := change(tidings.Access{Headers: kept.Headers}); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Content.Watch(ctx, feedURL); err != nil || w.Privacy != tidings.Credentialed ||
		len(w.Access.Cookies) != 0 || w.Access.Proxy != "" || len(w.Access.Headers) != 1 {
		t.Errorf("after a change: %s, %v", w.Privacy, err)
	}
	if err := change(tidings.Access{}); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Content.Watch(ctx, feedURL); err != nil || w.Privacy != tidings.Unlisted || !w.Access.IsZero() {
		t.Errorf("without anything: %s, %v", w.Privacy, err)
	}
}
