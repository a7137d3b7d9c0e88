package node

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
	"tidings/view"
)

// The tests here hold a whole node against misbehaving origins. Each names the row of the list of hostile inputs that
// it guards. What one package can show alone is tested there.

// watched is a node, an origin with one document, and a subscription to it.
type watched struct {
	t      *testing.T
	origin *origin.Origin
	client *api.Client
	node   *Node
	url    string
}

func watchFeed(t *testing.T, change ...func(*Config)) *watched {
	t.Helper()
	o, base := startOrigin(t)
	if err := o.AddFeed("doc", origin.MakeFeed(7, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	return watchDoc(t, o, base, change...)
}

func watchPage(t *testing.T, pages ...string) *watched {
	t.Helper()
	o, base := startOrigin(t)
	if err := o.Add("doc", historyOf(pages...), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	return watchDoc(t, o, base)
}

func watchDoc(t *testing.T, o *origin.Origin, base string, change ...func(*Config)) *watched {
	t.Helper()
	n, client := startNode(t, change...)
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "doc"})
	if err != nil {
		t.Fatal(err)
	}
	return &watched{t, o, client, n, f.URL}
}

func (w *watched) poll() tidings.Poll {
	w.t.Helper()
	poll, err := w.client.Poll(w.t.Context(), w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	return poll
}

func (w *watched) updates() []tidings.Update {
	w.t.Helper()
	all, err := w.client.Updates(w.t.Context(), tidings.UpdateQuery{Limit: tidings.MaxLimit})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *watched) channel() tidings.Subscription {
	w.t.Helper()
	f, err := w.client.Channel(w.t.Context(), w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w *watched) fail(kind origin.FaultKind, value string) {
	w.t.Helper()
	if err := w.origin.Fail("doc", origin.Fault{Kind: kind, Value: value}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) heal() {
	w.t.Helper()
	if err := w.origin.Heal("doc"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) step() {
	w.t.Helper()
	if _, err := w.origin.Step("doc"); err != nil {
		w.t.Fatal(err)
	}
}

func TestHostile1AndHostile57PrivateAddressesAreRefusedWithoutAPacket(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(server.Close)
	_, client := startNode(t, func(c *Config) { c.LabOrigins = false })
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"} {
		_, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: "http://" + host + ":" + port + "/"})
		if err == nil {
			t.Errorf("%s: it was subscribed to", host)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests reached a private address", n)
	}
}

func TestHostile8ALoginPageInPlaceOfAFeedIsNoNews(t *testing.T) {
	for fault, value := range map[origin.FaultKind]string{"login": "", "empty": "", "status": "", "truncated": "",
		"challenge": "", "429": "3600"} {
		t.Run(string(fault), func(t *testing.T) {
			w := watchFeed(t)
			w.fail(fault, value)
			poll := w.poll()
			if poll.Outcome.Read() || poll.Error == "" {
				t.Errorf("check %+v, want a failure with a reason", poll)
			}
			f := w.channel()
			if f.Health == tidings.HealthGood || f.Failures != 1 || f.Unread != 5 {
				t.Errorf("channel %+v", f)
			}
			w.heal()
			w.step()
			if fault == "429" {
				if poll := w.poll(); poll.Outcome != tidings.OutcomeLimited || len(w.updates()) != 1 {
					t.Errorf("a check before the time that the origin asked for: %+v", poll)
				}
				return
			}
			if poll := w.poll(); poll.Outcome != tidings.OutcomeChanged {
				t.Errorf("check after recovery %+v", poll)
			}
			if all := w.updates(); len(all) != 2 || len(all[1].Items) != 1 {
				t.Errorf("updates after recovery: %+v", all)
			}
		})
	}
}

func TestHostile9AndHostile20AFeedThatComesBackTellsNothingTwice(t *testing.T) {
	w := watchFeed(t)
	for _, state := range []int{3, 0, 3, 1, 3, 2, 0, 4} {
		if err := w.origin.Set("doc", state); err != nil {
			t.Fatal(err)
		}
		w.poll()
	}
	told := map[string]int{}
	for _, u := range w.updates() {
		for _, item := range u.Items {
			if told[item.ID]++; told[item.ID] > 1 || item.Change != tidings.New {
				t.Errorf("%s is told again, as %s", item.ID, item.Change)
			}
		}
	}
	if len(told) != 9 {
		t.Errorf("%d items told, want 9", len(told))
	}
}

func TestHostile11GoneEndsAChannelWithANotice(t *testing.T) {
	for name, w := range map[string]*watched{"feed": watchFeed(t), "page": watchPage(t, pageOf("one"), pageOf("two"))} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			w.fail("410", "")
			if poll := w.poll(); poll.Outcome != tidings.OutcomeGone || !poll.Next.IsZero() {
				t.Errorf("check %+v", poll)
			}
			if f := w.channel(); f.Health != tidings.HealthEnded {
				t.Errorf("health %q", f.Health)
			}
			all := w.updates()
			last := all[len(all)-1]
			if len(all) != 2 || len(last.Items) != 1 || last.Items[0].Title != "This channel has ended" ||
				last.Version != 2 {
				t.Errorf("updates %+v", all)
			}
			w.poll()
			if n := len(w.updates()); n != 2 {
				t.Errorf("%d updates after another check of what has ended, want 2", n)
			}
			state, err := w.client.State(t.Context(), w.url, 2)
			if err != nil || len(state.Items)+len(state.Lines) == 0 {
				t.Errorf("the content is gone: %+v, error %v", state, err)
			}
			w.heal()
			if poll := w.poll(); !poll.Outcome.Read() || poll.Next.IsZero() {
				t.Errorf("a check by hand after it came back: %+v", poll)
			}
		})
	}
}

func TestHostile13NoiseIsLearnedAndNotTold(t *testing.T) {
	o, base := startOrigin(t)
	h := historyOf(pageOf("first line", "second line"), pageOf("first line", "second line", "third line"))
	if err := o.Add("doc", h, origin.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := o.Fail("doc", origin.Fault{Kind: "noise"}); err != nil {
		t.Fatal(err)
	}
	w := watchDoc(t, o, base)
	for range 6 {
		if poll := w.poll(); !poll.Outcome.Read() {
			t.Fatalf("check %+v", poll)
		}
	}
	if all := w.updates(); len(all) != 1 {
		t.Errorf("noise was told: %d updates, the last %+v", len(all), all[len(all)-1])
	}
	w.step()
	w.poll()
	all := w.updates()
	if len(all) != 2 || !strings.Contains(all[1].Delta, "> third line") {
		t.Fatalf("a change among noise: %+v", all)
	}
	for range 3 {
		w.poll()
	}
	if n := len(w.updates()); n != 2 {
		t.Errorf("%d updates after checks of nothing but noise, want 2", n)
	}
}

// turns serves its documents one after the other.
type turns struct {
	docs  []string
	calls atomic.Int64
}

func (s *turns) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	n := s.calls.Add(1) - 1
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, s.docs[int(n)%len(s.docs)])
}

func TestHostile14AnOriginThatServesTwoVersionsByTurnsDoesNotFlip(t *testing.T) {
	s := &turns{docs: []string{pageOf("shared", "served by the first"), pageOf("shared", "served by the second")}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	_, client := startNode(t)
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: server.URL + "/doc"})
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, client: client, url: f.URL}
	for range 12 {
		w.poll()
	}
	if n := len(w.updates()); n > 2 {
		t.Errorf("%d updates of two versions by turns, want at most 2", n)
	}
}

func TestHostile4APermanentRedirectIsBelievedOnceItHeld(t *testing.T) {
	w := watchFeed(t)
	if err := w.origin.AddFeed("moved", origin.MakeFeed(7, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	w.fail("301", "/moved")
	for i := range 3 {
		if f := w.channel(); f.Moved != "" {
			t.Errorf("moved after %d checks", i)
		}
		w.poll()
	}
	f := w.channel()
	if !strings.HasSuffix(f.Moved, "/moved") || !strings.HasSuffix(f.URL, "/doc") {
		t.Errorf("channel %s, moved to %q", f.URL, f.Moved)
	}
	before := len(w.origin.Requests("doc"))
	w.poll()
	if n := len(w.origin.Requests("doc")) - before; n != 0 {
		t.Errorf("the old address was asked %d times more", n)
	}
	if n := len(w.updates()); n != 1 {
		t.Errorf("%d updates for a move, want none but the first", n)
	}
}

func TestADeltaFromTheOriginTellsWhatIsNewAndForgetsNothing(t *testing.T) {
	o, base := startOrigin(t)
	if err := o.AddFeed("doc", origin.MakeFeed(7, 5, 4000), origin.Options{Delta: true}); err != nil {
		t.Fatal(err)
	}
	w := watchDoc(t, o, base)
	w.step()
	if poll := w.poll(); poll.Status != http.StatusIMUsed || poll.Outcome != tidings.OutcomeChanged {
		t.Errorf("check %+v", poll)
	}
	if all := w.updates(); len(all) != 2 || len(all[1].Items) != 1 {
		t.Errorf("updates %+v", all)
	}
	state, err := w.client.State(t.Context(), w.url, 0)
	if err != nil || len(state.Items) != 6 {
		t.Errorf("%d items in the latest state, want the five and the new one (error %v)", len(state.Items), err)
	}
	w.step()
	w.poll()
	if all := w.updates(); len(all) != 3 || len(all[2].Items) != 1 {
		t.Errorf("updates after a second delta: %+v", all)
	}
}

func TestARestartAsksNobodyAndLosesNothing(t *testing.T) {
	o, base := startOrigin(t)
	c := Default()
	c.Data, c.HTTP, c.LabOrigins, c.Interval, c.NoNetwork = t.TempDir(), "127.0.0.1:0", true, time.Hour, true
	n, stop := runNode(t, c)
	const channels = 40
	for i := range channels {
		name := fmt.Sprint("feed", i)
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i), 3, 2000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := n.Subscribe(t.Context(), tidings.Owner, tidings.SubscribeRequest{URL: base + name}); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	asked := func() (total int64) {
		for _, count := range o.Counts() {
			total += int64(count.Requests)
		}
		return total
	}
	before := asked()
	n, stop = runNode(t, c)
	defer stop()
	status, err := n.Status(t.Context())
	if err != nil || status.Channels != channels || status.LatestUpdate != channels {
		t.Errorf("status after a restart: %+v, error %v", status, err)
	}
	updates, err := n.store.Reader.Updates(t.Context(), tidings.Owner, tidings.UpdateQuery{Limit: 100})
	if err != nil || len(updates) != channels {
		t.Errorf("%d updates after a restart, want %d (error %v)", len(updates), channels, err)
	}
	if extra := asked() - before; extra > channels/4 {
		t.Errorf("%d requests at a restart within the interval", extra)
	}
}

func TestOtherOptionsReadAPageAnewAtOnce(t *testing.T) {
	w := watchPage(t, `<html><body><p>intro text that stays</p><div id="prices"><p>apples 3</p></div></body></html>`)
	if _, err := w.client.Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: w.url, Options: tidings.PageOptions{Select: []string{"#prices"}}}); err != nil {
		t.Fatal(err)
	}
	await(t, "the page is read anew", func() bool { return w.channel().Version >= 2 })
	state, err := w.client.State(t.Context(), w.url, 0)
	if err != nil || strings.Join(state.Lines, "|") != "apples 3" {
		t.Errorf("lines %q, error %v", state.Lines, err)
	}
	_, err = w.client.Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: w.url, Options: tidings.PageOptions{Select: []string{"#["}}})
	if !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a bad selector: error %v", err)
	}
	_, err = w.client.Subscribe(t.Context(),
		tidings.SubscribeRequest{URL: w.url, Options: tidings.PageOptions{Select: []string{"#pears"}}})
	if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), "#pears") {
		t.Errorf("a selector that finds nothing: error %v", err)
	}
	if o := w.channel().Options; len(o.Select) != 1 || o.Select[0] != "#prices" {
		t.Errorf("it has taken the place of one that does: %+v", o)
	}
}

// A page with marked-up entries is followed as a feed of them, by several people too. Their orders are carried out.
func TestAPageOfEntriesIsFollowedAsAFeed(t *testing.T) {
	o, base := startOrigin(t)
	page := `<html><head><title>Notes</title></head><body class="h-feed">` +
		`<p class="h-entry"><a class="u-url p-name" href="/2">Second</a></p><p class="h-entry"><a class="u-url p-name" href="/1">First</a></p></body></html>`
	if err := o.AddStatic("notes", "text/html", []byte(page), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	if err := client.SetPassword(t.Context(), personsPassword); err != nil {
		t.Fatal(err)
	}
	if _, err := n.store.Reader.AddPerson(t.Context(), "bea", tidings.Reader, "a hash of a password"); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "notes"}); err != nil {
		t.Fatal(err)
	}
	await(t, "the page is a feed", func() bool {
		f, err := client.Channel(t.Context(), base+"notes")
		return err == nil && f.Kind == tidings.KindFeed && f.Options.Entries && f.Version == 1 && f.Unread == 2
	})
	if p, err := client.Poll(t.Context(), base+"notes"); err != nil || p.Outcome != tidings.OutcomeUnchanged &&
		p.Outcome != tidings.OutcomeNotModified {
		t.Errorf("the next poll: %+v, error %v", p, err)
	}
}

func TestCredentialsAreUsedAndNeverShown(t *testing.T) {
	const user, password = "ada", "s3cret-pass"
	feed := origin.MakeFeed(3, 3, 2000).State(0)
	var allowed, refused atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, ok := r.BasicAuth(); !ok || u != user || p != password {
			refused.Add(1)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		allowed.Add(1)
		_, _ = w.Write(feed)
	}))
	t.Cleanup(server.Close)
	var logged bytes.Buffer
	c := Default()
	c.Data, c.HTTP, c.LabOrigins, c.Interval, c.NoNetwork = t.TempDir(), "127.0.0.1:0", true, time.Hour, true
	c.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, stop := runNode(t, c)
	client := api.Dial(api.SocketPath(c.Data))
	defer client.Close()
	address := strings.Replace(server.URL, "http://", "http://"+user+":"+password+"@", 1) + "/private"
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	if f.Privacy != tidings.Credentialed || f.URL != server.URL+"/private" {
		t.Errorf("channel %+v", f)
	}
	if poll, err := client.Poll(t.Context(), f.URL); err != nil || !poll.Outcome.Read() {
		t.Errorf("check %+v, error %v", poll, err)
	}
	if allowed.Load() < 2 || refused.Load() != 0 {
		t.Errorf("%d requests with credentials and %d without", allowed.Load(), refused.Load())
	}
	var shown strings.Builder
	for _, path := range []string{"channels", "updates", "entries", "status", "opml"} {
		fmt.Fprintln(&shown, get(t, api.SocketPath(c.Data), path))
	}
	stop()
	for where, text := range map[string]string{"the API": shown.String(), "the log": logged.String()} {
		if strings.Contains(text, password) {
			t.Errorf("%s shows the password", where)
		}
	}
}

// get reads a path of the API through the socket, as it is sent.
func get(t *testing.T, socket, path string) string {
	t.Helper()
	hc := &http.Client{Transport: overSocket(socket)}
	res, err := hc.Get("http://node" + api.Base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", path, res.Status, body)
	}
	return string(body)
}

func TestFilesOfTheDataDirectoryAreTheOwnersAlone(t *testing.T) {
	n, _ := startNode(t)
	entries, err := os.ReadDir(n.config.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			t.Errorf("%s has mode %04o", e.Name(), mode)
		}
	}
}

func TestOthersNeedAPassword(t *testing.T) {
	c := Default()
	c.Data, c.HTTP, c.NoNetwork = t.TempDir(), "0.0.0.0:0", true
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Run(t.Context()); !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), "password") {
		t.Errorf("a node that everybody can reach started without a password: %v", err)
	}
}

func TestFollowingAgainTakesWhatIsAskedNow(t *testing.T) {
	w := watchPage(t,
		`<html><body><div id="prices"><p>apples 3</p></div><div class="other"><p>open daily</p></div></body></html>`)
	ctx := t.Context()
	if _, err := w.client.Unsubscribe(ctx, w.url); err != nil {
		t.Fatal(err)
	}
	order := tidings.SubscribeRequest{URL: w.url, Options: tidings.PageOptions{Select: []string{".other"}},
		Privacy: tidings.Unlisted}
	f, err := w.client.Subscribe(ctx, order)
	if err != nil || f.Privacy != tidings.Unlisted || len(f.Options.Select) != 1 {
		t.Fatalf("followed again: %+v, error %v", f, err)
	}
	state, err := w.client.State(ctx, w.url, 0)
	if err != nil || strings.Join(state.Lines, "|") != "open daily" {
		t.Errorf("lines %q, error %v", state.Lines, err)
	}
	order.Privacy, order.Options.Select = tidings.Public, []string{"#prices"}
	if f, err = w.client.Subscribe(ctx, order); err != nil || f.Privacy != tidings.Public ||
		f.Options.Select[0] != "#prices" {
		t.Errorf("other wishes while it is followed: %+v, error %v", f, err)
	}
	if status, err := w.client.Status(ctx); err != nil || status.Polls == 0 || status.Bytes == 0 {
		t.Errorf("the first checks are not counted: %+v, error %v", status, err)
	}
}

func TestHostile16ABombThatLooksLikeAFeedIsNoPage(t *testing.T) {
	o, base := startOrigin(t)
	bomb := `<rss><channel><title>x</title><item>` + strings.Repeat("<x:a>", 100_000)
	if err := o.AddStatic("doc", "text/xml", []byte(bomb), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	_, client := startNode(t)
	if p, err := client.Preview(t.Context(), tidings.SubscribeRequest{URL: base + "doc"}); err == nil {
		t.Errorf("it was read as a %s of %d", p.Kind, p.Count)
	}
}

func TestARestoredBackupGivesNoNumberAgain(t *testing.T) {
	w := watchFeed(t)
	dir := t.TempDir()
	backUp(t, w.client, filepath.Join(dir, "tidings.db"), view.BackupOrder{})
	w.step()
	w.poll()
	lost := w.updates()
	last := lost[len(lost)-1].ID
	n, client := startNode(t, func(c *Config) { c.Data = dir })
	w.step()
	if _, err := n.PollNow(t.Context(), tidings.Owner, w.url); err != nil {
		t.Fatal(err)
	}
	after, err := client.Updates(t.Context(), tidings.UpdateQuery{After: last})
	if err != nil || len(after) != 1 || len(after[0].Items) != 2 {
		t.Errorf("after cursor %d in the restored store: %+v, error %v", last, after, err)
	}
}
