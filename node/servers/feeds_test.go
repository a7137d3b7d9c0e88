package servers

import (
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/proxy"
	"tidings/store"
	"tidings/store/shared"
)

const (
	blog, shop, annsBlog = "https://blog.example/feed", "https://shop.example/feed", "https://ann.example/feed"
	hostileTitle         = `<script>alert("1")</script> & ]]>` + "\x00\x0b"
)

var (
	queryChannel = tidings.QueryURL("urgency < 3")
	zoneChannel  = tidings.ZoneURL("/eu")
)

// arrive stores an item of a channel, or a revision of one; it returns its number.
func (m *mounted) arrive(channel, id, title string) (item int64) {
	m.t.Helper()
	ctx := m.t.Context()
	mark := tidings.ItemIdentity{ID: uint64(len(id))<<8 + uint64(id[0]), Print: uint64(time.Now().UnixNano())}
	known, upTo, err := m.store.Content.KnownLike(ctx, channel, []tidings.ItemIdentity{mark})
	if err != nil {
		m.t.Fatal(err)
	}
	about := tidings.Item{ID: id, Title: title, URL: "https://items.example/" + id, Content: "<p>Text of " + id +
		"</p>", Change: tidings.New}
	found := tidings.FoundItem{Item: about, Mark: mark}
	if channel == queryChannel {
		found.Source = &tidings.Source{URL: blog, Title: "The blog"}
	}
	for _, k := range known {
		if k.ID == mark.ID {
			found.Row, found.Was, found.Change = k.Row, k.ItemIdentity, tidings.Changed
		}
	}
	change := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: upTo, Partial: true, Found: time.Now(),
		Items: []tidings.FoundItem{found}}
	if _, err := m.store.Apply(ctx, store.Remote{Version: shared.Version{URL: channel}, Change: change}); err != nil {
		m.t.Fatal(err)
	}
	entries, err := m.store.Entries(ctx, tidings.Owner, tidings.EntryQuery{Channel: channel, Limit: 1})
	if err != nil || len(entries) == 0 {
		return 0
	}
	return entries[0].Item
}

// withNews starts a server with an owner that follows four channels with items, and ann with another one.
func withNews(t *testing.T, change func(*Config)) (m *mounted, ann tidings.AccountID) {
	t.Helper()
	m = mount(t, change)
	ctx := t.Context()
	if err := m.store.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	p, err := m.store.Reader.AddPerson(ctx, "ann", tidings.Reader, "hash")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		account tidings.AccountID
		store.Subscription
	}{
		{tidings.Owner, store.Subscription{URL: blog, Privacy: tidings.Public, Name: "The blog", Folder: "News/Daily"}},
		{tidings.Owner, store.Subscription{URL: shop, Privacy: tidings.Public, Name: "A <shop>"}},
		{tidings.Owner, store.Subscription{URL: queryChannel, Kind: tidings.KindQuery, Title: "Urgent",
			Privacy: tidings.Unlisted}},
		{tidings.Owner, store.Subscription{URL: zoneChannel, Kind: tidings.KindZone, Title: "Zone /eu",
			Privacy: tidings.Unlisted}},
		{p.ID, store.Subscription{URL: annsBlog, Privacy: tidings.Public, Name: "Anns", Folder: "News"}},
	} {
		if _, _, err := m.store.Subscribe(ctx, s.account, s.Subscription); err != nil {
			t.Fatal(err)
		}
	}
	m.arrive(blog, "one", "one")
	m.arrive(blog, "two!", "two")
	starred := m.arrive(shop, "tea", "tea")
	m.arrive(queryChannel, "urgent", "urgent")
	m.arrive(zoneChannel, "european", hostileTitle)
	m.arrive(annsBlog, "ann's", "ann's")
	m.arrive(blog, "one", "one, corrected")
	if err := m.store.Reader.Star(ctx, tidings.Owner, starred, true); err != nil {
		t.Fatal(err)
	}
	if err := m.store.Reader.MarkRead(ctx, tidings.Owner, []int64{starred}, true); err != nil {
		t.Fatal(err)
	}
	return m, p.ID
}

// feed makes an address of a feed; it returns its secret.
func (m *mounted) feed(account tidings.AccountID, f tidings.FeedAddress) (id int64, secret string) {
	m.t.Helper()
	added, secret, err := auth.IssueFeedAddress(m.t.Context(), m.store.FeedAddresses, account, f)
	if err != nil {
		m.t.Fatal(err)
	}
	return added.ID, secret
}

func (m *mounted) get(path string, header ...string) (*http.Response, string) {
	m.t.Helper()
	r, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.url+path, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return response, string(body)
}

// parsedItem is what tests read of an item in either format.
type parsedItem struct{ ID, Title, Source string }

// parsedFeed is what they read of a feed.
type parsedFeed struct {
	Bozo, Title, Self string
	Items             []parsedItem
}

// parseAtom reads an Atom document. Where Python's feedparser is installed, a reader of long standing, it reads the
// same.
func parseAtom(t *testing.T, body string) (f parsedFeed) {
	t.Helper()
	var a struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Title   string   `xml:"title"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Entries []struct {
			ID     string `xml:"id"`
			Title  string `xml:"title"`
			Source string `xml:"source>title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(body), &a); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	f.Title = a.Title
	for _, l := range a.Links {
		if l.Rel == "self" {
			f.Self += l.Href
		}
	}
	for _, e := range a.Entries {
		f.Items = append(f.Items, parsedItem(e))
	}
	if other, ok := feedparserOf(t, body); ok && fmt.Sprintf("%q", other) != fmt.Sprintf("%q", f) {
		t.Errorf("feedparser reads %+v, and not %+v", other, f)
	}
	return f
}

// feedparserOf reads an Atom document with Python's feedparser, if that is installed.
func feedparserOf(t *testing.T, body string) (f parsedFeed, ok bool) {
	t.Helper()
	const python = "/usr/bin/python3" // Debian's, which has Debian's feedparser
	if exec.Command(python, "-c", "import feedparser").Run() != nil {
		return f, false
	}
	const script = `
import feedparser, json, sys
feedparser.SANITIZE_HTML = 0 # of titles, which are plain text
f = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps({"Bozo": str(f.get("bozo_exception", "")) if f.bozo or f.version != "atom10" else "", "Title": f.feed.title,
    "Self": "".join(l.href for l in f.feed.links if l.rel == "self"),
    "Items": [{"ID": e.id, "Title": e.title, "Source": e.get("source", {}).get("title", "")} for e in f.entries]}))`
	c := exec.Command(python, "-c", script)
	c.Stdin = strings.NewReader(body)
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return f, true
}

// parseJSON reads a JSON Feed.
func parseJSON(t *testing.T, body string) (f parsedFeed) {
	t.Helper()
	var j struct {
		Version string `json:"version"`
		Title   string `json:"title"`
		FeedURL string `json:"feed_url"`
		Items   []struct {
			ID      string `json:"id"`
			Title   string `json:"title"`
			Content string `json:"content_html"`
			Authors []struct{ Name string }
		} `json:"items"`
	}
	if err := json.Unmarshal([]byte(body), &j); err != nil || j.Version != "https://jsonfeed.org/version/1.1" ||
		j.Items == nil {
		t.Fatalf("%v\n%s", err, body)
	}
	f = parsedFeed{Title: j.Title, Self: j.FeedURL}
	for _, item := range j.Items {
		one := parsedItem{ID: item.ID, Title: item.Title}
		if len(item.Authors) > 0 {
			one.Source = item.Authors[len(item.Authors)-1].Name
		}
		f.Items = append(f.Items, one)
	}
	return f
}

// Each selection is a feed in both formats: the newest first, each item once in its newest revision. An item has the ID
// from the channel's own feed, and its channel as source. Reading it marks nothing as read.
func TestOwnFeedsOfAllSelections(t *testing.T) {
	m, _ := withNews(t, nil)
	ids := make(map[string]string) // by title, as the channels' own feeds have them
	for _, channel := range []string{blog, shop, queryChannel, zoneChannel} {
		_, body := m.get(proxy.FeedURL("", channel), "Authorization", "Bearer "+m.token)
		for _, item := range parseAtom(t, body).Items {
			ids[item.Title] = item.ID
		}
	}
	unread := func() (n int) {
		all, err := m.store.Channels(t.Context(), tidings.Owner)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			n += c.Unread
		}
		return n
	}
	before := unread()
	const hostile = `<script>alert("1")</script> & ]]>`
	for _, c := range []struct {
		feed  tidings.FeedAddress
		title string
		want  []string // title, and the source after a blank
	}{
		{tidings.FeedAddress{Selection: tidings.SelectRiver, Name: "All <of> it"}, "All <of> it",
			[]string{"one, corrected|The blog", hostile + "|Zone /eu", "urgent|The blog", "tea|A <shop>",
				"two|The blog"}},
		{tidings.FeedAddress{Selection: tidings.SelectUnread}, "Unread",
			[]string{"one, corrected|The blog", hostile + "|Zone /eu", "urgent|The blog", "two|The blog"}},
		{tidings.FeedAddress{Selection: tidings.SelectStarred}, "Starred", []string{"tea|A <shop>"}},
		{tidings.FeedAddress{Selection: tidings.SelectFolder, Of: "News"}, "Folder News",
			[]string{"one, corrected|The blog", "two|The blog"}},
		{tidings.FeedAddress{Selection: tidings.SelectSearch, Of: "tea"}, "Search tea", []string{"tea|A <shop>"}},
		{tidings.FeedAddress{Selection: tidings.SelectChannel, Of: queryChannel}, "Urgent",
			[]string{"urgent|The blog"}},
		{tidings.FeedAddress{Selection: tidings.SelectChannel, Of: zoneChannel}, "Zone /eu", []string{hostile + "|"}},
		{tidings.FeedAddress{Selection: tidings.SelectChannel, Of: blog, Name: "Mine"}, "Mine",
			[]string{"one, corrected|", "two|"}},
	} {
		_, secret := m.feed(tidings.Owner, c.feed)
		atomPath, jsonPath := proxy.OwnPaths(secret)
		for path, parse := range map[string]func(*testing.T, string) parsedFeed{atomPath: parseAtom,
			jsonPath: parseJSON} {
			r, body := m.get(path)
			if r.StatusCode != http.StatusOK {
				t.Errorf("%+v: %d %s", c.feed, r.StatusCode, body)
				continue
			}
			f := parse(t, body)
			var got []string
			for _, item := range f.Items {
				got = append(got, item.Title+"|"+item.Source)
				if item.ID != ids[item.Title] || item.ID == "" {
					t.Errorf("%+v: the ID of %s is %s, and %s in its channel's feed", c.feed, item.Title, item.ID,
						ids[item.Title])
				}
			}
			if f.Bozo != "" || f.Title != c.title || f.Self != m.url+path || !slices.Equal(got, c.want) {
				t.Errorf("%+v: %+v\ngot  %q\nwant %q", c.feed, f, got, c.want)
			}
			h := r.Header
			if h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Robots-Tag") != "noindex" ||
				!strings.HasPrefix(h.Get("Cache-Control"), "private") || h.Get("X-Content-Type-Options") != "nosniff" ||
				h.Get("Set-Cookie") != "" {
				t.Errorf("headers %v", h)
			}
		}
		if strings.Contains(m.log.String(), secret) {
			t.Errorf("the log has the secret: %s", m.log)
		}
	}
	if after := unread(); after != before || before == 0 {
		t.Errorf("%d items are unread, and %d were", after, before)
	}
}

// A reader that has a feed is answered 304. One that has only its date gets it again where older entries may be new.
func TestOwnFeedsAreConditional(t *testing.T) {
	m, _ := withNews(t, nil)
	_, starred := m.feed(tidings.Owner, tidings.FeedAddress{Selection: tidings.SelectStarred})
	_, channel := m.feed(tidings.Owner, tidings.FeedAddress{Selection: tidings.SelectChannel, Of: blog})
	time.Sleep(time.Second) // so that the dates are validators
	for _, secret := range []string{starred, channel} {
		for _, suffix := range []string{".atom", ".json"} {
			path := proxy.OwnBase + secret + suffix
			r, body := m.get(path)
			zipped, zippedBody := m.get(path, "Accept-Encoding", "gzip")
			z, err := gzip.NewReader(strings.NewReader(zippedBody))
			if err != nil || zipped.Header.Get("Content-Encoding") != "gzip" {
				t.Fatalf("%v, %v", zipped.Header, err)
			}
			if plain, err := io.ReadAll(z); err != nil || string(plain) != body {
				t.Errorf("%s differs when zipped: %v", suffix, err)
			}
			if again, text := m.get(path, "If-None-Match",
				r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || text != "" {
				t.Errorf("again: %d %s", again.StatusCode, text)
			}
			modified := r.Header.Get("Last-Modified")
			again, _ := m.get(path, "If-Modified-Since", modified)
			if want := map[bool]int{true: http.StatusOK,
				false: http.StatusNotModified}[secret == starred]; modified == "" || again.StatusCode != want {
				t.Errorf("since %q: %d, want %d", modified, again.StatusCode, want)
			}
		}
	}
	// What is starred late may be older than what a reader has: it gets all, and no delta.
	r, _ := m.get(proxy.OwnBase + starred + ".atom")
	entries, err := m.store.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Channel: blog})
	if err != nil {
		t.Fatal(err)
	}
	oldest := entries[len(entries)-1]
	if err := m.store.Reader.Star(t.Context(), tidings.Owner, oldest.Item, true); err != nil {
		t.Fatal(err)
	}
	again, body := m.get(proxy.OwnBase+starred+".atom", "If-None-Match", r.Header.Get("ETag"), "A-IM", "feed")
	if again.StatusCode != http.StatusOK || strings.Count(body, "<entry>") != 2 {
		t.Errorf("an older item was starred: %d\n%s", again.StatusCode, body)
	}
	r, _ = m.get(proxy.OwnBase + channel + ".atom")
	m.arrive(blog, "third", "third")
	again, body = m.get(proxy.OwnBase+channel+".atom", "If-None-Match", r.Header.Get("ETag"), "A-IM", "feed")
	if again.StatusCode != http.StatusIMUsed || strings.Count(body, "<entry>") != 1 {
		t.Errorf("something new in a channel: %d\n%s", again.StatusCode, body)
	}
	if r, _ := m.get(proxy.OwnBase + channel + ".atom"); r.StatusCode != http.StatusOK {
		t.Error(r.StatusCode)
	}
}

// For any reason why an address opens no feed, the answer is the same, to the byte.
func TestOwnFeedsThatAreNot(t *testing.T) {
	m, ann := withNews(t, nil)
	river := tidings.FeedAddress{Selection: tidings.SelectRiver}
	id, revoked := m.feed(tidings.Owner, river)
	_, removed := m.feed(ann, river)
	_, good := m.feed(tidings.Owner, river)
	if r, body := m.get(proxy.OwnBase + removed + ".json"); r.StatusCode != http.StatusOK ||
		len(parseJSON(t, body).Items) != 1 || !strings.Contains(body, "ann's") {
		t.Errorf("ann's feed: %d %s", r.StatusCode, body)
	}
	if err := m.store.FeedAddresses.RemoveFeedAddress(t.Context(), tidings.Owner, id); err != nil {
		t.Fatal(err)
	}
	if _, err := m.store.RemovePerson(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	same := ""
	for _, path := range []string{strings.Repeat("A", 43) + ".atom", revoked + ".atom", revoked + ".json",
		removed + ".atom", ".atom", "", "x", good, good + ".rss", good[:42] + ".atom",
		good + "/.atom", good + ".atom/", m.token + ".atom", strings.Repeat("x", 5000) + ".json"} {
		r, body := m.get(proxy.OwnBase + path)
		header := fmt.Sprint(r.Header["Content-Type"], r.Header["Cache-Control"], r.Header["Referrer-Policy"],
			r.Header["X-Robots-Tag"], r.Header["Etag"], r.Header["Set-Cookie"], r.Header["Content-Length"])
		if same == "" {
			same = header + body
		}
		if r.StatusCode != http.StatusNotFound || header+body != same {
			t.Errorf("%s: %d %s %s, want %s", path, r.StatusCode, header, body, same)
		}
	}
	for method, want := range map[string]int{"POST": 405, "DELETE": 405, "HEAD": 200} {
		r, err := http.NewRequestWithContext(t.Context(), method, m.url+proxy.OwnBase+good+".atom", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != want {
			t.Errorf("%s: %d", method, response.StatusCode)
		}
	}
}

// What a feed is of may be gone: then it is empty, and its title says so.
func TestOwnFeedsOfWhatIsGone(t *testing.T) {
	m, ann := withNews(t, nil)
	_, folder := m.feed(tidings.Owner, tidings.FeedAddress{Selection: tidings.SelectFolder, Of: "Gone"})
	_, shopFeed := m.feed(tidings.Owner, tidings.FeedAddress{Selection: tidings.SelectChannel, Of: shop})
	if _, err := m.store.Unsubscribe(t.Context(), tidings.Owner, shop); err != nil {
		t.Fatal(err)
	}
	// which the owner has
	_, annsFolder := m.feed(ann, tidings.FeedAddress{Selection: tidings.SelectFolder, Of: "News/Daily"})
	for secret, title := range map[string]string{
		folder: "Folder Gone (there is no such folder)", annsFolder: "Folder News / Daily (there is no such folder)",
		shopFeed: shop + " (not followed any more)",
	} {
		for suffix, parse := range map[string]func(*testing.T, string) parsedFeed{".atom": parseAtom,
			".json": parseJSON} {
			r, body := m.get(proxy.OwnBase + secret + suffix)
			if f := parse(t, body); r.StatusCode != http.StatusOK || f.Bozo != "" || f.Title != title ||
				len(f.Items) != 0 {
				t.Errorf("%d %+v, want %s", r.StatusCode, f, title)
			}
		}
	}
}

// A client that requests a feed a thousand times gets only its person's requests of a minute. Answers hold no more
// memory than they may.
func TestOwnFeedsHaveAPace(t *testing.T) {
	m, ann := withNews(t, func(c *Config) { c.ReaderRequests = 60 })
	_, secret := m.feed(ann, tidings.FeedAddress{Selection: tidings.SelectRiver})
	statuses := make(map[int]int)
	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 { // connections at a time
		all.Go(func() {
			for range 250 {
				r, err := client.Get(m.url + proxy.OwnBase + secret + ".atom")
				if err != nil {
					t.Error(err)
					return
				}
				r.Body.Close()
				mu.Lock()
				statuses[r.StatusCode]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	took := time.Since(began) // one more for each second
	if n := statuses[http.StatusOK]; n < 60 || n > 61+int(took.Seconds()) ||
		statuses[http.StatusTooManyRequests] != 1000-n {
		t.Errorf("statuses %v in %v", statuses, took)
	}
}

// A client that guesses a thousand times is refused, and no right address is. A secret that came without TLS is in no
// log.
func TestOwnFeedsAndHostileClients(t *testing.T) {
	m, ann := withNews(t, nil)
	_, good := m.feed(ann, tidings.FeedAddress{Selection: tidings.SelectRiver})
	path := proxy.OwnBase + good + ".atom"
	if r, body := m.get(path); r.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", r.StatusCode, body)
	}
	statuses := make(map[int]int)
	began := time.Now()
	for i := range 1000 {
		r, _ := m.get(fmt.Sprintf("%s%043d.atom", proxy.OwnBase, i))
		statuses[r.StatusCode]++
		if r.StatusCode == http.StatusTooManyRequests && r.Header.Get("Retry-After") == "" {
			t.Error("a refusal does not say when to come again")
		}
	}
	took := time.Since(began) // one more for each second
	if n := statuses[http.StatusNotFound]; n > 61+int(took.Seconds()) ||
		statuses[http.StatusTooManyRequests] != 1000-n {
		t.Errorf("statuses %v in %v", statuses, took)
	}
	if r, _ := m.get(path); r.StatusCode != http.StatusOK {
		t.Errorf("the right address: %d", r.StatusCode)
	}
	// A proxy says that the request came from elsewhere without TLS: it is refused before the secret counts.
	r, _ := m.get(path, "X-Forwarded-For", "203.0.113.9")
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("from another machine without TLS: %d", r.StatusCode)
	}
	if r, _ := m.get(path, "Host", "x", "Sec-Fetch-Site", "cross-site", "Cookie", auth.CookieName+
		"=x"); r.StatusCode != http.StatusOK {
		t.Errorf("with what browsers send: %d", r.StatusCode)
	}
	if text := m.log.String(); strings.Contains(text, good) || !strings.Contains(text, "without TLS") {
		t.Errorf("the log: %s", text)
	}
}
