package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// gauge counts how much is under way, and remembers the most and when each began.
type gauge struct {
	mu        sync.Mutex
	now, most int
	starts    []time.Time
}

func (g *gauge) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now++
	g.most = max(g.most, g.now)
	g.starts = append(g.starts, time.Now())
}

func (g *gauge) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
}

// politeOrigin counts requests, and is slow to answer.
func politeOrigin(t *testing.T, takes time.Duration, alter ...func(*Config)) (*Client, *gauge) {
	g := new(gauge)
	client := pipeClient(t, func(conn net.Conn) {
		g.enter()
		time.Sleep(takes)
		g.leave()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
	}, append([]func(*Config){open}, alter...)...)
	return client, g
}

func together(n int, f func(i int) error) (failed []error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range n {
		wg.Go(func() {
			if err := f(i); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
		})
	}
	wg.Wait()
	return failed
}

func TestAtMostTwoRequestsAtAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, 2*time.Second, func(c *Config) { c.HostBurst, c.MaxWait = 100, time.Minute })
		failed := together(10, func(i int) error {
			_, err := get(t, client, Request{URL: fmt.Sprintf("http://origin.example/%d", i)})
			return err
		})
		if len(failed) > 0 || g.most != 2 || len(g.starts) != 10 {
			t.Errorf("at most %d at once of %d; failed: %v", g.most, len(g.starts), failed)
		}
		_ = client.Close()
	})
}

func TestTheBucketOfAHostFillsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, 0, func(c *Config) { c.MaxWait = time.Hour })
		failed := together(15, func(i int) error {
			_, err := get(t, client, Request{URL: "http://origin.example/"})
			return err
		})
		if len(failed) > 0 {
			t.Fatal(failed)
		}
		c := Default()
		for i, at := range g.starts {
			if i < c.HostBurst {
				continue
			}
			// In any stretch of time there are no more than the burst and what the rate adds.
			if gap := at.Sub(g.starts[i-c.HostBurst]); gap < time.Second {
				t.Errorf("requests %d and %d are only %v apart", i-c.HostBurst, i, gap)
			}
		}
		if took := g.starts[14].Sub(g.starts[0]); took != 10*time.Second {
			t.Errorf("15 requests took %v, want 5 at once and one a second", took)
		}
		time.Sleep(time.Minute) // a rest fills the bucket, and no more than fills it
		began := len(g.starts)
		together(6, func(i int) error {
			_, err := get(t, client, Request{URL: "http://origin.example/"})
			return err
		})
		if gap := g.starts[began+5].Sub(g.starts[began]); gap != time.Second {
			t.Errorf("after a rest the sixth came after %v, want 1s", gap)
		}
		_ = client.Close()
	})
}

func TestHostsDoNotHoldOneAnotherUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, time.Second)
		failed := together(50, func(i int) error {
			_, err := get(t, client, Request{URL: fmt.Sprintf("http://origin%d.example/", i)})
			return err
		})
		if len(failed) > 0 || g.most != 50 {
			t.Errorf("at most %d at once; failed: %v", g.most, failed)
		}
		_ = client.Close()
	})
}

func TestWhoWouldWaitTooLongIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, 0, func(c *Config) { c.MaxWait = 2 * time.Second })
		began := time.Now()
		failed := together(20, func(i int) error {
			_, err := get(t, client, Request{URL: "http://origin.example/"})
			return err
		})
		if len(g.starts) != 7 { // 5 at once, two within MaxWait
			t.Errorf("%d were sent", len(g.starts))
		}
		for _, err := range failed {
			if e, ok := errors.AsType[*LimitedError](err); !ok || !e.Own || !e.Until.After(began) {
				t.Errorf("got %v", err)
			}
		}
		_ = client.Close()
	})
}

func TestAQueueAtAHostIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, time.Minute/2, func(c *Config) {
			c.HostBurst, c.HostQueue, c.MaxWait, c.Header = 100, 3, time.Hour, time.Hour
		})
		failed := together(20, func(i int) error {
			_, err := get(t, client, Request{URL: "http://origin.example/"})
			return err
		})
		if len(g.starts) != 5 || len(failed) != 15 {
			t.Errorf("%d were sent, %d refused; want 2 at once and 3 in the queue", len(g.starts), len(failed))
		}
		_ = client.Close()
	})
}

func TestWaitingForATurnEndsWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, 0, func(c *Config) { c.HostBurst = 1 })
		if _, err := get(t, client, Request{URL: "http://origin.example/"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := client.Fetch(ctx, Request{URL: "http://origin.example/"}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		// What was not used is there for the next.
		if _, err := get(t, client, Request{URL: "http://origin.example/"}); err != nil {
			t.Fatal(err)
		}
		if gap := g.starts[1].Sub(g.starts[0]); gap != time.Second {
			t.Errorf("the next came after %v", gap)
		}
		_ = client.Close()
	})
}

func TestHostsRememberedAreBounded(t *testing.T) {
	c := Default()
	c.MaxHosts = 10
	hs := newHosts(c)
	busy, err := hs.acquire(t.Context(), "busy.example")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		h, err := hs.acquire(t.Context(), fmt.Sprintf("%d.example", i))
		if err != nil {
			t.Fatal(err)
		}
		hs.release(h)
	}
	if n := len(hs.byID); n != 11 || hs.idle.Len() != 10 {
		t.Errorf("%d hosts, %d idle", n, hs.idle.Len())
	}
	hs.release(busy)
	if n := len(hs.byID); n != 10 {
		t.Errorf("%d hosts when all rest", n)
	}
}

func TestALabHasNoBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, g := politeOrigin(t, time.Second, func(c *Config) { c.Lab = true })
		began := time.Now()
		if failed := together(100, func(i int) error {
			_, err := get(t, client, Request{URL: "http://127.0.0.1:9/"})
			return err
		}); len(failed) > 0 || g.most != 100 || time.Since(began) != time.Second {
			t.Errorf("at most %d at once; failed: %v", g.most, failed)
		}
		_ = client.Close()
	})
}
