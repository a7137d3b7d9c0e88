package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/source/feed"
	"tidings/source/news"
)

// agency serves one document, which the test changes.
type agency struct {
	*httptest.Server
	document atomic.Pointer[string]
}

func newAgency(t testing.TB) *agency {
	t.Helper()
	a := &agency{}
	a.serve("")
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, *a.document.Load())
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *agency) serve(document string) { a.document.Store(&document) }

// ninjsOf writes an item in ninjs; fields are more of its fields.
func ninjsOf(version int, text, fields string) string {
	return fmt.Sprintf(`{"uri":"urn:agency:1","type":"text","standard":{"name":"ninjs","version":"3.1"},"version":"%d","headlines":[{"value":"H %s"}],
		"bodies":[{"value":"<p>%s</p>","contentType":"text/html"}],"infoSources":[{"name":"Agency"}],
		"subjects":[{"name":"soccer","uri":"http://cv.iptc.org/newscodes/mediatopic/15054000","literal":"15054000"}]%s}`, version, text, text, fields)
}

// everywhere returns all that a node gives readers of a channel: the page, the API and the proxy.
func everywhere(t testing.TB, n *Node, client *api.Client, channel string) string {
	t.Helper()
	var all strings.Builder
	get := func(path string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, res.Status, err)
		}
		return string(b)
	}
	of := "?url=" + url.QueryEscape(channel)
	for _, path := range []string{"/", "/channel" + of, "/feed" + of, "/feed.json" + of, "/news.json" + of,
		"/news.xml" + of,
		"/api/v1/updates", "/api/v1/entries", "/api/v1/state" + of} {
		all.WriteString(get(path))
	}
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: channel})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for _, path := range []string{"/entry/%d", "/update/%d", "/api/v1/entries/%d"} {
			id := e.ID
			if strings.HasPrefix(path, "/update") {
				id = e.Update
			}
			all.WriteString(get(fmt.Sprintf(path, id)))
		}
	}
	return all.String()
}

func mustPoll(t testing.TB, client *api.Client, channel string) tidings.Poll {
	t.Helper()
	poll, err := client.Poll(t.Context(), channel)
	if err != nil {
		t.Fatal(err)
	}
	return poll
}

func TestNewsIsWatchedLikeAFeed(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	n, client := startNode(t)
	ctx := t.Context()
	a.serve(ninjsOf(2, "text2", ""))
	preview, err := client.Preview(ctx, tidings.SubscribeRequest{URL: a.URL + "/wire"})
	if err != nil || preview.Kind != tidings.KindFeed || preview.Title != "Agency" || len(preview.Items) != 1 ||
		preview.Items[0].News == nil {
		t.Fatalf("preview %+v, %v", preview, err)
	}
	f, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: a.URL + "/wire"})
	if err != nil || f.Title != "Agency" || f.Unread != 1 {
		t.Fatalf("followed %+v, %v", f, err)
	}
	a.serve(ninjsOf(1, "text1", ""))
	mustPoll(t, client, f.URL)
	a.serve(ninjsOf(3, "text3", `,"signals":[],"edNote":"corrects the score","urgency":2`))
	mustPoll(t, client, f.URL)
	updates, err := client.Updates(ctx, tidings.UpdateQuery{})
	if err != nil || len(updates) != 2 || updates[1].Items[0].News.Version != 3 ||
		updates[1].Items[0].Change != tidings.Changed {
		t.Fatalf("updates %+v, %v", updates, err)
	}
	all := everywhere(t, n, client, f.URL)
	if strings.Contains(all, "text1") || !strings.Contains(all, "text3") {
		t.Error("an earlier version is shown, or the latest is not")
	}
}

// The subscriber of a wrong document learns where it is wrong, and the channel shows it too.
func TestMalformedNewsSaysWhere(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	_, client := startNode(t)
	ctx := t.Context()
	broken := "<?xml version=\"1.0\"?>\n<newsItem xmlns=\"http://iptc.org/std/nar/2006-10-01/\" guid=\"urn:a\" version=\"1\">\n  <itemMeta></wrong>\n</newsItem>"
	const place = "NewsML-G2, line 3, column 21"
	a.serve(broken)
	if _, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: a.URL + "/wire"}); err == nil ||
		!strings.Contains(err.Error(), place) {
		t.Errorf("subscribing: %v", err)
	}
	if _, err := client.Preview(ctx, tidings.SubscribeRequest{URL: a.URL + "/wire"}); err == nil ||
		!strings.Contains(err.Error(), place) {
		t.Errorf("checking: %v", err)
	}
	a.serve(ninjsOf(1, "text", ""))
	f, err := client.Subscribe(ctx, tidings.SubscribeRequest{URL: a.URL + "/wire"})
	if err != nil {
		t.Fatal(err)
	}
	a.serve(broken)
	if poll := mustPoll(t, client, f.URL); poll.Outcome != tidings.OutcomeUnreadable ||
		!strings.Contains(poll.Error, place) {
		t.Errorf("checked: %+v", poll)
	}
	f, err = client.Channel(ctx, f.URL)
	if err != nil || !strings.Contains(f.Last.Error, place) || f.Health == tidings.HealthGood {
		t.Errorf("the channel: %+v, %v", f, err)
	}
}

func TestWithdrawnNewsIsNoticed(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	n, client := startNode(t)
	a.serve(ninjsOf(1, "text1", ""))
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: a.URL + "/wire"})
	if err != nil {
		t.Fatal(err)
	}
	a.serve(ninjsOf(2, "text2", ""))
	mustPoll(t, client, f.URL)
	if all := everywhere(t, n, client, f.URL); !strings.Contains(all, "text1") || !strings.Contains(all, "H text2") {
		t.Fatal("it was not there to begin with")
	}
	a.serve(ninjsOf(3, "text3", `,"pubStatus":"canceled","edNote":"H text3 is wrong"`))
	mustPoll(t, client, f.URL)
	all := everywhere(t, n, client, f.URL)
	if at := strings.Index(all, "text"+"1"); at >= 0 {
		t.Errorf("it is still there: …%s…", all[max(0, at-100):at+100])
	}
	for _, gone := range []string{"text2", "text3"} {
		if strings.Contains(all, gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	if strings.Count(all, "Withdrawn by Agency") < 8 || !strings.Contains(all, "has canceled this item") {
		t.Error("no notice is in its place")
	}
	found, err := client.Entries(t.Context(), tidings.EntryQuery{Search: "text1"})
	if err != nil || len(found) > 0 {
		t.Errorf("search finds %+v, %v", found, err)
	}
}

// An item under embargo is nowhere before its time. At the time it comes as new, to streams too, even if the node was
// restarted meanwhile.
func TestAnEmbargoEndsByItself(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	c := Default()
	c.Data, c.HTTP, c.LabOrigins, c.NoNetwork, c.Interval = t.TempDir(), "127.0.0.1:0", true, true, 24*time.Hour
	n, stop := runNode(t, c)
	defer func() { stop() }()
	client := api.Dial(api.SocketPath(c.Data))
	var due time.Time
	var f tidings.Subscription
	var text string
	// until it is followed before the embargo ends
	for try, long := 1, 8*time.Second; f.Unread != 1; try, long = try+1, 2*long {
		due, text = time.Now().Add(long), fmt.Sprint("text", try)
		a.serve("[" + ninjsOf(1, text, fmt.Sprintf(`,"embargoedUntil":%q`, due.Format(time.RFC3339Nano))) + "," +
			strings.Replace(ninjsOf(1, "other", ""), "urn:agency:1", "urn:agency:2", 1) + "]")
		order := tidings.SubscribeRequest{URL: fmt.Sprint(a.URL, "/wire", try)}
		preview, err := client.Preview(t.Context(), order)
		if (err != nil || len(preview.Items) != 1 || !strings.Contains(strings.Join(preview.Notes, " "),
			"under embargo")) && time.Now().Before(due) {
			t.Errorf("preview %+v, %v", preview, err)
		}
		f, err = client.Subscribe(t.Context(), order)
		if err != nil || f.Unread != 1 && time.Now().Before(due) {
			t.Fatalf("followed %+v, %v", f, err)
		}
	}
	updates, err := client.Updates(t.Context(), tidings.UpdateQuery{Channel: f.URL})
	if err != nil || len(updates) == 0 {
		t.Fatal(updates, err)
	}
	if all := everywhere(t, n, client, f.URL); (strings.Contains(all, text) || !strings.Contains(all, "other")) &&
		time.Now().Before(due) {
		t.Error("it is shown under embargo")
	}
	client.Close()
	stop()
	n, stop = runNode(t, c)
	client = api.Dial(api.SocketPath(c.Data))
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got []tidings.Update
	enough := errors.New("one is enough")
	if err := client.Follow(ctx, updates[0].ID, time.Time{}, func(u tidings.Update) error {
		got = append(got, u)
		return enough
	}); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if early := time.Until(due); early > 0 {
		t.Errorf("it came %v before its time", early)
	}
	if len(got) != 1 || len(got[0].Items) != 1 || got[0].Items[0].Change != tidings.New ||
		got[0].Items[0].News.GUID != "urn:agency:1" {
		t.Fatalf("told %+v", got)
	}
	if all := everywhere(t, n, client, f.URL); !strings.Contains(all, text) {
		t.Error("it is not shown after its embargo")
	}
}

// The proxy's output of a channel in formats of news agencies, and in feeds, says the same of its items.
func TestTheProxyKeepsNews(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	n, client := startNode(t)
	a.serve(ninjsOf(4, "text4", `,"urgency":2,"slugline":"S-L"`))
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: a.URL + "/wire"})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: f.URL})
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	want, _ := json.Marshal(entries[0].Content.News)
	for _, path := range []string{"/feed", "/feed.json", "/news.json", "/news.xml"} {
		res, err := http.Get(n.URL() + path + "?url=" + url.QueryEscape(f.URL))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		var got *tidings.News
		if strings.HasPrefix(path, "/feed") {
			d, err := feed.Parse(body, res.Header.Get("Content-Type"), "", feed.Default())
			if err != nil {
				t.Fatal(path, err)
			}
			got = d.Items[0].News
		} else {
			d, err := news.Parse(body, res.Header.Get("Content-Type"), news.Default())
			if err != nil {
				t.Fatal(path, err)
			}
			got = &d.Items[0].News
		}
		if have, _ := json.Marshal(got); string(have) != string(want) {
			t.Errorf("%s: %s, not %s", path, have, want)
		}
	}
}

// Old aggregators subscribe and read by XML-RPC.
func TestXMLRPCIsServed(t *testing.T) {
	t.Parallel()
	a := newAgency(t)
	n, _ := startNode(t)
	a.serve(ninjsOf(1, "text1", ""))
	call := func(method, param string) string {
		body := "<methodCall><methodName>" + method + "</methodName><params><param><value>" + param +
			"</value></param></params></methodCall>"
		res, err := http.Post(n.URL()+"/xmlrpc", "text/xml", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", method, res.Status, err)
		}
		return string(b)
	}
	if got := call("tidings.subscribe", a.URL+"/wire"); !strings.Contains(got,
		"<name>title</name><value><string>Agency</string>") {
		t.Errorf("subscribed: %s", got)
	}
	if got := call("tidings.updates", "<int>0</int>"); !strings.Contains(got, "H text1") ||
		!strings.Contains(got, "urn:agency:1") {
		t.Errorf("updates: %s", got)
	}
	if got := call("tidings.updates", "<int>1</int>"); !strings.Contains(got, "<array><data></data></array>") {
		t.Errorf("no updates: %s", got)
	}
}
