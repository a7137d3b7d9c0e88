package xmlrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
	"tidings/view"
)

// fake is a node and its store.
type fake struct {
	entry   tidings.PublishedEntry
	channel string
	order   tidings.SubscribeRequest
	after   int64
	err     error
}

func (f *fake) Subscribe(_ context.Context, _ tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Subscription, error) {
	f.order = o
	return tidings.Subscription{Channel: tidings.Channel{URL: o.URL, Title: "A <feed>", Version: 1}, Unread: 3}, f.err
}

func (f *fake) PublishEntry(_ context.Context, channel, _ string, e tidings.PublishedEntry) (view.Issued, error) {
	f.channel, f.entry = channel, e
	return view.Issued{Items: []view.IssuedItem{{Number: 1, ID: e.ID}}}, f.err
}

func (f *fake) Updates(_ context.Context, _ tidings.AccountID, q tidings.UpdateQuery) ([]tidings.Update, error) {
	f.after = q.After
	return []tidings.Update{{ID: 1 << 40, Channel: "https://a.example/", Version: 2,
		Items: []tidings.Item{{ID: "x", Title: "Ünï\x01 & <b>", Change: tidings.New}}}}, f.err
}

func (f *fake) Entries(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	f.channel = q.Channel
	item := tidings.Item{ID: "x", URL: "https://a.example/x", Title: "T", Content: "<p>new</p>",
		Categories: []string{"c"}}
	old := item
	old.Content = "<p>old</p>"
	return []tidings.Entry{{ID: 9, Item: 4, Content: item, Received: noon},
		{ID: 8, Item: 4, Content: old, Received: noon}}, f.err
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func serve(f *fake) http.Handler {
	h := New(Config{Node: f, Store: f, Logger: slog.New(slog.DiscardHandler)})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, token, _ := r.BasicAuth(); token == "token" {
			r = r.WithContext(auth.WithAccount(r.Context(), tidings.Owner))
		}
		h.ServeHTTP(w, r)
	})
}

func send(t testing.TB, h http.Handler, body string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "text/xml")
	r.SetBasicAuth("", "token")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if full := strings.Contains(w.Body.String(), fmt.Sprintf("<int>%d</int>", noMemory)); w.Code != http.StatusOK &&
		!(full && w.Code == http.StatusServiceUnavailable) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func callOf(method string, params ...string) string {
	body := "<methodCall><methodName>" + method + "</methodName><params>"
	for _, p := range params {
		body += "<param><value>" + p + "</value></param>"
	}
	return body + "</params></methodCall>"
}

// What a weblog editor sends is an entry.
func TestNewPost(t *testing.T) {
	f := &fake{}
	const post = `<struct><member><name>title</name><value>Hello &amp; more</value></member>
		<member><name>description</name><value><string>&lt;p&gt;x&lt;/p&gt;</string></value></member>
		<member><name>link</name><value><string>https://b.example/1</string></value></member>
		<member><name>categories</name><value><array><data><value>one</value><value><string>two</string></value></data></array></value></member>
		<member><name>dateCreated</name><value><dateTime.iso8601>20260301T12:00:00</dateTime.iso8601></value></member>
		<member><name>enclosure</name><value><struct><member><name>url</name><value>https://b.example/1.mp3</value></member>
		<member><name>length</name><value><i4>5</i4></value></member><member><name>type</name><value>audio/mpeg</value></member></struct></value></member></struct>`
	got := send(t, serve(f), callOf("metaWeblog.newPost", "https://b.example/feed", "me", "secret", post,
		"<boolean>1</boolean>"))
	want := tidings.PublishedEntry{ID: "https://b.example/1", URL: "https://b.example/1", Title: "Hello & more",
		HTML: "<p>x</p>", Tags: []string{"one", "two"},
		Published:  noon,
		Enclosures: []tidings.Enclosure{{URL: "https://b.example/1.mp3", Type: "audio/mpeg", Length: 5}}}
	if !reflect.DeepEqual(f.entry, want) || f.channel != "https://b.example/feed" ||
		!strings.Contains(got, "<string>https://b.example/1</string>") {
		t.Errorf("published %+v in %s: %s", f.entry, f.channel, got)
	}
	send(t, serve(f), callOf("metaWeblog.newPost", "https://b.example/feed", "", "",
		"<struct><member><name>title</name><value>T</value></member></struct>"))
	one := f.entry.ID
	send(t, serve(f), callOf("metaWeblog.newPost", "https://b.example/feed", "", "",
		"<struct><member><name>title</name><value>T</value></member></struct>"))
	if one == "" || one == f.entry.ID {
		t.Errorf("two posts have the ID %q", one)
	}
}

// What goes wrong is a fault with a message for people.
func TestFaults(t *testing.T) {
	deep := strings.Repeat("<array><data><value>", 30)
	for name, c := range map[string]struct {
		body string
		err  error
		code int
		want string
	}{
		"empty":   {"", nil, malformed, "line 1, column 1"},
		"no XML":  {"hello", nil, malformed, "text between elements"},
		"cut off": {"<methodCall>\n<methodName>x", nil, malformed, "line 2"},
		"another document": {"<rss/>", nil, malformed,
			"there is &#34;rss&#34; where &#34;methodCall&#34; is expected"},
		"another charset": {`<?xml version="1.0" encoding="koi8-r"?><methodCall/>`, nil, malformed, "send UTF-8"},
		"an entity": {`<!DOCTYPE x [<!ENTITY a "b">]><methodCall><methodName>&a;</methodName></methodCall>`,
			nil, malformed, "entity"},
		"no method": {callOf("blogger.newPost"), nil, noMethod, "there is no method"},
		"a missing parameter": {callOf("tidings.subscribe"), nil, badParams,
			"parameter 1 is missing: the address of a feed or page"},
		"another type": {callOf("tidings.updates", "x"), nil, badParams,
			"parameter 1 has another type: it is the ID"},
		"no number": {callOf("tidings.updates", "<int>x</int>"), nil, malformed, "is no int"},
		"no type":   {callOf("tidings.updates", "<odd>x</odd>"), nil, malformed, "there is no type"},
		"two types": {callOf("tidings.updates", "<int>1</int><int>2</int>"), nil, malformed,
			"nothing more is expected"},
		"a text and a type": {callOf("tidings.updates", "x<int>1</int>"), nil, malformed, "a text beside its type"},
		"too deep":          {callOf("tidings.updates", deep), nil, tooLarge, "within each other"},
		"too many": {callOf("tidings.updates", "<array><data>"+strings.Repeat("<value/>", maxValues+1)), nil,
			tooLarge, "more than 10000 values"},
		"too large": {callOf("tidings.subscribe", strings.Repeat("x", maxBody)), nil, tooLarge,
			"larger than 1048576 bytes"},
		"a draft": {callOf("metaWeblog.newPost", "b", "", "", "<struct></struct>", "<boolean>0</boolean>"),
			nil, refused, "drafts are not kept"},
		"a title that is a number": {callOf("metaWeblog.newPost", "b", "", "",
			"<struct><member><name>title</name><value><int>1</int></value></member></struct>"),
			nil, badParams, "is no string"},
		"not followed": {callOf("metaWeblog.getRecentPosts", "b", "", "", "<int>1</int>"),
			fmt.Errorf("b: %w", tidings.ErrNotFollowed), notFound, "b: "},
		"refused": {callOf("metaWeblog.newPost", "b", "", "", "<struct></struct>"),
			tidings.WithHint(tidings.Invalidf("there is no key"), "make a key"), refused,
			"there is no key (make a key)"},
		"an origin": {callOf("tidings.subscribe", "b"), &tidings.Failure{Op: "checking", Address: "https://b/",
			Hint: "look there",
			Err:  &tidings.Failure{Op: "reading page", Err: errors.New("nothing matches")}}, internal,
			"<string>checking https://b/: nothing matches (look there)</string>"},
		"a failure": {callOf("tidings.updates", "<int>0</int>"), errors.New("the disk is full"), internal,
			"the disk is full"},
	} {
		got := send(t, serve(&fake{err: c.err}), c.body)
		if !strings.Contains(got,
			fmt.Sprintf("<fault><value><struct><member><name>faultCode</name><value><int>%d</int>", c.code)) ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What callers do wrong, and what origins do, is no error of the node's own in its log.
func TestFaultsOfCallersAreNoErrors(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		err  error
		code int
		ours bool
	}{
		"malformed":       {"hello", nil, malformed, false},
		"no method":       {callOf("x"), nil, noMethod, false},
		"followed before": {callOf("tidings.subscribe", "b"), fmt.Errorf("b: %w", tidings.ErrExists), conflict, false},
		"refused":         {callOf("tidings.subscribe", "b"), tidings.Invalidf("no"), refused, false},
		"not allowed":     {callOf("tidings.subscribe", "b"), tidings.ErrUnauthorized, forbidden, false},
		"too slow":        {callOf("tidings.subscribe", "b"), os.ErrDeadlineExceeded, tooSlow, false},
		"no memory":       {callOf("tidings.updates", "<int>0</int>"), memory.ErrFull, noMemory, false},
		"an origin": {callOf("tidings.subscribe", "b"), &tidings.Failure{Op: "checking", Address: "https://b/",
			Err: errors.New("no such host")}, internal, false},
		"the store": {callOf("tidings.updates", "<int>0</int>"), errors.New("the disk is full"), internal, true},
	} {
		var log strings.Builder
		f := &fake{err: c.err}
		h := New(Config{Node: f, Store: f, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		got := send(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
		}), c.body)
		if ours := log.Len() > 0; ours != c.ours {
			t.Errorf("%s: the log has %q", name, log.String())
		}
		if !strings.Contains(got, fmt.Sprintf("<int>%d</int>", c.code)) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// hostile 77: a call with a body that finds no room, or does not come, is not malformed. The fault says why, and when
// to call again.
func TestHostile77BodyWithoutRoom(t *testing.T) {
	half := callOf("system.listMethods")[:30]
	for name, c := range map[string]struct {
		body             error // that reading the rest of it has
		status           int
		code             int
		retry, text, not string
	}{
		"no room": {fmt.Errorf("reading: %w", memory.ErrFull), 503, noMemory, memory.RetryAfter, "no memory left",
			"line"},
		"slow": {os.ErrDeadlineExceeded, 200, tooSlow, "", "timeout", "line"},
		"cut":  {io.ErrUnexpectedEOF, 200, malformed, "", "line 1", "memory"},
	} {
		r := httptest.NewRequest(http.MethodPost, Path,
			io.MultiReader(strings.NewReader(half), iotest.ErrReader(c.body)))
		r.Header.Set("Content-Type", "text/xml")
		r.SetBasicAuth("", "token")
		w := httptest.NewRecorder()
		serve(&fake{}).ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != c.status || w.Header().Get("Retry-After") != c.retry ||
			!strings.HasPrefix(w.Header().Get("Content-Type"), "text/xml") ||
			!strings.Contains(body, fmt.Sprintf("<int>%d</int>", c.code)) || !strings.Contains(body, c.text) ||
			strings.Contains(body, c.not) {
			t.Errorf("%s: %d %v %s", name, w.Code, w.Header(), body)
		}
	}
}

// Unknown clients cannot call, nor can pages of another site.
func TestWhoMayCall(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"known":        {func(*http.Request) {}, 200},
		"unknown":      {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"a page":       {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a form":       {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415},
		"a link":       {func(r *http.Request) { r.Method = http.MethodGet }, 405},
		"with charset": {func(r *http.Request) { r.Header.Set("Content-Type", "text/xml; charset=utf-8") }, 200},
	} {
		r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(callOf("system.listMethods")))
		r.Header.Set("Content-Type", "text/xml")
		r.SetBasicAuth("", "token")
		c.edit(r)
		w := httptest.NewRecorder()
		serve(&fake{}).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// A client that others wrote understands the answers, and is understood.
func TestWithPythonsClient(t *testing.T) {
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skip("needs python3")
	}
	f := &fake{}
	server := httptest.NewServer(serve(f))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "-c", `
import sys, xmlrpc.client, datetime
node = xmlrpc.client.ServerProxy(sys.argv[1])
print(node.system.listMethods())
print(node.tidings.subscribe("https://ü.example/?a=1&b=2"))
(u,) = node.tidings.updates(7)
print(u["id"], u["version"], u["items"][0]["title"])
print(node.metaWeblog.newPost("https://b.example/feed", "me", "secret", {"title": "Ünï", "description": "<p>x</p>", "guid": "urn:1",
    "categories": ["a", "b"], "dateCreated": xmlrpc.client.DateTime(datetime.datetime(2026, 3, 1, 12))}, True))
(p,) = node.metaWeblog.getRecentPosts("https://b.example/feed", "me", "secret", 10)
print(p["title"], p["description"], p["dateCreated"], p["categories"])
try:
    node.blogger.newPost()
except xmlrpc.client.Fault as e:
    print(e.faultCode, e.faultString)
`, strings.Replace(server.URL, "http://", "http://me:token@", 1)+Path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"'metaWeblog.newPost'", "'title': 'A <feed>'", "'unread': 3",
		"1099511627776 2 Ünï & <b>", "\nurn:1\n",
		"T <p>new</p> 20260301T12:00:00 ['c']", `-32601 there is no method "blogger.newPost"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if f.entry.Title != "Ünï" || f.entry.HTML != "<p>x</p>" || !f.entry.Published.Equal(noon) ||
		f.order.URL != "https://ü.example/?a=1&b=2" || f.after != 7 {
		t.Errorf("%+v, %+v, %d", f.entry, f.order, f.after)
	}
}

// Whatever comes, the answer is a response or a fault that can be read again.
func FuzzCall(f *testing.F) {
	for _, seed := range []string{callOf("system.listMethods"), callOf("tidings.updates", "<i8>1</i8>"),
		callOf("metaWeblog.newPost", "b", "", "",
			"<struct><member><name>title</name><value>T</value></member></struct>", "<boolean>1</boolean>"),
		callOf("x", "<double>1.5</double>", "<base64>eA==</base64>", "<nil/>",
			"<dateTime.iso8601>20260301T12:00:00</dateTime.iso8601>"), "<methodCall>", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c, err := parseCall(strings.NewReader(body))
		if err != nil {
			var known *fault
			if !errors.As(err, &known) || known.text == "" {
				t.Errorf("%v is no fault", err)
			}
			return
		}
		for _, v := range c.params {
			again, err :=
				parseCall(strings.NewReader(callOf("x", strings.TrimSuffix(strings.TrimPrefix(valueOf(v), "<value>"),
					"</value>"))))
			if err != nil || len(again.params) != 1 {
				t.Fatalf("%#v is written as %s: %v", v, valueOf(v), err)
			}
		}
		send(t, serve(&fake{}), body)
	})
}

func valueOf(v any) string {
	w := &writer{}
	w.value(v)
	return w.String()
}
