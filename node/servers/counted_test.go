package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
)

// shelf is a store of updates with much text, which it makes anew for each reader.
type shelf struct {
	Store
	updates, bytes int
}

func (s shelf) Updates(_ context.Context, _ tidings.AccountID,
	q tidings.UpdateQuery) (found []tidings.Update, err error) {
	first, size := int(q.After)+1, 0
	if q.Newest {
		first = max(first, s.updates-q.Limit+1)
	}
	for id := first; id <= s.updates && len(found) < q.Limit; id++ {
		u := tidings.Update{ID: int64(id)}
		if !q.IDsOnly {
			if size += s.bytes; q.Bytes > 0 && size > q.Bytes && len(found) > 0 {
				break
			}
			u.Delta = strings.Repeat("x", s.bytes)
		}
		found = append(found, u)
	}
	return found, nil
}

func (s shelf) LatestUpdate(context.Context) (int64, error) { return int64(s.updates), nil }

func (s shelf) Channels(context.Context, tidings.AccountID) ([]tidings.Subscription, error) {
	return []tidings.Subscription{{Channel: tidings.Channel{URL: "https://news.example/"}}}, nil
}

type quietNode struct{ Node }

func (quietNode) Wake() <-chan struct{}                                      { return nil }
func (quietNode) PollingStats(context.Context, []tidings.Subscription) error { return nil }

// reader is a client: it reads so many bytes, and then no more until it is cut.
type reader struct {
	*httptest.ResponseRecorder
	ctx  context.Context
	most int
}

func (r *reader) Write(p []byte) (int, error) {
	if r.Body.Len()+len(p) > r.most {
		<-r.ctx.Done()
		return 0, r.ctx.Err()
	}
	return r.ResponseRecorder.Write(p)
}

// served is an API with a budget.
type served struct {
	api     http.Handler
	answers *memory.Budget
	all     sync.WaitGroup
}

// ask sends a request of a client that reads at most most bytes. It returns its answer and the function that cuts it.
func (s *served) ask(t *testing.T, rank memory.Rank, target string, most int) (*reader, context.CancelFunc) {
	ctx, cut := context.WithCancel(auth.WithAccount(t.Context(), tidings.Owner))
	r := &reader{httptest.NewRecorder(), ctx, most}
	s.all.Go(func() {
		defer func() { _ = recover() }() // an answer that is broken off
		ctx, end := s.answers.Begin(ctx, rank)
		defer end()
		s.api.ServeHTTP(r, httptest.NewRequest("GET", api.Base+target, nil).WithContext(ctx))
	})
	return r, cut
}

func (s *served) heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// hostile 77: clients ask for large answers and do not read them. What these hold has one bound, as counted and as the
// heap shows it. The command line and readers with small requests are served meanwhile. Once the clients are cut,
// waiting ones are served.
func TestHostile77ClientsThatDoNotRead(t *testing.T) {
	const limit = 64 << 20
	for name, c := range map[string]struct {
		clients int
		target  string
		updates int
		bytes   int
	}{
		"40 streams of long updates":    {40, "stream?after=0", 40, 2 << 20},
		"1500 streams":                  {1500, "stream?after=0", 200, 30 << 10},
		"20 lists of a thousand":        {20, "updates?limit=1000", 1000, 30 << 10},
		"1500 lists":                    {1500, "updates?after=0&limit=1000", 1000, 2000},
		"1500 single updates":           {1500, "updates/3", 3, 1 << 20},
		"1500 streams of small updates": {1500, "stream?after=0", 200, 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := counted{shelf{updates: c.updates, bytes: c.bytes}}
				s := &served{api: api.New(api.Config{Store: store, Node: quietNode{}}), answers: memory.New(limit, nil)}
				before := s.heap()
				var cuts []context.CancelFunc
				var clients []*reader
				for range c.clients {
					client, cut := s.ask(t, memory.Local, c.target, 64) // a stream's head, and no more
					clients, cuts = append(clients, client), append(cuts, cut)
				}
				time.Sleep(2 * memory.FirstPatience)
				synctest.Wait()
				if held := s.answers.Held(); held > limit {
					t.Errorf("%d bytes are counted", held)
				}
				// Beside what is counted each client has its own small part and its goroutine.
				if grown := s.heap() - before; grown > limit+int64(c.clients)*(24<<10) {
					t.Errorf("the heap has grown by %d bytes", grown)
				}
				for _, rank := range []memory.Rank{memory.Local, memory.Socket} {
					list, _ := s.ask(t, rank, "channels", 1<<20)
					synctest.Wait()
					if list.Code != 200 || !strings.Contains(list.Body.String(), "news.example") {
						t.Errorf("a list for rank %d: %d %s", rank, list.Code, list.Body)
					}
				}
				near, _ := s.ask(t, memory.Socket, "updates?after=0&limit=3", 16<<20)
				synctest.Wait()
				checkIDs(t, near, 3)
				time.AfterFunc(20*time.Second, func() {
					for _, cut := range cuts {
						cut()
					}
				})
				time.Sleep(19 * time.Second)
				late, _ := s.ask(t, memory.Local, fmt.Sprint("updates?after=0&limit=", c.updates), 100<<20)
				s.all.Wait()
				if late.Code == http.StatusServiceUnavailable && late.Header().Get("Retry-After") == "" {
					t.Error("Retry-After is missing")
				} else if late.Code != http.StatusServiceUnavailable {
					checkIDs(t, late, c.updates)
				}
				for _, client := range clients {
					if client.Code == http.StatusServiceUnavailable && client.Header().Get("Retry-After") == "" {
						t.Fatal("Retry-After is missing")
					}
				}
				if held := s.answers.Held(); held != 0 {
					t.Errorf("%d bytes are held in the end", held)
				}
			})
		})
	}
}

// checkIDs reports whether an answer has the updates from 1 to n.
func checkIDs(t *testing.T, r *reader, n int) {
	t.Helper()
	var all []tidings.Update
	if err := json.Unmarshal(r.Body.Bytes(), &all); err != nil || r.Code != 200 {
		t.Errorf("%d, %d bytes: %v", r.Code, r.Body.Len(), err)
		return
	}
	for i, u := range all {
		if u.ID != int64(i+1) {
			t.Errorf("update %d at place %d", u.ID, i)
			return
		}
	}
	if len(all) != n {
		t.Errorf("%d updates, want %d", len(all), n)
	}
}

// hostile 77: lists in pieces hold what they would in one.
func TestHostile77ListsAreWhole(t *testing.T) {
	for _, target := range []string{"updates?after=0&limit=500", "updates?newest&limit=500"} {
		store := counted{shelf{updates: 500, bytes: 10_000}}
		s := &served{api: api.New(api.Config{Store: store, Node: quietNode{}}), answers: memory.New(16<<20, nil)}
		list, _ := s.ask(t, memory.Remote, target, 100<<20)
		s.all.Wait()
		checkIDs(t, list, 500)
	}
	store := counted{shelf{updates: 500, bytes: 10_000}}
	s := &served{api: api.New(api.Config{Store: store, Node: quietNode{}}), answers: memory.New(16<<20, nil)}
	newest, _ := s.ask(t, memory.Remote, "updates?newest&limit=2", 100<<20)
	s.all.Wait()
	if text := newest.Body.Bytes(); !bytes.HasPrefix(text, []byte(`[{"id":499,`)) ||
		!bytes.Contains(text, []byte(`{"id":500,`)) {
		t.Errorf("the newest two: %.50s", text)
	}
}
