package node

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"tidings"
)

// An address outside gets the same answer whether or not people here follow the requested channel. What they know of it
// makes no difference. It cannot follow a channel with a password. It can follow what a public page leads to only if
// that is public.
func TestSubscribersOutsideSeeWhatIsPublic(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, password, _ := r.BasicAuth(); {
		case r.URL.Path == "/secret" && password != "ann's":
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/leads":
			fmt.Fprint(w, `<html><head><title>Site</title><link rel="alternate" type="application/rss+xml" href="/feed?token=0123456789abcdef0123456789abcdef"></head><body>hello</body></html>`)
		default:
			w.Header().Set("Content-Type", "application/rss+xml")
			fmt.Fprint(w, rss("<item><guid>1</guid><title>One</title></item>"))
		}
	}))
	t.Cleanup(origin.Close)
	n, client := startNode(t)
	ctx := t.Context()
	for _, url := range []string{origin.URL + "/known", withPassword(origin.URL+"/secret", "ann")} {
		if _, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	account, err := n.store.Subscribers.Add(ctx, "xmpp:a@example.org")
	if err != nil {
		t.Fatal(err)
	}
	known, err := n.Channels.SubscribeOutside(ctx, account, origin.URL+"/known")
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := n.Channels.SubscribeOutside(ctx, account, origin.URL+"/fresh")
	if err != nil {
		t.Fatal(err)
	}
	known.URL, known.Since, known.Added = fresh.URL, fresh.Since, fresh.Added
	if !reflect.DeepEqual(known, fresh) {
		t.Errorf("known: %+v\nfresh: %+v", known, fresh)
	}
	if _, err := n.Channels.SubscribeOutside(ctx, account, origin.URL+"/secret"); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("what needs a password: %v", err)
	}
	if _, err := n.Channels.SubscribeOutside(ctx, account, withPassword(origin.URL+"/secret", "ann")); !errors.Is(err,
		tidings.ErrInvalid) {
		t.Errorf("with a password: %v", err)
	}
	if _, err := n.Channels.SubscribeOutside(ctx, account, origin.URL+"/leads"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		all, err := n.store.Channels(ctx, account)
		if err != nil || time.Now().After(deadline) {
			t.Fatal(all, err)
		}
		if len(all) == 2 {
			break
		}
	}
}
