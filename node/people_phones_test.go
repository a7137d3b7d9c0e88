package node

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/lab/origin"
)

// phone is a feed reader that has a person's app password.
type phone struct {
	t      testing.TB
	node   *Node
	token  string
	fever  string // the MD5 of a name and a password
	prefix string // of the Google Reader API
}

// phoneOf makes the app passwords of a person's feed reader.
func phoneOf(p person, user string) phone {
	p.t.Helper()
	secret := func(fields url.Values) string {
		status, _, page := p.ask("POST", "/settings/tokens", "application/x-www-form-urlencoded", fields.Encode())
		_, rest, _ := strings.Cut(page, `<code class="secret">`)
		secret, _, ok := strings.Cut(rest, "</code>")
		if !ok {
			p.t.Fatalf("no token was made: %d", status)
		}
		return secret
	}
	token := secret(url.Values{"label": {"phone"}})
	sum := md5.Sum([]byte(user + ":" + secret(url.Values{"label": {"old phone"}, "fever_user": {user}})))
	return phone{p.t, p.node, token, hex.EncodeToString(sum[:]), "/api/greader.php/reader/api/0/"}
}

func (p phone) ask(method, path, kind, body string) (status int, text string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.node.URL()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "GoogleLogin auth="+p.token)
	if strings.HasPrefix(path, "/v1/") {
		r.Header.Set("X-Auth-Token", p.token)
		r.Header.Del("Authorization")
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(all)
}

// updated is what differs by the time of an answer, and by the number of a feed. A low number shows that the node knew
// the channel, as in its earlier versions (docs/people.md).
var updated = regexp.MustCompile(`"updated":\d+|"last_refreshed_on_time":"?\d+|(feed/|"feed_id":)\d+`)

// No feed reader learns whether another person follows a channel: by its address, by the number of the feed, or by that
// of an item.
func TestNoPhoneSeesWhatOthersFollow(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	for _, name := range []string{"followed", "nobodys_"} { // of one length
		if err := o.AddFeed(name, origin.MakeFeed(7, 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, owner, readers := startShared(t, "ann")
	owners, ann := phoneOf(signIn(t, n, "owner"), "owner"), phoneOf(readers[0], "ann")
	if _, err := owner.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "followed"}); err != nil {
		t.Fatal(err)
	}
	waitForContent(t, owner, base+"followed")
	feed, item := owners.first()

	const form, feverForm, noFeed, noItem = "application/x-www-form-urlencoded", "fever", "987654", "1000987654"
	post := func(path string, fields ...string) [4]string {
		v := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			v.Set(fields[i], fields[i+1])
		}
		return [4]string{"POST", path, form, v.Encode()}
	}
	get := func(path string) [4]string { return [4]string{"GET", path} }
	put := func(path, body string) [4]string { return [4]string{"PUT", path, "application/json", body} }
	g := ann.prefix
	requests := [][4]string{
		get(g + "subscription/list?output=json"), get(g + "unread-count?output=json"), get(g + "tag/list?output=json"),
		get(g + "subscription/export"),
		get(g + "stream/items/ids?output=json&n=10&s=feed/FEED"),
		get(g + "stream/items/ids?output=json&n=10&s=feed/URL"),
		get(g + "stream/items/ids?output=json&n=10&s=user/-/state/com.google/reading-list"),
		get(g + "stream/contents/feed/FEED?output=json"), get(g + "stream/contents/feed/URL?output=json"),
		get("/api/greader.php/reader/atom/feed/FEED"),
		post(g+"stream/items/contents?output=json", "i", "ITEM"),
		post(g+"edit-tag", "i", "ITEM", "a", "user/-/state/com.google/read"),
		post(g+"edit-tag", "i", "ITEM", "a", "user/-/state/com.google/starred"),
		post(g+"mark-all-as-read", "s", "feed/FEED"), post(g+"mark-all-as-read", "s", "feed/URL"),
		post(g+"subscription/edit", "ac", "edit", "s", "feed/FEED", "t", "x"),
		post(g+"subscription/edit", "ac", "unsubscribe", "s", "feed/FEED"),
		post(g+"subscription/edit", "ac", "unsubscribe", "s", "feed/URL"),

		get("/v1/feeds"), get("/v1/feeds/counters"), get("/v1/feeds/FEED"), get("/v1/feeds/FEED/icon"),
		get("/v1/feeds/FEED/entries"), get("/v1/feeds/FEED/entries/ITEM"),
		get("/v1/icons/FEED"), get("/v1/categories"), get("/v1/entries"), get("/v1/entries?feed_id=FEED"),
		get("/v1/entries/ITEM"), get("/v1/entries/ids"),
		get("/v1/entries/ITEM/fetch-content"), get("/v1/export"), {"POST", "/v1/entries/ITEM/save", "", ""},
		put("/v1/feeds/FEED", `{"title":"x"}`), put("/v1/feeds/FEED/refresh", ""),
		put("/v1/feeds/FEED/mark-all-as-read", ""),
		put("/v1/entries", `{"entry_ids":[ITEM],"status":"read"}`), put("/v1/entries/ITEM/bookmark", ""),
		put("/v1/entries/ITEM/star", ""),
		{"DELETE", "/v1/feeds/FEED", "", ""},

		{"POST", "/fever/?api&groups&feeds", feverForm, ""}, {"POST", "/fever/?api&items&with_ids=ITEM", feverForm, ""},
		{"POST", "/fever/?api&unread_item_ids&saved_item_ids", feverForm, ""},
		{"POST", "/fever/?api&favicons", feverForm, ""},
		{"POST", "/fever/?api", feverForm, "&mark=item&as=read&id=ITEM"},
		{"POST", "/fever/?api", feverForm, "&mark=item&as=saved&id=ITEM"},
		{"POST", "/fever/?api", feverForm, "&mark=feed&as=read&id=FEED&before=2000000000"},

		// At the end, as she follows it then. Both return the feed that they find at the address.
		post(g+"subscription/quickadd?output=json", "quickadd", "URL"),
		{"POST", "/v1/feeds", "application/json", `{"feed_url":"URL"}`},
	}
	fill := func(text, feed, item, address string) string {
		if !strings.HasPrefix(text, "{") {
			address = url.QueryEscape(address)
		}
		return strings.NewReplacer("FEED", feed, "ITEM", item, "URL", address).Replace(text)
	}
	for _, r := range requests {
		ask := func(ofFeed, ofItem, name string) string {
			if r[2] == feverForm {
				r[2], r[3] = form, "api_key="+ann.fever+r[3]
			}
			body := strings.ReplaceAll(r[3], url.QueryEscape("URL"), "URL")
			status, text := ann.ask(r[0], fill(r[1], ofFeed, ofItem, base+name), r[2],
				fill(body, ofFeed, ofItem, base+name))
			text = strings.ReplaceAll(text, name, "NAME")
			for _, v := range slices.Concat(volatile, []*regexp.Regexp{updated}) {
				text = v.ReplaceAllString(text, "X")
			}
			text = strings.NewReplacer(feed, "FEED", noFeed, "FEED", item, "ITEM", noItem, "ITEM").Replace(text)
			return fmt.Sprint(status, " ", text)
		}
		known, unknown := ask(feed, item, "followed"), ask(noFeed, noItem, "nobodys_")
		if known != unknown {
			t.Errorf("%s %s %s:\n%s\n%s", r[0], r[1], r[3], differing(known, unknown), differing(unknown, known))
		}
	}
	if all, err := owner.Channels(t.Context()); err != nil || len(all) != 1 || all[0].Name == "x" {
		t.Errorf("the owner follows %+v, error %v", all, err)
	}
	if _, again := owners.first(); again != item {
		t.Errorf("the owner's newest unread item is %s and was %s", again, item)
	}
}

// first returns the number of the only feed that a person follows, and that of its newest unread item.
func (p phone) first() (feed, item string) {
	p.t.Helper()
	var list struct{ Subscriptions []struct{ ID string } }
	var ids struct{ ItemRefs []struct{ ID string } }
	for path, into := range map[string]any{
		"subscription/list?output=json": &list,
		"stream/items/ids?output=json&n=1&s=user/-/state/com.google/reading-list&xt=user/-/state/com.google/read": &ids,
	} {
		if status, text := p.ask("GET", p.prefix+path, "", ""); status != http.StatusOK ||
			json.Unmarshal([]byte(text), into) != nil {
			p.t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	if len(list.Subscriptions) != 1 || len(ids.ItemRefs) != 1 {
		p.t.Fatalf("subscriptions %+v, items %+v", list, ids)
	}
	return strings.TrimPrefix(list.Subscriptions[0].ID, "feed/"), ids.ItemRefs[0].ID
}
