package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/view"
)

// serve lets h listen at a socket, and returns its path.
func serve(t testing.TB, h http.Handler) string {
	dir, err := os.MkdirTemp("", "api") // t.TempDir is too long for a socket on some systems
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := SocketPath(dir)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return socket
}

func dialed(t testing.TB, f *fake) *Client {
	c := Dial(serve(t, as(tidings.Owner, New(configOf(f)))))
	t.Cleanup(c.Close)
	return c
}

func TestClientSpeaksEveryRoute(t *testing.T) {
	f := filled()
	c, ctx := dialed(t, f), t.Context()
	check := func(what string, err error, good bool) {
		t.Helper()
		if err != nil || !good {
			t.Errorf("%s: err %v, as expected: %v", what, err, good)
		}
	}
	all, err := c.Channels(ctx)
	check("channels", err, len(all) == 2)
	one, err := c.Channel(ctx, news)
	check("channel", err, one.Name == "Mine")
	one, err = c.Subscribe(ctx, tidings.SubscribeRequest{URL: "https://new.example/", Name: "N"})
	check("subscribe", err, one.Name == "N")
	name, private := "M", tidings.Unlisted
	one, err = c.Change(ctx, "https://new.example/", tidings.ChannelChange{Name: &name, Privacy: &private})
	check("change", err, one.Name == "M" && one.Privacy == private)
	one, err = c.Unsubscribe(ctx, "https://new.example/")
	check("unsubscribe", err, one.URL == "https://new.example/")
	poll, err := c.Poll(ctx, news)
	check("poll", err, poll.Outcome == tidings.OutcomeNotModified)
	preview, err := c.Preview(ctx, tidings.SubscribeRequest{URL: news})
	check("preview", err, preview.Kind == tidings.KindFeed)
	updates, err := c.Updates(ctx, tidings.UpdateQuery{After: 1, Limit: 5})
	check("updates", err, len(updates) == 1 && updates[0].ID == 3)
	updates, err = c.Updates(ctx, tidings.UpdateQuery{Newest: true, Limit: 1})
	check("newest updates", err, len(updates) == 1 && updates[0].ID == 3)
	updates, err = c.Updates(ctx, tidings.UpdateQuery{Limit: 1})
	check("first update", err, len(updates) == 1 && updates[0].ID == 1)
	update, err := c.Update(ctx, 3)
	check("update", err, update.ID == 3)
	entries, err := c.Entries(ctx, tidings.EntryQuery{Starred: true})
	check("entries", err, len(entries) == 1)
	entry, err := c.Entry(ctx, 1)
	check("entry", err, entry.ID == 1)
	check("mark read", c.MarkRead(ctx, []int64{4}, true), true)
	n, err := c.MarkAllRead(ctx, tidings.EntryQuery{Folder: "a"}, 9)
	check("mark all read", err, n == 7)
	check("star", c.Star(ctx, 4, true), slices.Equal(f.marked, []string{
		"account 1 read [4] true", `account 1 read all in "a" up to 9`, "account 1 star 4 true"}) || len(f.marked) == 2)
	state, err := c.State(ctx, news, 1)
	check("state", err, len(state.Items) == 4)
	difference, err := c.Diff(ctx, page, 2, 3)
	check("diff", err, difference.From == 2 && strings.HasPrefix(difference.Delta, "1c1"))
	status, err := c.Status(ctx)
	check("status", err, status.ID == "abc")
	var copied strings.Builder
	backup, err := c.Backup(ctx, view.BackupOrder{}, &copied)
	check("backup", err, backup == view.Backup{Bytes: 16, Keys: 2} && copied.String() == "a copy with keys" &&
		f.backup.closed)
	check("password", c.SetPassword(ctx, "correct horse"), true)
	secret, err := c.NewToken(ctx, tidings.Token{Label: "phone"})
	check("new token", err, strings.HasPrefix(secret, "tdg_"))
	tokens, err := c.Tokens(ctx)
	check("tokens", err, len(tokens) == 1 && tokens[0].Label == "phone")
	check("delete token", c.DeleteToken(ctx, 1), true)
	feed, err := c.Feeds().Add(ctx, tidings.FeedAddress{Selection: tidings.SelectSearch, Of: "tea", Name: "n"})
	check("new feed", err, feed.ID == 1 && feed.Of == "tea" && feed.Name == "n" &&
		strings.HasSuffix(feed.Atom, ".atom") && strings.HasSuffix(feed.JSON, ".json"))
	feeds, err := c.Feeds().List(ctx)
	check("feeds", err, len(feeds) == 1 && feeds[0] == feed.FeedAddress)
	err = c.Feeds().Remove(ctx, 1)
	check("remove feed", err, len(f.feeds) == 0)
	if !strings.HasPrefix(f.password, "$argon2id$") || len(f.tokens) != 0 || len(f.marked) != 3 {
		t.Errorf("the node saw: %q %v %q", f.password, f.tokens, f.marked)
	}
}

// A backup of which bytes are missing is none.
func TestABackupIsWholeOrFails(t *testing.T) {
	f := filled()
	f.cut = 1
	var copied strings.Builder
	if _, err := dialed(t, f).Backup(t.Context(), view.BackupOrder{}, &copied); err == nil || !f.backup.closed {
		t.Errorf("%v, and its end was noticed: %v", err, f.backup.closed)
	}
	f.noBackup = errors.New("disk full")
	if _, err := dialed(t, f).Backup(t.Context(), view.BackupOrder{}, &copied); err == nil ||
		err.Error() != "no backup was made: disk full" {
		t.Errorf("the node could not make one: %v", err)
	}
}

func TestClientTellsErrorsApart(t *testing.T) {
	c := dialed(t, filled())
	_, err := c.Channel(t.Context(), other)
	var refused *Error
	if !errors.Is(err, tidings.ErrNotFollowed) || errors.Is(err, tidings.ErrInvalid) || !errors.As(err, &refused) ||
		refused.Hint == "" {
		t.Errorf("got %#v", err)
	}
	if _, err := c.Subscribe(t.Context(), tidings.SubscribeRequest{URL: news}); !errors.Is(err, tidings.ErrExists) {
		t.Errorf("got %v", err)
	}
	nobody := Dial(filepath.Join(t.TempDir(), "x"))
	if _, err := nobody.Status(t.Context()); !errors.Is(err, ErrNoNode) {
		t.Errorf("without a node: %v", err)
	}
	if err := nobody.Follow(t.Context(), FromNow, time.Time{}, nil); !errors.Is(err, ErrNoNode) {
		t.Errorf("following without a node: %v", err)
	}
	long := Dial("/" + strings.Repeat("x", 200))
	if _, err := long.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "201 bytes") {
		t.Errorf("a path that is too long: %v", err)
	}
}

func TestLeftoverSocketIsNoNode(t *testing.T) {
	socket := SocketPath(t.TempDir())
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		t.Skip(err) // the path is too long here
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if _, err := Dial(socket).Status(t.Context()); !errors.Is(err, ErrNoNode) {
		t.Errorf("got %v", err)
	}
}

// A node that is killed while it is asked resets the connection, or closes it.
func TestANodeThatEndsBeforeItAnswers(t *testing.T) {
	socket := SocketPath(t.TempDir())
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err) // the path is too long here
	}
	defer l.Close()
	go func() {
		for read := false; ; read = !read {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if read { // what is left unread resets a connection
				_, _ = c.Read(make([]byte, 4096))
			} else {
				_, _ = c.Read(make([]byte, 1))
			}
			c.Close()
		}
	}()
	for range 4 {
		if _, err := Dial(socket).Status(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("got %v", err)
		}
		if err := Dial(socket).Follow(t.Context(), FromNow, time.Time{}, nil); !errors.Is(err, ErrEnded) {
			t.Errorf("following: %v", err)
		}
	}
}

// An order that ends as its node does has no answer: what failed then, failed of that.
func TestANodeThatEndsWhileItAnswers(t *testing.T) {
	ends := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
	c := Dial(serve(t, ends(as(tidings.Owner, New(configOf(newFake()))))))
	t.Cleanup(c.Close)
	if _, err := c.Unsubscribe(t.Context(), "https://nowhere.example/"); !errors.Is(err, ErrEnded) {
		t.Errorf("got %v", err)
	}
}

func TestImportAndExport(t *testing.T) {
	f := newFake()
	c := dialed(t, f)
	f.follow(tidings.Owner, tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/0"}})
	var list strings.Builder
	list.WriteString("<opml version=\"2.0\"><body><outline text=\"F\">\n")
	for i := range 120 {
		host := "a.example"
		if i == 70 {
			host = "user:secret@bad.example"
		}
		list.WriteString(`<outline type="rss" text="T" xmlUrl="https://` + host + `/` +
			string(rune('0'+i%10)) + strings.Repeat("x", i/10) + "\"/>\n")
	}
	list.WriteString("<outline type=\"rss\" text=\"T\" xmlUrl=\"ftp://x/\"/>\n</outline></body></opml>")
	var lines []ImportProgress
	last, err := c.Import(t.Context(), strings.NewReader(list.String()), false,
		func(p ImportProgress) { lines = append(lines, p) })
	if err != nil || last.Total != 120 || last.Done != 120 || last.Added != 118 || last.Already != 1 ||
		last.Failed != 1 {
		t.Fatalf("got %+v, %v", last, err)
	}
	var problems []ImportProblem
	for _, p := range lines {
		problems = append(problems, p.Problems...)
	}
	if len(lines) < 4 || len(problems) != 2 || problems[0].Line != 122 || strings.Contains(problems[1].URL, "secret") {
		t.Errorf("%d lines of progress, problems %+v", len(lines), problems)
	}
	var plain, proxied bytes.Buffer
	if err := errors.Join(c.Export(t.Context(), &plain, false), c.Export(t.Context(), &proxied, true)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plain.String(), `xmlUrl="https://a.example/0"`) ||
		!strings.Contains(plain.String(), `text="F"`) {
		t.Errorf("exported:\n%s", plain.String())
	}
	if !strings.Contains(proxied.String(), `xmlUrl="http://127.0.0.1:7600/feed?url=https%3A%2F%2Fa.example%2F0"`) {
		t.Errorf("exported for the proxy:\n%s", proxied.String())
	}
	_, err = c.Import(t.Context(), strings.NewReader("hello"), false, func(ImportProgress) {})
	if !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("importing no OPML: %v", err)
	}
}

func TestImportPages(t *testing.T) {
	f := newFake()
	c := dialed(t, f)
	list := `<opml><body><outline text="P" htmlUrl="https://p.example/"/></body></opml>`
	for _, pages := range []bool{false, true} {
		last, err := c.Import(t.Context(), strings.NewReader(list), pages, func(ImportProgress) {})
		if added := last.Added == 1; err != nil || added != pages || len(last.Problems) == 0 != pages {
			t.Errorf("pages %v: %+v, %v", pages, last, err)
		}
	}
}

func TestFollowEndsWithItsCaller(t *testing.T) {
	f := filled()
	c := dialed(t, f)
	enough := errors.New("enough")
	if err := c.Follow(t.Context(), 0, time.Time{}, func(tidings.Update) error { return enough }); err != enough {
		t.Errorf("got %v, want the caller's own error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := c.Follow(ctx, 0, time.Time{}, func(tidings.Update) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// cutting ends each stream after the next number of bytes in after, wherever in an update that is. When after is empty,
// streams are not cut.
type cutting struct {
	http.Handler
	after chan int
}

func (c cutting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case room := <-c.after:
		c.Handler.ServeHTTP(&cutWriter{w, room}, r)
		panic(http.ErrAbortHandler)
	default:
		c.Handler.ServeHTTP(w, r)
	}
}

type cutWriter struct {
	http.ResponseWriter
	room int
}

func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *cutWriter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		n, _ := w.ResponseWriter.Write(p[:w.room])
		http.NewResponseController(w.ResponseWriter).Flush()
		w.room = 0
		return n, errors.New("cut")
	}
	w.room -= len(p)
	return w.ResponseWriter.Write(p)
}

// However a stream is cut, and however much is kept, a client gets every update of its channels once and in order.
func TestReconnectingMissesNothingAndSeesNothingTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := filled()
		config := configOf(f)
		config.Recent = rapid.IntRange(1, 5).Draw(rt, "kept")
		cuts := rapid.SliceOfN(rapid.IntRange(0, 900), 0, 12).Draw(rt, "cuts")
		channels := rapid.SliceOfN(rapid.SampledFrom([]string{news, page, other}), 1, 30).Draw(rt, "updates")
		h := cutting{as(tidings.Owner, New(config)), make(chan int, len(cuts))}
		for _, cut := range cuts {
			h.after <- cut
		}
		server := httptest.NewServer(h)
		defer server.Close()
		defer server.CloseClientConnections()
		c := Dial("")
		c.http = server.Client()
		c.http.Transport = toServer{server}
		c.wait = backOff{least: time.Microsecond, most: time.Millisecond}

		var want, got []int64
		for _, u := range f.updates {
			if u.Channel != other {
				want = append(want, u.ID)
			}
		}
		go func() {
			for _, channel := range channels {
				f.found(channel, "text")
			}
			f.found(news, "the last")
		}()
		for i, channel := range channels {
			if channel != other {
				want = append(want, int64(i+4))
			}
		}
		last := int64(len(channels) + 4)
		want = append(want, last)
		enough := errors.New("enough")
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		first := errors.New("cut before it began")
		err := first
		for err != enough && ctx.Err() == nil { // a failure of the first attempt is reported, and not tried again
			err = c.Follow(ctx, after(got), time.Time{}, func(u tidings.Update) error {
				got = append(got, u.ID)
				if u.ID == last {
					return enough
				}
				return nil
			})
		}
		if err != enough || !slices.Equal(got, want) {
			rt.Fatalf("got %v, want %v (%v)", got, want, err)
		}
	})
}

func after(got []int64) int64 {
	if len(got) == 0 {
		return 0
	}
	return got[len(got)-1]
}

// toServer sends every request to the test server, whatever host it names.
type toServer struct{ *httptest.Server }

func (s toServer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = s.Listener.Addr().String()
	return http.DefaultTransport.RoundTrip(r)
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"", "retry: 2000\n\nid: 3\n\n", ":\n\n", "id: 4\nevent: update\ndata: {\"id\":4}\n\n",
		"id: 4\nevent: update\ndata: {\"id\":4}\n",
		"event: update\ndata: nonsense\n\n", "id: x\r\n\r\n", "data", "id: 5\nevent: other\ndata: {}\n\n", "id: -7\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		told := 0
		s := stream{cursor: FromNow, each: func(tidings.Update) error { told++; return nil }}
		if err := s.events(bufio.NewReader(bytes.NewReader(text)), func() {}); err == nil {
			t.Fatal("a stream that ends is cut off")
		}
		if complete := bytes.Count(text, []byte("event")); told > complete || s.cursor < FromNow {
			t.Fatalf("%d updates told of at most %d; cursor %d", told, complete, s.cursor)
		}
	})
}
