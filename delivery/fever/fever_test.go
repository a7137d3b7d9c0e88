package fever

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
)

// client speaks to a handler as Ann's does.
type client struct {
	t       testing.TB
	handler http.Handler
	library *synctest.Library
	gate    *synctest.Gate
}

func newClient(t testing.TB, items int) *client {
	library, gate := synctest.Small(items)
	return &client{t, New(library, gate, synctest.Log()), library, gate}
}

var key = synctest.FeverKey("ann", synctest.AnnPassword)

// do sends a form to a target.
func (c *client) do(target, form string) *httptest.ResponseRecorder {
	c.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(form))
	path, query, _ := strings.Cut(target, "?")
	r.URL.Path, r.URL.RawQuery = path, query
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

// answer is all that an answer can have.
type answer struct {
	Version int     `json:"api_version"`
	Auth    int     `json:"auth"`
	Items   []item  `json:"items"`
	Total   int     `json:"total_items"`
	Unread  *string `json:"unread_item_ids"`
	Saved   *string `json:"saved_item_ids"`
}

// ask has verbs answered.
func (c *client) ask(verbs string) (a answer) {
	c.t.Helper()
	w := c.do("/fever/?api&"+verbs, "api_key="+key)
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK || a.Auth != 1 ||
		a.Version != version {
		c.t.Fatalf("%s: the answer is %d %.300s: %v", verbs, w.Code, w.Body, err)
	}
	return a
}

// ids returns the numbers of the items that verbs ask for.
func (c *client) ids(verbs string) []int64 {
	c.t.Helper()
	ids := []int64{}
	for _, i := range c.ask(verbs).Items {
		ids = append(ids, i.ID)
	}
	return ids
}

func (c *client) count(p sync.Person, q sync.Query) int {
	c.t.Helper()
	n, err := c.library.Count(context.Background(), p, q)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

const first = sync.FirstNumber

func TestPaths(t *testing.T) {
	c := newClient(t, 3)
	for path, is := range map[string]struct{ served, found bool }{
		"/fever": {true, true}, "/fever/": {true, true}, "/api/fever.php": {true, true},
		"/api/fever.php/": {true, true}, "//fever/": {true, true},
		"/fever/x": {true, false}, "/api/fever.php/index.php": {true, false}, "/fever//": {true, false},
		"/": {}, "/fever.php": {}, "/api/": {}, "/feverx": {}, "/api/fever.phpx": {}, "": {},
	} {
		w, want := c.do(path+"?api", "api_key="+key), http.StatusNotFound
		if is.found {
			want = http.StatusOK
		}
		if w.Code != want || Serves(path) != is.served || w.Header().Get("Location") != "" {
			t.Errorf("%q is answered with %d", path, w.Code)
		}
	}
}

// The key is in the form or in the URL. A wrong one is no error of HTTP.
func TestKeys(t *testing.T) {
	c := newClient(t, 3)
	for name, call := range map[string]struct {
		target, form string
		auth         int
	}{
		"form":           {"/fever/?api", "api_key=" + key, 1},
		"URL":            {"/fever/?api&api_key=" + key, "", 1},
		"capitals":       {"/fever/?api", "api_key=" + strings.ToUpper(key), 1},
		"blanks":         {"/fever/?api", "api_key=%20" + key + "%0A", 1},
		"without api":    {"/fever/", "api_key=" + key, 1},
		"another's":      {"/fever/?api", "api_key=" + synctest.FeverKey("ann", synctest.BenPassword), 0},
		"the password":   {"/fever/?api", "api_key=" + synctest.AnnPassword, 0},
		"none":           {"/fever/?api&items&unread_item_ids", "", 0},
		"too long":       {"/fever/?api", "api_key=" + key + key, 0},
		"no hexadecimal": {"/fever/?api", "api_key=" + strings.Repeat("z", 32), 0},
	} {
		w := c.do(call.target, call.form)
		var a map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusOK ||
			a["auth"] != float64(call.auth) {
			t.Errorf("%s: the answer is %d %s", name, w.Code, w.Body)
		}
		if call.auth == 0 && len(a) != 2 {
			t.Errorf("%s: a stranger learns %s", name, w.Body)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/fever/?api", nil)
	r.Header.Set("Cookie", "api_key="+key)
	w := httptest.NewRecorder()
	if c.handler.ServeHTTP(w, r); strings.Contains(w.Body.String(), `"auth":1`) {
		t.Error("a cookie lets in")
	}
}

func TestGuessesAndTrouble(t *testing.T) {
	c := newClient(t, 3)
	var last *httptest.ResponseRecorder
	for n := range 30 {
		last = c.do("/fever/?api", fmt.Sprintf("api_key=%032x", n))
	}
	if last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") != "30" {
		t.Errorf("the thirtieth guess is answered with %d, %v", last.Code, last.Header())
	}
	c.gate.Broken = true
	if w := c.do("/fever/?api", "api_key="+key); w.Code != http.StatusServiceUnavailable ||
		strings.Contains(w.Body.String(), "disk") {
		t.Errorf("trouble is %d %s", w.Code, w.Body)
	}
	if w := c.do("/fever/?api", strings.Repeat("x", sync.MaxGuestBody+1)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body is answered with %d", w.Code)
	}
}

// Which items are in an answer, and in which order.
func TestItems(t *testing.T) {
	c := newClient(t, 1200)
	span := func(from, to int64) (numbers []int64) {
		numbers = []int64{}
		for step := int64(1); ; from += step {
			if from > to {
				step = -1
			}
			if numbers = append(numbers, from); from == to {
				return numbers
			}
		}
	}
	for verbs, want := range map[string][]int64{
		"items":                                       span(first, first+49),
		"items&since_id=0":                            span(first, first+49),
		"items&since_id=":                             span(first, first+49),
		"items&since_id=x":                            span(first, first+49),
		"items&since_id=1000000010":                   span(first+10, first+59),
		"items&since_id=1000001190":                   span(first+1190, first+1199),
		"items&since_id=1000001200":                   {},
		"items&since_id=9007199254740991":             {},
		"items&max_id=1000001191":                     span(first+1189, first+1140),
		"items&max_id=1000000006":                     span(first+4, first),
		"items&max_id=1000000001":                     {},
		"items&max_id=1":                              {},
		"items&max_id=0":                              span(first+1199, first+1150),
		"items&max_id=9007199254740991":               span(first+1199, first+1150),
		"items&max_id=99999999999999999999999999":     span(first+1199, first+1150),
		"items&max_id=-1":                             span(first+1199, first+1150),
		"items&since_id=1000000010&max_id=1000000013": span(first+10, first+11),
		"items&with_ids=1000000003,1000000001,,x,7,2000000000,-5": {first + 2, first},
		"items&with_ids=":                      {},
		"items&feed_ids=2&since_id=1000000001": nil,
	} {
		got := c.ids(verbs)
		if want == nil {
			if len(got) != 50 || got[0] != first+1 || got[1] != first+4 {
				t.Errorf("%s: %v", verbs, got)
			}
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", verbs, got, want)
		}
	}
	for verbs, feeds := range map[string][]int64{
		"items&feed_ids=1,3": {1, 3}, "items&group_ids=2,1": {1, 3}, "items&feed_ids=1,2&group_ids=3": {2},
		"items&feed_ids=99": {}, "items&group_ids=99": {},
		"items&feed_ids=x": {}, "items&group_ids=x": {}, "items&group_ids=-1": {}, "items&feed_ids=1&group_ids=3": {},
	} {
		got := map[int64]bool{}
		for _, i := range c.ask(verbs).Items {
			got[i.Feed] = true
		}
		for _, f := range feeds {
			if !got[f] {
				t.Errorf("%s: the feed %d is missing in %v", verbs, f, got)
			}
		}
		if len(got) != len(feeds) {
			t.Errorf("%s: items of %v, want %v", verbs, got, feeds)
		}
	}
	if a := c.ask("items&feed_ids=1"); a.Total != 1200 || a.Items[0].Saved != 0 || a.Items[0].Read != 1 {
		t.Errorf("the answer is %+v", a)
	}
}

// A client that walks on by since_id has each item once, whatever arrives meanwhile.
func TestWalking(t *testing.T) {
	c := newClient(t, 175)
	seen, since := map[int64]bool{}, int64(0)
	for pages := 0; ; pages++ {
		ids := c.ids(fmt.Sprintf("items&since_id=%d", since))
		if len(ids) == 0 {
			break
		}
		for _, id := range ids {
			if seen[id] {
				t.Fatalf("%d comes twice", id)
			}
			seen[id] = true
		}
		if since = ids[len(ids)-1]; pages < 10 {
			c.library.Arrive(sync.Item{Feed: 2})
		}
	}
	if want := c.count(synctest.Ann, sync.Query{}); len(seen) != want {
		t.Errorf("%d of %d items come", len(seen), want)
	}
}

// The lists of numbers are whole, as texts, and name only what items can have.
func TestNumbers(t *testing.T) {
	c := newClient(t, 12)
	if a := c.ask("unread_item_ids&saved_item_ids"); *a.Saved != "" || strings.Count(*a.Unread, ",") != 11 {
		t.Errorf("the lists are %q, %q", *a.Unread, *a.Saved)
	}
	if w := c.do("/fever/?api&saved_item_ids", "api_key="+key); !strings.Contains(w.Body.String(),
		`"saved_item_ids":""`) {
		t.Errorf("no numbers are %s", w.Body)
	}
	if err := c.library.Unsubscribe(context.Background(), synctest.Ann, 1); err != nil {
		t.Fatal(err)
	}
	unread := *c.ask("unread_item_ids").Unread
	if got := c.ids("items&with_ids=" + unread); join(got) != unread || len(got) != 8 {
		t.Errorf("of %s there are %v", unread, got)
	}
}

// What counts as unread is in the list, however many there are.
func TestNumbersHaveNoBound(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 200,000 items")
	}
	c := newClient(t, 12)
	for range sync.MaxNumbers {
		c.library.Arrive(sync.Item{Feed: 1})
	}
	list := strings.Split(*c.ask("unread_item_ids").Unread, ",")
	slices.Sort(list)
	if list = slices.Compact(list); len(list) != sync.MaxNumbers+12 || len(list[0]) != 10 {
		t.Errorf("%d numbers from %s", len(list), list[0])
	}
}

// What a client marks, and what it does not.
func TestMarks(t *testing.T) {
	at := synctest.SampleTime.Unix()
	for form, unread := range map[string]int{ // of 200, of which the last one arrived at that time
		"mark=item&as=read&id=1000001200":                            199,
		"mark=item&as=read&id=1000001200,1000001199":                 198,
		"mark=item&as=unread&id=1000000001":                          201,
		"mark=item&as=read&id=x":                                     200,
		"mark=item&as=read&id=":                                      200,
		"mark=item&as=eaten&id=1000001200":                           200,
		"mark=item&id=1000001200":                                    200,
		"mark=feed&as=read&id=1&before=" + fmt.Sprint(at):            134,
		"mark=feed&as=read&id=1":                                     134,
		"mark=feed&as=read&id=0":                                     200,
		"mark=feed&as=read&id=99":                                    200,
		"mark=feed&as=read&id=":                                      200,
		"mark=feed&as=read":                                          200,
		"mark=feed&as=read&id=x":                                     200,
		"mark=feed&as=saved&id=1":                                    200,
		"mark=feed&as=unread&id=1":                                   534,
		"mark=group&as=read&id=0&before=" + fmt.Sprint(at):           0,
		"mark=group&as=read&id=0&before=" + fmt.Sprint(at-1):         1,
		"mark=group&as=read&id=0&before=" + fmt.Sprint(at*1000):      0,
		"mark=group&as=read&id=0&before=" + fmt.Sprint(at*1000000-1): 1,
		"mark=group&as=read&id=0&before=9223372036854775":            0,
		"mark=group&as=read&id=0&before=1":                           200,
		"mark=group&as=read&id=1&before=" + fmt.Sprint(at):           133,
		"mark=group&as=read&id=2&before=" + fmt.Sprint(at):           134,
		"mark=group&as=read&id=99":                                   200,
		"mark=group&as=read&id=-1":                                   200,
		"mark=group&as=read&id=":                                     200,
		"mark=group&as=read":                                         200,
		"mark=everything&as=read&id=0":                               200,
		"as=read&id=0":                                               200,
	} {
		c := newClient(t, 1200)
		w := c.do("/fever/", "api_key="+key+"&"+form)
		if got := c.count(synctest.Ann, sync.Query{Read: sync.Without}); got != unread || w.Code != http.StatusOK {
			t.Errorf("%s: %d are unread, want %d; the answer is %d %.100s", form, got, unread, w.Code, w.Body)
		}
		if c.count(synctest.Ben, sync.Query{Read: sync.Without}) != 1200 ||
			c.count(synctest.Ann, sync.Query{Starred: sync.Only}) != 12 {
			t.Errorf("%s: another state has changed", form)
		}
	}
	c := newClient(t, 1200)
	if w := c.do("/fever/",
		"api_key="+key+"&mark=group&as=read&id=0&before=yesterday"); w.Code != http.StatusBadRequest {
		t.Errorf("a time that is none: %d", w.Code)
	}
	// What arrives later in the second that a client names has not been seen.
	c.library.Pass(time.Second / 2)
	late := c.library.Arrive(sync.Item{Feed: 1})
	c.do("/fever/", fmt.Sprintf("api_key=%s&mark=group&as=read&id=0&before=%d", key, c.library.Now().Unix()))
	if unread := *c.ask("unread_item_ids").Unread; unread != fmt.Sprint(late) {
		t.Errorf("%s are unread", unread)
	}
}

// hostile 59: whatever a client sends, the answer is JSON, and what it has no name for stays as it is.
func FuzzVerbs(f *testing.F) {
	for _, seed := range []string{"items&since_id=5", "items&max_id=x", "items&with_ids=1,2,,1000000001",
		"groups&feeds&favicons&links", "mark=item&as=read&id=1000000001",
		"mark=group&as=read&id=0&before=1e99", "mark=feed&as=unread&id=%zz", "feed_ids=1&group_ids=-9&items",
		"unread_item_ids&saved_item_ids&mark=item&as=saved&id=,"} {
		f.Add(seed, seed)
		f.Add("", seed)
	}
	f.Fuzz(func(t *testing.T, query, form string) {
		c := newClient(t, 12)
		w := c.do("/fever/?api_key="+key+"&"+query, form)
		if !json.Valid(w.Body.Bytes()) || w.Code >= http.StatusInternalServerError {
			t.Errorf("%q with %q: %d %s", query, form, w.Code, w.Body)
		}
		values, _ := url.ParseQuery(query + "&" + form)
		marks := strings.Contains(query+form, "mark") && len(values) > 0
		if c.count(synctest.Ben, sync.Query{Read: sync.Only}) != 0 ||
			!marks && c.count(synctest.Ann, sync.Query{Read: sync.Only}) != 0 {
			t.Errorf("%q with %q marks", query, form)
		}
	})
}

// Every answer is compressed for a client that reads that, refusals too.
func TestAnswersAreCompressed(t *testing.T) {
	c := newClient(t, 12)
	for _, form := range []string{"api_key=" + key, "api_key=" + key + "&items", "api_key=x"} {
		r := httptest.NewRequest(http.MethodPost, "/fever/", strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		if c.handler.ServeHTTP(w, r); w.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %d with %v", form, w.Code, w.Header())
		}
	}
}

// Whichever call to the library fails, the client learns that it has to come again, and gets no half of an answer.
func TestFailures(t *testing.T) {
	for _, verbs := range []string{"groups&feeds&favicons&items&unread_item_ids&saved_item_ids",
		"mark=item&as=read&id=1000000001", "mark=group&as=read&id=0"} {
		for after := 0; ; after++ {
			c := newClient(t, 12)
			library := synctest.Fail(c.library, after)
			c.handler = New(library, c.gate, synctest.Log())
			w := c.do("/fever/", "api_key="+key+"&"+verbs)
			if !library.Failed {
				if after == 0 || w.Code != http.StatusOK {
					t.Errorf("%s: %d without a failure", verbs, w.Code)
				}
				break
			}
			if w.Code != http.StatusServiceUnavailable || !json.Valid(w.Body.Bytes()) ||
				strings.Contains(w.Body.String(), "disk") {
				t.Errorf("%s, when call %d fails: %d %.200s", verbs, after, w.Code, w.Body)
			}
		}
	}
}
