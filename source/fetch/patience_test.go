package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// hostile 10: Retry-After in every form is read, and kept between a minute and a day.
func TestHostile10AskedWait(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for name, test := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"nothing":                 {nil, 0},
		"10 s":                    {map[string]string{"Retry-After": "10"}, time.Minute},
		"0 s":                     {map[string]string{"Retry-After": "0"}, time.Minute},
		"2 min":                   {map[string]string{"Retry-After": " 120 "}, 2 * time.Minute},
		"fraction":                {map[string]string{"Retry-After": "90.5"}, 90500 * time.Millisecond},
		"date":                    {map[string]string{"Retry-After": date(time.Hour)}, time.Hour},
		"date by another clock":   {map[string]string{"Retry-After": date(49 * time.Hour), "Date": date(48 * time.Hour)}, time.Hour},
		"date gone by":            {map[string]string{"Retry-After": date(-time.Hour)}, time.Minute},
		"date in ten years":       {map[string]string{"Retry-After": date(87600 * time.Hour)}, 24 * time.Hour},
		"ten years":               {map[string]string{"Retry-After": "315360000"}, 24 * time.Hour},
		"more than any number":    {map[string]string{"Retry-After": "99999999999999999999999999999999"}, 24 * time.Hour},
		"garbage":                 {map[string]string{"Retry-After": "soon"}, 0},
		"negative":                {map[string]string{"Retry-After": "-10"}, 0},
		"not a number":            {map[string]string{"Retry-After": "1e3"}, 0},
		"dots":                    {map[string]string{"Retry-After": "."}, 0},
		"reset in seconds":        {map[string]string{"X-RateLimit-Reset": "432.0"}, 432 * time.Second},
		"reset as time":           {map[string]string{"X-RateLimit-Reset": fmt.Sprint(now.Unix() + 600)}, 10 * time.Minute},
		"reset in milliseconds":   {map[string]string{"X-RateLimit-Reset": fmt.Sprint(now.UnixMilli() + 600_000)}, 10 * time.Minute},
		"reset gone by":           {map[string]string{"X-RateLimit-Reset": fmt.Sprint(now.Unix() - 600)}, time.Minute},
		"Retry-After comes first": {map[string]string{"Retry-After": "300", "X-RateLimit-Reset": "600"}, 5 * time.Minute},
		"garbage, then reset":     {map[string]string{"Retry-After": "soon", "X-RateLimit-Reset": "600"}, 10 * time.Minute},
	} {
		h := http.Header{}
		for k, v := range test.header {
			h.Set(k, v)
		}
		if got := askedWait(h, now); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// hostile 10: a host that answered 429 or 503 with a time is not asked before it, for
// no channel; a private one only for the channel that was answered so.
func TestHostile10NoRequestWhileLimited(t *testing.T) {
	for _, status := range []int{429, 503} {
		for _, test := range []struct {
			host  string
			other bool // whether another address on the host may be asked
		}{{"origin.example", false}, {"rsshub.internal", true}} {
			t.Run(fmt.Sprint(status, test.host), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var asked atomic.Int64
					client := pipeClient(t, func(conn net.Conn) {
						if asked.Add(1) == 1 {
							fmt.Fprintf(conn, "HTTP/1.1 %d Wait\r\nRetry-After: 7200\r\nContent-Length: 0\r\n\r\n", status)
							return
						}
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
					}, open, func(c *Config) { c.AllowPrivate = true })
					feed := Request{URL: "http://" + test.host + "/feed"}
					until := time.Now().Add(2 * time.Hour)

					_, err := get(t, client, feed)
					if e, ok := errors.AsType[*StatusError](err); !ok || e.After != 2*time.Hour {
						t.Fatalf("got %v", err)
					}
					_, err = get(t, client, feed)
					if e, ok := errors.AsType[*LimitedError](err); !ok || e.Own || !e.Until.Equal(until) {
						t.Fatalf("while limited: got %v", err)
					}
					_, err = get(t, client, Request{URL: "http://" + test.host + "/other"})
					if (err == nil) != test.other {
						t.Errorf("another address on the host: got %v", err)
					}
					if _, err = get(t, client, Request{URL: "http://elsewhere.example/"}); err != nil {
						t.Errorf("another host: %v", err)
					}

					// A restart forgets nothing.
					waits := client.Patience()
					if len(waits) != 1 || !waits[0].Until.Equal(until) {
						t.Fatalf("remembered %v", waits)
					}
					next := pipeClient(t, text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), open, func(c *Config) {
						c.AllowPrivate, c.Patience = true, waits
					})
					before := asked.Load()
					if _, err = get(t, next, feed); err == nil {
						t.Error("asked again after a restart")
					}
					time.Sleep(2 * time.Hour)
					if asked.Load() != before {
						t.Error("a request was sent while limited")
					}
					for _, c := range []*Client{client, next} {
						if _, err = get(t, c, feed); err != nil {
							t.Errorf("when the time is over: %v", err)
						}
						if len(c.Patience()) != 0 {
							t.Errorf("still waiting: %v", c.Patience())
						}
						_ = c.Close()
					}
				})
			})
		}
	}
}

func TestARedirectDoesNotLeadPastPatience(t *testing.T) {
	var limited atomic.Int64
	slow := serve(t, func(w http.ResponseWriter, r *http.Request) {
		limited.Add(1)
		w.Header().Set("Retry-After", "100")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, slow, http.StatusFound) })
	client := newClient(t) // a lab obeys this too
	for range 3 {
		_, _ = get(t, client, Request{URL: url})
	}
	if n := limited.Load(); n != 1 {
		t.Errorf("the limited host was asked %d times", n)
	}
}

func TestRetryAfterOnOtherErrorsBindsNobodyElse(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusForbidden)
	})
	client := newClient(t)
	_, err := get(t, client, Request{URL: url})
	if e, ok := errors.AsType[*StatusError](err); !ok || e.After != time.Hour || len(client.Patience()) != 0 {
		t.Errorf("got %v; remembered %v", err, client.Patience())
	}
}

func TestPatienceIsBounded(t *testing.T) {
	now := time.Now()
	p := newPatience(100, nil)
	for i := range 1000 {
		p.note(fmt.Sprintf("host%d.example", i), now.Add(time.Duration(i+1)*time.Minute))
	}
	waits := p.list(now)
	if len(waits) != 100 {
		t.Fatalf("%d waits are remembered", len(waits))
	}
	for _, w := range waits {
		if w.Until.Before(now.Add(900 * time.Minute)) {
			t.Errorf("kept %v rather than a longer one", w)
		}
	}
	p.note(waits[0].For, now.Add(time.Second))
	if got := p.until(target{host: waits[0].For}, now); !got.Equal(waits[0].Until) {
		t.Errorf("a longer wait was forgotten for a shorter one: %v", got)
	}
}

func FuzzAskedWait(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	legible := 0
	for _, s := range []string{"10", "0", "-1", "1e9", "Mon, 05 Jan 2026 10:00:00 GMT", "soon", "99999999999999999999", "..", "1.5"} {
		if askedWait(http.Header{"Retry-After": {s}}, now) != 0 {
			legible++
		}
		f.Add(s, s)
	}
	if legible < 4 {
		f.Fatalf("only %d seeds can be read", legible)
	}
	f.Fuzz(func(t *testing.T, after, reset string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {reset}}
		if d := askedWait(h, now); d != 0 && (d < MinPatience || d > MaxPatience) {
			t.Errorf("%q, %q: %v", after, reset, d)
		}
	})
}

// Errors are shown to people and logged: they must hold neither secrets nor line breaks.
func TestErrorsAreOneSafeLine(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "ev\til:\x01//x?token=SECRET")
		w.WriteHeader(http.StatusFound)
	})
	for _, u := range []string{url + "/?token=SECRET", "http://\x7f/SECRET", "http://u:SECRET@127.0.0.1:1/", "http://SECRET.example:bad/"} {
		_, err := get(t, newClient(t), Request{URL: u, User: "u", Password: "SECRET"})
		if err == nil {
			t.Fatalf("%q was fetched", u)
		}
		if msg := err.Error(); bytes.ContainsAny([]byte(msg), "\n\r\x01") || bytes.Contains([]byte(msg), []byte("SECRET")) {
			t.Errorf("%q: %q", u, msg)
		}
	}
}
