package fetch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tidings/egress/egresstest"

	"tidings"
)

// hostile 10: Retry-After in every form is read, and kept between a minute and a day.
func TestHostile10AskedWait(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for name, test := range map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"nothing":  {nil, 0},
		"10 s":     {map[string]string{"Retry-After": "10"}, time.Minute},
		"0 s":      {map[string]string{"Retry-After": "0"}, time.Minute},
		"2 min":    {map[string]string{"Retry-After": " 120 "}, 2 * time.Minute},
		"fraction": {map[string]string{"Retry-After": "90.5"}, 90500 * time.Millisecond},
		"date":     {map[string]string{"Retry-After": date(time.Hour)}, time.Hour},
		"date by another clock": {map[string]string{"Retry-After": date(49 * time.Hour),
			"Date": date(48 * time.Hour)}, time.Hour},
		"date gone by":      {map[string]string{"Retry-After": date(-time.Hour)}, time.Minute},
		"date in ten years": {map[string]string{"Retry-After": date(87600 * time.Hour)}, 24 * time.Hour},
		"ten years":         {map[string]string{"Retry-After": "315360000"}, 24 * time.Hour},
		"more than any number": {map[string]string{"Retry-After": "99999999999999999999999999999999"},
			24 * time.Hour},
		"garbage":          {map[string]string{"Retry-After": "soon"}, 0},
		"negative":         {map[string]string{"Retry-After": "-10"}, 0},
		"not a number":     {map[string]string{"Retry-After": "1e3"}, 0},
		"dots":             {map[string]string{"Retry-After": "."}, 0},
		"reset in seconds": {map[string]string{"X-RateLimit-Reset": "432.0"}, 432 * time.Second},
		"reset as time": {map[string]string{"X-RateLimit-Reset": fmt.Sprint(now.Unix() + 600)},
			10 * time.Minute},
		"reset in milliseconds": {map[string]string{"X-RateLimit-Reset": fmt.Sprint(now.UnixMilli() + 600_000)},
			10 * time.Minute},
		"reset gone by": {map[string]string{"X-RateLimit-Reset": fmt.Sprint(now.Unix() - 600)}, time.Minute},
		"Retry-After comes first": {map[string]string{"Retry-After": "300", "X-RateLimit-Reset": "600"},
			5 * time.Minute},
		"garbage, then reset": {map[string]string{"Retry-After": "soon", "X-RateLimit-Reset": "600"},
			10 * time.Minute},
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

// hostile 10: an address that answered 429 or 503 with a time is not asked before it, for no channel.
func TestHostile10NoRequestWhileLimited(t *testing.T) {
	for _, status := range []int{429, 503} {
		for _, host := range []string{"origin.example", "rsshub.internal"} {
			t.Run(fmt.Sprint(status, host), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var asked atomic.Int64
					client := pipeClient(t, func(conn net.Conn) {
						if asked.Add(1) == 1 {
							fmt.Fprintf(conn, "HTTP/1.1 %d Wait\r\nRetry-After: 7200\r\nContent-Length: 0\r\n\r\n",
								status)
							return
						}
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
					}, open, func(c *Config) { c.AllowPrivate = true })
					feed := Request{URL: "http://" + host + "/feed"}
					until := time.Now().Add(2 * time.Hour)

					_, err := get(t, client, feed)
					if e, ok := errors.AsType[*StatusError](err); !ok || e.After != 2*time.Hour {
						t.Fatalf("got %v", err)
					}
					_, err = get(t, client, feed)
					if e, ok := errors.AsType[*LimitedError](err); !ok || e.Own || !e.Until.Equal(until) {
						t.Fatalf("while limited: got %v", err)
					}
					if _, err = get(t, client, Request{URL: "http://" + host + "/other"}); err != nil {
						t.Errorf("another address on the host: %v", err)
					}
					if _, err = get(t, client, Request{URL: "http://elsewhere.example/"}); err != nil {
						t.Errorf("another host: %v", err)
					}

					// A restart forgets nothing.
					waits := client.Patience()
					if len(waits) != 1 || !waits[0].Until.Equal(until) {
						t.Fatalf("remembered %v", waits)
					}
					next := pipeClient(t, egresstest.Says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), open,
						func(c *Config) {
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
		p.note(addressed(t, fmt.Sprintf("http://host%d.example/feed", i)), now.Add(time.Duration(i+1)*time.Minute))
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
	p.note(addressed(t, waits[0].For), now.Add(time.Second))
	p.note(addressed(t, waits[0].For), waits[0].Until) // as known
	p.note(addressed(t, waits[1].For), waits[1].Until.Add(time.Second))
	if p.count != 100 {
		t.Errorf("%d waits are counted", p.count)
	}
	if got := p.until(addressed(t, waits[0].For), now, true); !got.Equal(waits[0].Until) {
		t.Errorf("a longer wait was forgotten for a shorter one: %v", got)
	}
}

func TestPatienceWithOneHostIsBounded(t *testing.T) {
	now := time.Now()
	p := newPatience(1000, nil)
	p.note(addressed(t, "http://other.example/feed"), now.Add(time.Minute))
	for i := range 200 {
		p.note(addressed(t, fmt.Sprintf("http://origin.example/%d/feed", i)), now.Add(time.Duration(i+2)*time.Minute))
	}
	if n := len(p.list(now)); n != maxWaitsPerHost+1 || p.count != n {
		t.Errorf("%d waits are remembered, and %d counted", n, p.count)
	}
	later := now.Add(201 * time.Minute)
	if got := p.until(addressed(t, "http://origin.example/new"), now, true); !got.Equal(now.Add(199 * time.Minute)) {
		t.Errorf("the host rests until %v", got.Sub(now))
	}
	for range 2 {
		if got := p.until(addressed(t, "http://origin.example/new"), later, true); !got.IsZero() || p.count != 1 {
			t.Errorf("when all are over the host rests until %v, and %d waits are kept", got, p.count)
		}
	}
}

// addressed is the target of an address.
func addressed(t *testing.T, url string) target {
	t.Helper()
	at, err := anyAddress.target(url)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// hostile 10: one address that asks to be left alone stops no other. When several below one first segment ask, that
// rests, for as long as so many of them ask; when several segments ask, the host does, but for a private one.
func TestHostile10PatienceWidensWithThoseWhoAsk(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		asked []string // each an hour longer than the one before
		ask   string
		wide  time.Duration // how long it rests
		tight time.Duration // how long if its host is private
	}{
		"the same address":          {[]string{"/a/1"}, "/a/1", 1, 1},
		"another query":             {[]string{"/a/1?id=1"}, "/a/1?id=2", 0, 0},
		"two beside":                {[]string{"/a/1", "/a/2"}, "/a/3", 0, 0},
		"three beside":              {[]string{"/a/1", "/a/2", "/a/3"}, "/a/4", 1, 1},
		"four beside":               {[]string{"/a/1", "/a/2", "/a/3", "/a/4"}, "/a/5", 2, 2},
		"one of many asks longer":   {[]string{"/a/1", "/a/2", "/a/3"}, "/a/3", 3, 3},
		"three queries":             {[]string{"/videos?id=1", "/videos?id=2", "/videos?id=3"}, "/videos?id=4", 1, 1},
		"three elsewhere":           {[]string{"/a/1", "/a/2", "/a/3"}, "/b/1", 0, 0},
		"many in two segments":      {[]string{"/a/1", "/a/2", "/a/3", "/b/1", "/b/2", "/b/3"}, "/c/1", 0, 0},
		"three segments":            {[]string{"/a/1", "/b/2", "/c/3"}, "/d/4", 1, 0},
		"four segments":             {[]string{"/a/1", "/b/2", "/c/3", "/d/4"}, "/", 2, 0},
		"segments by their longest": {[]string{"/a/1", "/b/1", "/c/1", "/a/2", "/b/2"}, "/d/1", 3, 0},
		"documents beside the root": {[]string{"/one.xml", "/two.xml", "/three.xml"}, "/four.xml", 1, 0},
		"a segment of another host": {[]string{"http://other.example/a/1", "http://other.example/a/2",
			"http://other.example/a/3"}, "/a/4", 0, 0},
		"the root with its own wait": {[]string{"/"}, "/", 1, 1},
	} {
		p := newPatience(1000, nil)
		at := func(path string) target {
			if path[0] == '/' {
				path = "http://origin.example" + path
			}
			return addressed(t, path)
		}
		for i, path := range test.asked {
			p.note(at(path), now.Add(time.Duration(i+1)*time.Hour))
		}
		again := newPatience(1000, p.list(now)) // a restart forgets nothing
		for what, p := range map[string]*patience{"": p, " after a restart": again} {
			for wide, want := range map[bool]time.Duration{true: test.wide, false: test.tight} {
				got := max(0, p.until(at(test.ask), now, wide).Sub(now))
				if got != want*time.Hour {
					t.Errorf("%s%s, host public %v: rests for %v, want %v", name, what, wide, got, want*time.Hour)
				}
			}
		}
	}
}

// hostile 10: of the 122 channels of a host, one that is limited stops none of the others.
func TestHostile10OneLimitedChannelOfAHost(t *testing.T) {
	for _, host := range []string{"rsshub.example", "rsshub.internal"} {
		synctest.Test(t, func(t *testing.T) {
			client := newClient(t, open, func(c *Config) { c.AllowPrivate, c.HostRate = true, 1000 })
			client.dial = func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go func() {
					defer far.Close()
					if r, err := http.ReadRequest(bufio.NewReader(far)); err != nil {
					} else if r.URL.Path == "/x/limited" {
						egresstest.Says("HTTP/1.1 429 Wait\r\nRetry-After: 7200\r\nContent-Length: 0\r\n\r\n")(far)
					} else {
						egresstest.Says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")(far)
					}
				}()
				return near, nil
			}
			if _, err := get(t, client, Request{URL: "http://" + host + "/x/limited"}); err == nil {
				t.Error("the limited channel was read")
			}
			for i := range 121 {
				if _, err := get(t, client, Request{URL: fmt.Sprintf("http://%s/x/%d", host, i)}); err != nil {
					t.Fatalf("%s: channel %d beside a limited one: %v", host, i, err)
				}
			}
			_ = client.Close()
		})
	}
}

// A message about a time to come does not read as if it were over.
func TestTheEndOfAWaitIsRoundedUp(t *testing.T) {
	for second, want := range map[int]string{0: "11:20 UTC", 1: "11:21 UTC", 59: "11:21 UTC"} {
		e := &LimitedError{Host: "origin.example", Until: time.Date(2026, 3, 1, 11, 20, second, 0, time.UTC)}
		if got := e.Error(); got != "origin.example asked to be left alone until 2026-03-01 "+want {
			t.Errorf("at %d seconds: %s", second, got)
		}
	}
}

func FuzzAskedWait(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	legible := 0
	for _, s := range []string{"10", "0", "-1", "1e9", "Mon, 05 Jan 2026 10:00:00 GMT", "soon", "99999999999999999999",
		"..", "1.5"} {
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
	for _, u := range []string{url + "/?token=SECRET", "http://\x7f/SECRET", "http://u:SECRET@127.0.0.1:1/",
		"http://SECRET.example:bad/"} {
		_, err := get(t, newClient(t), Request{URL: u, Access: tidings.Access{User: "u", Password: "SECRET"}})
		if err == nil {
			t.Fatalf("%q was fetched", u)
		}
		if msg := err.Error(); bytes.ContainsAny([]byte(msg), "\n\r\x01") ||
			bytes.Contains([]byte(msg), []byte("SECRET")) {
			t.Errorf("%q: %q", u, msg)
		}
	}
}
