package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/view"
)

const (
	feedURL = "https://news.example/feed"
	pageURL = "https://shop.example/prices"
)

// fakeNode answers what the tests ask, behind the real API.
type fakeNode struct {
	api.Store
	api.Node
	order     tidings.SubscribeRequest
	preview   tidings.Preview
	network   api.Network // nil: it works alone
	previews  int
	updates   []tidings.Update
	push      *tidings.Push // of the feed
	state     tidings.State // of the feed: the nodes that vouch for it
	penalties []view.Penalty
	files     []tidings.Enclosure // of its item
	publisher api.Publisher       // nil: it publishes nothing
}

const evil = "\x1b[31mred\x1b[0m \u202eevil\u202c\u009b2J\a"

func newFakeNode() *fakeNode {
	t := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	return &fakeNode{
		updates: []tidings.Update{
			{ID: 1, Channel: feedURL, Title: "News", Version: 1, Kind: tidings.KindFeed, Received: t,
				Items: []tidings.Item{
					{ID: "1", URL: "https://news.example/1", Title: "One " + evil, Change: tidings.New},
					{ID: "2", URL: "https://news.example/2", Summary: "<p>No <b>title</b></p>",
						Change: tidings.Changed}}},
			{ID: 2, Channel: pageURL, Title: "Prices", Version: 1, Kind: tidings.KindPage, Received: t,
				Delta: "0a1\n> tea 3\n"},
			{ID: 3, Channel: pageURL, Title: "Prices", Version: 2, Kind: tidings.KindPage, Received: t,
				Delta: "1c1\n< tea 3\n---\n> tea 4 " + evil + "\n"},
		},
	}
}

func (f *fakeNode) Channels(context.Context, tidings.AccountID) ([]tidings.Subscription, error) {
	return []tidings.Subscription{
		{Channel: tidings.Channel{URL: feedURL, Title: "News " + evil, Kind: tidings.KindFeed}, Folder: "daily",
			Unread: 12, Health: tidings.HealthGood,
			Last: tidings.Poll{NextWhy: "the usual interval"}, Push: f.push},
		{Channel: tidings.Channel{URL: pageURL, Title: "Prices", Kind: tidings.KindPage}, Health: tidings.HealthFailing,
			Last: tidings.Poll{Error: "HTTP 500", NextWhy: "it failed 3 times"}},
	}, nil
}

func (f *fakeNode) Channel(_ context.Context, _ tidings.AccountID, url string) (tidings.Subscription, error) {
	switch url {
	case feedURL:
		return tidings.Subscription{Channel: tidings.Channel{URL: url, Kind: tidings.KindFeed, Version: 2},
			Push: f.push}, nil
	case pageURL:
		return tidings.Subscription{Channel: tidings.Channel{URL: url, Kind: tidings.KindPage, Version: 2}}, nil
	}
	return tidings.Subscription{}, fmt.Errorf("channel %s: %w", url, tidings.ErrNotFollowed)
}

func (f *fakeNode) State(_ context.Context, url string, v tidings.Version) (tidings.State, error) {
	s := tidings.State{Channel: url, Title: "T", Version: v, Kind: tidings.KindPage,
		Lines: []string{fmt.Sprintf("tea %d", v+2), "\tcake"}}
	if url == feedURL {
		s.Kind, s.Lines = tidings.KindFeed, nil
		s.FoundBy, s.ConfirmedBy, s.Withdrawn = f.state.FoundBy, f.state.ConfirmedBy, f.state.Withdrawn
		s.Items = []tidings.Item{{ID: "1", Title: "One", URL: "https://news.example/1",
			Summary: fmt.Sprintf("<p>a b c d e f g h <i>%d</i></p>", v), Enclosures: f.files}}
	}
	return s, nil
}

func (f *fakeNode) Updates(_ context.Context, _ tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error) {
	var found []tidings.Update
	for _, u := range f.updates {
		if u.ID > q.After && !u.Received.Before(q.Since) {
			found = append(found, u)
		}
	}
	if q.Newest {
		found = found[max(0, len(found)-q.Limit):]
	}
	return found[:min(len(found), q.Limit)], nil
}

func (f *fakeNode) LatestUpdate(context.Context) (int64, error) {
	return f.updates[len(f.updates)-1].ID, nil
}

func (f *fakeNode) Wake() <-chan struct{} { return nil }

func (f *fakeNode) Subscribe(_ context.Context, _ tidings.AccountID, o tidings.SubscribeRequest) (tidings.Subscription,
	error) {
	f.order = o
	return tidings.Subscription{Channel: tidings.Channel{URL: o.URL, Title: "T", Kind: tidings.KindFeed,
		Privacy: tidings.Public}, Health: tidings.HealthNew}, nil
}

func (f *fakeNode) SubscribeLater(_ context.Context, _ tidings.AccountID, orders []tidings.SubscribeRequest) ([]error,
	error) {
	return make([]error, len(orders)), nil
}

func (f *fakeNode) Preview(_ context.Context, _ tidings.AccountID, o tidings.SubscribeRequest) (tidings.Preview,
	error) {
	f.previews++
	if strings.Contains(o.URL, "gone") {
		return tidings.Preview{}, errors.New("checking " + o.URL + ": no such host " + evil)
	}
	return f.preview, nil
}

func (f *fakeNode) PollingStats(context.Context, []tidings.Subscription) error { return nil }

func (f *fakeNode) Status(ctx context.Context) (view.Status, error) {
	network := view.Network{ID: "abc", Off: true}
	if f.network != nil {
		network, _ = f.network.Network(ctx)
	}
	return view.Status{Network: network, Coop: view.CoopStatus{Penalties: f.penalties},
		ByHealth: map[tidings.Health]int{tidings.HealthGood: 2, tidings.HealthNew: 5}}, nil
}

// serveIn lets f answer at the socket of a data directory.
func (f *fakeNode) serveIn(t *testing.T) (dir string) {
	dir, err := os.MkdirTemp("", "tidings")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", api.SocketPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	handler := api.New(api.Config{Store: f, Node: f, Network: f.network, Publisher: f.publisher, Local: true,
		Diff: func(from, to []string) (string, error) {
			return "1c1\n< " + from[0] + "\n---\n> " + to[0] + "\n", nil
		}})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
	}))
	server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	return dir
}

// command runs one command against f and returns what it printed.
func (f *fakeNode) command(t *testing.T, in string, args ...string) (out, errOut string, status int) {
	var stdout, stderr bytes.Buffer
	args = append(args, "--data", f.serveIn(t))
	status = run(t.Context(), args, strings.NewReader(in), &stdout, &stderr, func(string) string { return "" })
	return stdout.String(), stderr.String(), status
}

func TestCommandsPrint(t *testing.T) {
	for name, test := range map[string]struct {
		args   string
		in     string
		status int
		want   []string
	}{
		"list": {args: "list", want: []string{
			"CHANNEL", "HEALTH", "NEXT CHECK", "News [31mred[0m evil2J  daily   good         12", "failing",
			"HTTP 500; it failed 3 times", pageURL}},
		"list as JSON": {args: "list --json", want: []string{`{"url":"` + feedURL + `"`, `\u001b[31mred`,
			`\u202eevil`, `\u009b2J`}},
		"updates": {args: "updates", want: []string{"• One [31mred", "News · 2026-05-01", "≠ No title",
			"changed", "  https://news.example/2", "watched from now on", "    - tea 3\n    + tea 4"}},
		"the newest":     {args: "updates --limit 1 --json", want: []string{`{"id":3,`}},
		"after a cursor": {args: "updates --since-id 1 --limit 1 --json", want: []string{`{"id":2,`}},
		"from the first": {args: "updates --since-id 0 --json", want: []string{`{"id":1,`, `{"id":2,`, `{"id":3,`}},
		"since a time": {args: "updates --since 2026-05-01T00:00:00Z --json",
			want: []string{`{"id":1,`, `{"id":3,`}},
		"following": {args: "updates --follow --since-id 1 --limit 2 --json",
			want: []string{`{"id":2,`, `{"id":3,`}},
		"show a page": {args: "show " + pageURL + " --version 1", want: []string{"tea 3\n\tcake\n"}},
		"show a feed": {args: "show --version 2 " + feedURL,
			want: []string{"T\n1 item, version", "One\n  https://news.example/1\n  a b c d e f g h 2"}},
		"show as JSON": {args: "show --json " + feedURL, want: []string{`"items":[{"id":"1"`}},
		"show what is not": {args: "show https://x.example/", status: 1,
			want: []string{"tidings: channel https://x.example/: not followed (follow it first: tidings subscribe " +
				"URL)\n"}},
		"diff of a page":  {args: "diff " + pageURL, want: []string{"≠ tea [-3-]{+4+}\n"}},
		"patch of a page": {args: "diff --patch " + pageURL, want: []string{"1c1\n< tea 3\n---\n> tea 4\n"}},
		"patch of a feed": {args: "diff --patch " + feedURL, status: 2, want: []string{"--patch is for pages"}},
		"diff of a feed": {args: "diff " + feedURL + " 1 2", want: []string{"≠ One", "between versions 1 and 2",
			"summary:\n    ≠ a b c d e f g h [-1-]{+2+}\n"}},
		"diff too far": {args: "diff " + pageURL + " 1 9", status: 1,
			want: []string{"has no version 9 (the latest is 2)"}},
		"subscribe": {args: "subscribe " + feedURL,
			want: []string{"Following T\n  " + feedURL + "\n  feed, public; next check due"}},
		"subscribe fails": {args: "subscribe https://gone.example/", status: 1,
			want: []string{"tidings: checking https://gone.example/: no such host [31mred[0m evil2J\n"}},
		"import": {args: "import -", in: `<opml><body><outline xmlUrl="` + feedURL +
			`"/><outline xmlUrl="https://b.example/"/>` + "\n" + `<outline xmlUrl="gopher://c"/></body></opml>`,
			want: []string{"line 2: ", "importing: 2 of 2\n", "2 channels: 1 added, 1 followed before, 0 failed\n"}},
		"import nonsense": {args: "import -", in: "nonsense", status: 1, want: []string{"the list cannot be read"}},
		"export":          {args: "export", want: []string{`xmlUrl="` + feedURL + `"`}},
		"status":          {args: "status", want: []string{"health         5 new, 2 good\n"}},
		"status as JSON":  {args: "status --json", want: []string{`"id":"abc"`}},
		"empty password":  {args: "password", in: "\n", status: 1, want: []string{"the password is empty"}},
		"negative limit":  {args: "updates --limit=-1", status: 2, want: []string{"--limit must be 0 or more, not -1"}},
		"negative cursor": {args: "updates --since-id -1", status: 2,
			want: []string{"--since-id must be 0 or more, not -1"}},
		"limit of words": {args: "updates --limit few", status: 2,
			want: []string{`--limit must be a whole number, not "few"`}},
		"unknown level": {args: "up --log-level loud", status: 2,
			want: []string{`--log-level: "loud" is none of debug, info, warn, error (see: tidings --help)`}},
	} {
		t.Run(name, func(t *testing.T) {
			out, errOut, status := newFakeNode().command(t, test.in, strings.Fields(test.args)...)
			if status != test.status {
				t.Errorf("exit status %d, want %d", status, test.status)
			}
			for _, want := range test.want {
				if !strings.Contains(out+errOut, want) {
					t.Errorf("%q is missing in:\n%s%s", want, out, errOut)
				}
			}
		})
	}
}

// hostile 22: whatever a title, a line or a reason says, a terminal gets text alone. A limit counts items, not the
// updates that they came with. Programs get updates whole.
func TestLimitCountsItems(t *testing.T) {
	f := newFakeNode()
	f.updates[1].Kind, f.updates[1].Delta = tidings.KindFeed, ""
	f.updates[1].Items = []tidings.Item{{ID: "3", Title: "Three"}, {ID: "4", Title: "Four"}}
	f.updates = f.updates[:2]
	for args, want := range map[string][]string{
		"updates --limit 1":                       {"Four"},
		"updates --limit 3":                       {"No title", "Three", "Four"},
		"updates --limit 9":                       {"One", "No title", "Three", "Four"},
		"updates --since-id 0 --limit 3":          {"One", "No title", "Three"},
		"updates --follow --since-id 0 --limit 1": {"One"},
		"updates --limit 1 --json":                {"Three", "Four"},
		"updates --since-id 0 --limit 1 --json":   {"One", "No <b>title"},
	} {
		out, errOut, status := f.command(t, "", strings.Fields(args)...)
		if status != 0 {
			t.Errorf("%s: status %d, %s", args, status, errOut)
		}
		for _, title := range []string{"One", "No title", "No <b>title", "Three", "Four"} {
			if has := strings.Contains(out, title); has != slices.Contains(want, title) {
				t.Errorf("%s: %s is there: %v in\n%s", args, title, has, out)
			}
		}
	}
}

func TestHostile22OutputIsNeutral(t *testing.T) {
	f := newFakeNode()
	f.preview = tidings.Preview{Asked: evil, Channel: evil, Title: evil, Kind: tidings.KindFeed,
		Items:   []tidings.Item{{Title: evil}},
		Choices: []tidings.Choice{{URL: evil, Title: evil}, {URL: evil}},
		Fetched: []tidings.Fetched{{URL: evil, Type: evil, Error: evil}},
		Notes:   []string{evil}, Poll: tidings.Poll{NextWhy: evil, Error: evil}}
	for _, args := range []string{"list", "list --json", "updates --limit 1 --json", "updates --limit 3", "preview x",
		"preview x --json", "subscribe https://gone.example/"} {
		out, errOut, _ := f.command(t, "", strings.Fields(args)...)
		if i := strings.IndexAny(out+errOut, "\x1b\a\u202e\u202c\u009b"); i >= 0 {
			t.Errorf("%s printed %q", args, (out + errOut)[i:])
		}
	}
}

// Programs need every byte of a page's lines; a terminal must not have them.
func TestHostile22LinesOfPages(t *testing.T) {
	for terminal, want := range map[bool]string{true: "> [31mred[0m evil2J\n", false: "> " + evil + "\n"} {
		var b bytes.Buffer
		printDelta(&console.Console{Out: &b, Terminal: terminal}, "> "+evil+"\n")
		if b.String() != want {
			t.Errorf("terminal %v: %q, want %q", terminal, b.String(), want)
		}
	}
}

func TestListOnANarrowTerminal(t *testing.T) {
	var b bytes.Buffer
	out := &console.Console{Out: &b, Terminal: true, Width: 80, Now: time.Now}
	all, _ := newFakeNode().Channels(t.Context(), tidings.Owner)
	if out.Table(listColumns, listRows(out, all)) {
		t.Error("80 columns have room for everything")
	}
	printTroubles(out, all)
	if want := "\nPrices: failing\n  HTTP 500; it failed 3 times\n"; !strings.HasSuffix(b.String(), want) ||
		strings.Count(b.String(), "Prices: ") != 1 {
		t.Errorf("%q is missing in:\n%s", want, b.String())
	}
}

func TestPollShowsWhetherItWasRead(t *testing.T) {
	good := tidings.Preview{Channel: feedURL, Kind: tidings.KindFeed, Title: "News", Privacy: tidings.Public,
		Count: 300,
		Items: []tidings.Item{{Title: "One"}},
		Fetched: []tidings.Fetched{{URL: feedURL, Status: 200, Type: "text/xml", Bytes: 1500, Size: 9000,
			Took: 20 * time.Millisecond}},
		Notes: []string{"declared as text/html, read as RSS"},
		Poll: tidings.Poll{Outcome: tidings.OutcomeChanged, Next: time.Now().Add(30*time.Minute + 25*time.Second),
			NextWhy: "the usual interval"}}
	bad := good
	bad.Kind, bad.Poll.Outcome, bad.Poll.Error = "", tidings.OutcomeUnreadable, "it is a picture"
	f := newFakeNode()
	f.preview = good
	out, _, status := f.command(t, "", "preview", feedURL)
	for _, want := range []string{"200     " + feedURL, "1.5 kB, unpacked 9.0 kB", "feed News",
		"300 items, privacy public", "… and 299 more", "- declared as text/html", "• One",
		"a check in 30 min: the usual interval"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if status != 0 {
		t.Errorf("exit status %d", status)
	}
	f.preview = bad
	out, errOut, status := f.command(t, "", "preview", feedURL, "--json")
	if status != 1 || errOut != "tidings: the document was not read: it is a picture\n" ||
		!strings.HasPrefix(out, `{"asked":`) {
		t.Errorf("status %d, %s%s", status, out, errOut)
	}
}

func TestSubscribeNamesOtherFeeds(t *testing.T) {
	const blog = "https://blog.example/feed"
	f := newFakeNode()
	f.preview.Choices = []tidings.Choice{{URL: blog, Title: "Posts"},
		{URL: blog + "/comments", Title: "Comments " + evil}}
	for i := range 6 {
		f.preview.Choices = append(f.preview.Choices, tidings.Choice{URL: fmt.Sprint(blog, "/", i)})
	}
	out, errOut, _ := f.command(t, "", "subscribe", blog)
	want := "  also offered: Comments [31mred[0m evil2J https://blog.example/feed/comments\n  also offered: " +
		"https://blog.example/feed/0\n"
	if !strings.Contains(out, want) || strings.Contains(out, "Posts") ||
		strings.Count(out, "also offered") != maxOthers ||
		!strings.HasSuffix(out, "  … and 2 more feeds, see: tidings preview\n") {
		t.Errorf("got\n%s%s", out, errOut)
	}
}

// The origin of what is followed already need not be asked again.
func TestSubscribeAgainPollsNothing(t *testing.T) {
	f := newFakeNode()
	out, errOut, status := f.command(t, "", "subscribe", feedURL)
	if f.previews != 0 || status != 0 {
		t.Errorf("%d checks, status %d: %s%s", f.previews, status, out, errOut)
	}
}

func TestSubscribeSaysAllItsFlags(t *testing.T) {
	f := newFakeNode()
	_, errOut, status := f.command(t, "", "subscribe", pageURL, "--select", "#a, .b", "--select=p", "--ignore",
		"Last updated.*", "--keep", "time",
		"--page", "--name", "N", "--folder", "a/b", "--privacy", "unlisted", "--edits-as-items")
	if edits := f.order.EditsAsItems; edits == nil || !*edits {
		t.Error("edits are no items")
	}
	f.order.EditsAsItems = nil
	want := tidings.SubscribeRequest{URL: pageURL, Name: "N", Folder: "a/b", AsPage: true, Privacy: tidings.Unlisted,
		Options: tidings.PageOptions{Select: []string{"#a, .b", "p"}, Ignore: []string{"Last updated.*"},
			Keep: []string{"time"}}}
	if fmt.Sprint(f.order) != fmt.Sprint(want) || status != 0 {
		t.Errorf("got %+v, want %+v; %s", f.order, want, errOut)
	}
}
