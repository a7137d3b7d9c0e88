package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/server"
)

// recorder is a client that keeps what it is sent, and is gone after so many bytes.
type recorder struct {
	mu     sync.Mutex
	header http.Header
	status int
	text   bytes.Buffer
	room   int // bytes still accepted; below 0: without end
}

func newRecorder(room int) *recorder { return &recorder{header: http.Header{}, room: room} }

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }
func (r *recorder) Flush()                 {}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.room >= 0 && len(p) > r.room {
		n, _ := r.text.Write(p[:r.room])
		r.room = 0
		return n, errors.New("the client has gone")
	}
	if r.room >= 0 {
		r.room -= len(p)
	}
	return r.text.Write(p)
}

func (r *recorder) got() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// listen opens a stream in the background. The returned function ends it.
func listen(h http.Handler, target string, header ...string) (*recorder, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	r := httptest.NewRequest("GET", Base+target, nil).WithContext(ctx)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w, ended := newRecorder(-1), make(chan struct{})
	go func() {
		h.ServeHTTP(w, r)
		close(ended)
	}()
	return w, func() { cancel(); <-ended }
}

// idsIn returns the IDs of the complete updates in a stream of events.
func idsIn(text string) string {
	var ids []string
	for _, e := range strings.SplitAfter(text, "\n\n") {
		id, rest, _ := strings.Cut(e, "\n")
		if strings.HasPrefix(rest, "event: update\ndata: {") && strings.HasSuffix(rest, "}\n\n") {
			ids = append(ids, strings.TrimPrefix(id, "id: "))
		}
	}
	return strings.Join(ids, " ")
}

func TestStreamBegins(t *testing.T) {
	for name, test := range map[string]struct {
		target string
		header []string
		want   string // before the next update, and after it
		cursor string
	}{
		"now":                      {target: "stream", want: "|4", cursor: "3"},
		"after a cursor":           {target: "stream?after=1", want: "3|3 4", cursor: "1"},
		"at the very beginning":    {target: "stream?after=0", want: "1 3|1 3 4", cursor: "0"},
		"since a time":             {target: "stream?since=2027-01-15T08:00:02Z", want: "3|3 4"},
		"since a time yet to come": {target: "stream?since=2030-01-01T00:00:00Z", want: "|4"},
		"where a browser was": {target: "stream?since=2000-01-01T00:00:00Z",
			header: []string{"Last-Event-ID", "1"}, want: "3|3 4", cursor: "1"},
		"after what is yet to come": {target: "stream?after=3", want: "|4", cursor: "3"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := filled() // updates 1 and 3 are the owner's
				w, end := listen(as(tidings.Owner, New(configOf(f))), test.target, test.header...)
				synctest.Wait()
				before := idsIn(w.got())
				f.found(news, "fourth")
				synctest.Wait()
				end()
				if got := before + "|" + idsIn(w.got()); got != test.want {
					t.Errorf("got %q, want %q in:\n%s", got, test.want, w.got())
				}
				if got := w.Header().Get(CursorHeader); got != test.cursor {
					t.Errorf("cursor %q, want %q", got, test.cursor)
				}
			})
		})
	}
}

func TestStreamSaysWhatAProxyMustKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, end := listen(as(tidings.Owner, New(configOf(filled()))), "stream")
		synctest.Wait()
		end()
		for name, want := range map[string]string{
			"Content-Type": typeEvents, "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if want := "retry: 2000\n\nid: 3\n\n"; w.got() != want {
			t.Errorf("the head is %q, want %q", w.got(), want)
		}
	})
}

func TestStreamAsJSONLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, end := listen(as(tidings.Owner, New(configOf(filled()))), "stream?after=0", "Accept", typeNDJSON)
		synctest.Wait()
		end()
		lines := strings.Split(w.got(), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"id":1,`) || !strings.HasPrefix(lines[1], `{"id":3,`) {
			t.Errorf("got %q", w.got())
		}
	})
}

func TestSilentStreamShowsThatItLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, end := listen(as(tidings.Owner, New(configOf(filled()))), "stream")
		time.Sleep(46 * time.Second) // of the bubble's clock
		end()
		if n := strings.Count(w.got(), ":\n\n"); n != 3 {
			t.Errorf("%d heartbeats in 46 s, want 3: %q", n, w.got())
		}
	})
}

func TestStreamOutlivesAStoreThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := filled()
		w, end := listen(as(tidings.Owner, New(configOf(f))), "stream")
		synctest.Wait()
		f.mu.Lock()
		f.readErr = errors.New("busy")
		f.mu.Unlock()
		f.found(news, "fourth")
		time.Sleep(time.Second)
		f.mu.Lock()
		f.readErr = nil
		f.mu.Unlock()
		time.Sleep(10 * time.Second)
		end()
		if got := idsIn(w.got()); got != "4" {
			t.Errorf("got %q, want the update that came while the store failed", got)
		}
	})
}

// hostile 56: thousands of clients cost one read of the store for each update. There are as many clients as the race
// detector has goroutines for; the benchmark has 10,000.
func TestHostile56ThousandsOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := filled()
		h := as(tidings.Owner, New(configOf(f)))
		var ends []func()
		var clients []*recorder
		for range 5000 {
			w, end := listen(h, "stream")
			clients, ends = append(clients, w), append(ends, end)
		}
		synctest.Wait()
		before := f.reads
		f.found(news, "fourth")
		synctest.Wait()
		for _, w := range clients {
			if got := idsIn(w.got()); got != "4" {
				t.Fatalf("a client got %q", got)
			}
		}
		if n := f.reads - before; n > 2 {
			t.Errorf("%d reads of the store for one update", n)
		}
		for _, end := range ends {
			end()
		}
		// synctest fails the test if the goroutine that read for them is still there.
	})
}

func TestStreamCatchesUpBeyondWhatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := filled()
		c := configOf(f)
		c.Recent, c.RecentBytes = 4, 1000
		h := as(tidings.Owner, New(c))
		w, end := listen(h, "stream")
		synctest.Wait()
		want := []string{}
		for i := range 300 {
			u := f.found(news, strings.Repeat("x", i*7%1200)) // at times larger than all that is kept
			want = append(want, fmt.Sprint(u.ID))
		}
		synctest.Wait()
		end()
		if got := idsIn(w.got()); got != strings.Join(want, " ") {
			t.Errorf("got %s", got)
		}
	})
}

func TestTooManyStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := configOf(filled())
		c.MaxStreams = 1
		h := as(tidings.Owner, New(c))
		_, end := listen(h, "stream")
		synctest.Wait()
		if w := ask(h, "GET", "stream", ""); w.Code != http.StatusServiceUnavailable {
			t.Errorf("the second stream: %d", w.Code)
		}
		end()
		_, end = listen(h, "stream")
		synctest.Wait()
		end()
	})
}

func TestStreamRefusesCursorsThatAreNone(t *testing.T) {
	h := as(tidings.Owner, New(configOf(filled())))
	for _, bad := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		if w := ask(h, "GET", "stream", "", "Last-Event-ID", bad); w.Code != http.StatusBadRequest {
			t.Errorf("Last-Event-ID %s: %d", bad, w.Code)
		}
	}
}

// A cursor from another life of the store must not wait for ever in silence.
func TestStreamRefusesCursorsBeyondTheLatest(t *testing.T) {
	h := as(tidings.Owner, New(configOf(filled())))
	for target, header := range map[string][]string{"stream": {"Last-Event-ID", "99"}, "stream?after=99": nil} {
		w := ask(h, "GET", target, "", header...)
		if w.Code != http.StatusRequestedRangeNotSatisfiable || !strings.Contains(w.Body.String(), "the latest is 3") {
			t.Errorf("%s %v: %d %s", target, header, w.Code, w.Body)
		}
	}
}

// hostile 56: the cursor of somebody else's update opens nothing.
func TestHostile56CursorOfAnotherAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := filled() // update 2 is the second account's
		h := New(configOf(f))
		owner, endOwner := listen(as(tidings.Owner, h), "stream", "Last-Event-ID", "2")
		stranger, endStranger := listen(as(second, h), "stream", "Last-Event-ID", "1")
		nobody, endNobody := listen(as(3, h), "stream?after=0")
		synctest.Wait()
		f.found(other, "fourth")
		f.found(page, "fifth")
		synctest.Wait()
		endOwner()
		endStranger()
		endNobody()
		if got := idsIn(owner.got()); got != "3 5" {
			t.Errorf("the owner got %q", got)
		}
		if got := idsIn(stranger.got()); got != "2 4" {
			t.Errorf("the second account got %q", got)
		}
		if got := idsIn(nobody.got()); got != "" {
			t.Errorf("who follows nothing got %q", got)
		}
	})
}

// hostile 56: updates of a channel that is no longer followed are not sent again to a client that reconnects.
func TestHostile56NoLongerFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := filled()
		h := as(tidings.Owner, New(configOf(f)))
		_, endFirst := listen(h, "stream") // keeps recent updates alive
		synctest.Wait()
		f.found(news, "fourth")
		f.found(page, "fifth")
		synctest.Wait()
		f.Unsubscribe(t.Context(), tidings.Owner, news)
		w, end := listen(h, "stream", "Last-Event-ID", "3")
		synctest.Wait()
		end()
		endFirst()
		if got := idsIn(w.got()); got != "5" {
			t.Errorf("got %q, want what is followed", got)
		}
	})
}

// pipes is a listener. Its connections have no buffers and live on a bubble's clock.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p <- far
	return near, nil
}

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// hostile 56: a client that does not read is cut, and others do not notice. The clock is the bubble's, so that a client
// that reads is never late, however slow the machine.
func TestHostile56ClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := filled()
		const grace = 20 * time.Second // of the server
		listener := make(pipes)
		s := server.New(slog.New(slog.DiscardHandler), server.Endpoint{
			Name: "page", Listener: listener, Handler: as(tidings.Owner, New(configOf(f))), Limit: 10,
		})
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx) }()
		defer func() {
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
		}()

		deaf, err := listener.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer deaf.Close()
		fmt.Fprintf(deaf, "GET %sstream?after=3 HTTP/1.1\r\nHost: x\r\n\r\n", Base)
		if _, err := bufio.NewReader(deaf).ReadString('\n'); err != nil { // the stream is open
			t.Fatal(err)
		}
		transport := &http.Transport{DialContext: listener.dial}
		defer transport.CloseIdleConnections()
		hearing, err := (&http.Client{Transport: transport}).Get("http://x" + Base + "stream?after=3")
		if err != nil {
			t.Fatal(err)
		}
		defer hearing.Body.Close()

		began := time.Now()
		big := strings.Repeat("x", 1<<20)
		var last tidings.Update
		for range 3 {
			last = f.found(news, big)
		}
		lines := bufio.NewReader(hearing.Body)
		for want := fmt.Sprintf("id: %d\n", last.ID); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("the client that reads was cut: %v", err)
			}
			if line == want {
				break
			}
		}
		if waited := time.Since(began); waited >= grace {
			t.Errorf("the client that reads waited %v for the one that does not", waited)
		}
		go func() { _, _ = lines.WriteTo(io.Discard) }() // it goes on reading
		time.Sleep(grace - time.Since(began) - time.Millisecond)
		synctest.Wait()
		if open := s.State("page").Open; open != 2 {
			t.Errorf("%d connections are open before the patience with the client that does not read is over, want 2",
				open)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if open := s.State("page").Open; open != 1 {
			t.Errorf("%d connections are open when it is over, want 1", open)
		}
	})
}
