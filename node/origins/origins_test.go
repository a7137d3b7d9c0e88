package origins

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tidings/source/fetch"
	"tidings/store"
)

// An origin's clock is known once it has answered. An origin that asked for patience is left alone after a restart too.
func TestOriginsAreRemembered(t *testing.T) {
	asked := 0
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		if r.URL.Path == "/patience" {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = w.Write([]byte("a document"))
	}))
	defer origin.Close()
	s, err := store.Open(t.Context(), store.Default(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	c := fetch.Default()
	c.Version, c.AllowPrivate = "test", true
	open := func() *Origins {
		t.Helper()
		o, err := Open(t.Context(), s.DB, c)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := open()
	if _, err := o.FetchGuest(t.Context(), fetch.Request{URL: origin.URL}); err == nil || asked > 0 ||
		o.Clock().Others != 0 {
		t.Errorf("another node has a private address asked: %v, %+v", err, o.Clock())
	}
	if _, err := o.Fetch(t.Context(), fetch.Request{URL: origin.URL}); err != nil || o.Clock().Others != 1 ||
		o.Clock().Offset < 3e6 {
		t.Errorf("an answer: %v, %+v", err, o.Clock())
	}
	_, _ = o.Fetch(t.Context(), fetch.Request{URL: origin.URL + "/patience"})
	if err := o.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	o, before := open(), asked
	if _, err := o.Fetch(t.Context(), fetch.Request{URL: origin.URL + "/patience"}); err == nil || asked > before {
		t.Errorf("what asked for patience was asked: %v", err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
}
