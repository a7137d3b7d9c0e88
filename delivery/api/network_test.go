package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/view"
)

const friend = "/ip4/192.0.2.7/udp/7601/quic-v1/p2p/12D3KooWAbc"

// fakeNetwork is a node's part among others, in memory.
type fakeNetwork struct {
	mu      sync.Mutex
	now     view.Network
	asked   int // of Network
	err     error
	changed chan struct{}

	says      string // in its zone
	installed view.ZoneInstallation
	sent      view.ZoneSending

	settle func(*view.Join) // what becomes of a join that was added; nil: its attempt goes on
}

func newFakeNetwork() *fakeNetwork {
	return &fakeNetwork{changed: make(chan struct{}), now: view.Network{
		ID: "abc", Addresses: []string{"/ip4/192.0.2.1/tcp/7601/p2p/12D3KooWSelf"}, Position: 0.25, Nodes: 3,
		Neighbours: []view.Peer{{ID: "def", Address: friend, RTT: 12.5, Neighbour: true, Connected: true}},
		Joins:      []view.Join{}, Traffic: []view.Traffic{{Kind: "pastry.Join", Sent: 3}},
	}}
}

func (f *fakeNetwork) change(how func(*view.Network)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how(&f.now)
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeNetwork) Network(context.Context) (view.Network, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	n := f.now
	n.Joins = slices.Clone(n.Joins)
	return n, f.err
}

func (f *fakeNetwork) Peers(context.Context) ([]view.Peer, error) {
	return append(f.now.Neighbours, view.Peer{ID: "123", Address: "/ip4/192.0.2.8/tcp/1/p2p/12D3KooWFar"}), f.err
}

func (f *fakeNetwork) Friends(_ context.Context, account tidings.AccountID) ([]view.Friend, error) {
	if account != tidings.Owner {
		return nil, tidings.ErrUnauthorized
	}
	return []view.Friend{{ID: "def", Address: friend, RTT: 12.5, Distance: 11, Shared: 3, Channels: []string{news}}},
		f.err
}

func (f *fakeNetwork) Overlay(_ context.Context, account tidings.AccountID) (view.Overlay, error) {
	if account != tidings.Owner {
		return view.Overlay{}, tidings.ErrUnauthorized
	}
	return view.Overlay{Wanted: 3,
		Links: []view.OverlayLink{{ID: "def", Address: friend, RTT: 12.5, Shared: 3, Carried: 1,
			Channels: []string{news}}},
		Thin: []view.Coverage{{Channel: news, Links: 1}}}, f.err
}

func (f *fakeNetwork) Zone(_ context.Context, path string) (view.Zone, error) {
	if path == "/us" {
		return view.Zone{}, tidings.ErrNotFound
	}
	return view.Zone{Path: "/eu", Own: "/eu/de",
		Rows: []view.ZoneRow{{Label: "de", Kind: view.ZoneChild, Members: 3, Within: true, Issuer: "abc",
			Written: time.Unix(0, 0).UTC(), Representatives: []string{"abc"},
			Attributes: map[string]string{"load": "0.5"}}}}, f.err
}

func (f *fakeNetwork) JoinZone(_ context.Context, o view.ZoneOrder) (view.ZoneMembership, error) {
	if o.Path == "eu" {
		return view.ZoneMembership{}, tidings.Invalidf("no zone")
	}
	return view.ZoneMembership{Home: o.Path, Closed: o.Closed, Problem: o.Certificate, Hint: o.Authority}, f.err
}

func (f *fakeNetwork) SetZoneAttribute(_ context.Context, name, value string) error {
	if value == "" {
		return tidings.ErrNotFound
	}
	f.says = name + "=" + value
	return f.err
}

func (f *fakeNetwork) SpreadFunction(_ context.Context, i view.ZoneInstallation) error {
	f.installed = i
	return f.err
}

func (f *fakeNetwork) SendToZone(_ context.Context, o view.ZoneSending) (view.ZoneSent, error) {
	f.sent = o
	return view.ZoneSent{Zone: o.Zone, Sender: "abc", Items: []view.ZoneSentItem{{ID: "1", Title: "Rain"}}}, f.err
}

func (f *fakeNetwork) Tree(_ context.Context, url string) (view.Tree, error) {
	return view.Tree{Channel: url, Router: "rappel", Rooted: true,
			Ancestors: []view.TreeNode{{ID: "def", Address: friend, RTT: 12.5}, {ID: "123"}},
			Children:  []view.TreeNode{}},
		f.err
}

func (f *fakeNetwork) AddJoin(_ context.Context, address string) error {
	if !strings.HasPrefix(address, "/ip4/") {
		return tidings.Invalidf("%q is no address of a node", address)
	}
	f.change(func(n *view.Network) {
		n.Joins = append(n.Joins, view.Join{Address: address, Saved: true, State: view.Joining})
	})
	if f.settle != nil {
		go f.change(func(n *view.Network) { f.settle(&n.Joins[len(n.Joins)-1]) })
	}
	return nil
}

func (f *fakeNetwork) RemoveJoin(_ context.Context, address string) error {
	if !slices.ContainsFunc(f.now.Joins, func(j view.Join) bool { return j.Address == address }) {
		return fmt.Errorf("join %s: %w", address, tidings.ErrNotFound)
	}
	f.change(func(n *view.Network) { n.Joins = []view.Join{} })
	return nil
}

func (f *fakeNetwork) NetworkChanged() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

func networked(f *fakeNetwork) Config {
	c := configOf(filled())
	c.Network = f
	return c
}

func TestNetworkRoutes(t *testing.T) {
	for _, test := range []struct {
		method, target, body string
		status               int
		want                 string // part of the answer
	}{
		{"GET", "network", "", 200,
			`{"id":"abc","addresses":["/ip4/192.0.2.1/tcp/7601/p2p/12D3KooWSelf"],"position":0.25,"nodes":3`},
		{"GET", "peers", "", 200, `[{"id":"def","address":"` + friend + `"`},
		{"GET", "friends", "", 200, `[{"id":"def","address":"` + friend +
			`","rtt_ms":12.5,"distance_ms":11,"shared":3,"channels":["` + news + `"],"since":"`},
		{"GET", "zone?path=/eu", "", 200, `{"path":"/eu","own":"/eu/de","rows":[{"label":"de","kind":"zone","members":3,"within":true,"issuer":"abc",` +
			`"written":"1970-01-01T00:00:00Z","representatives":["abc"],"attributes":{"load":"0.5"}}]}`},
		{"GET", "zone?path=/us", "", 404, ``},
		{"GET", "tree?url=" + news + "%23top", "", 200, `{"channel":"` + news +
			`","router":"rappel","root":false,"rooted":true,` +
			`"ancestors":[{"id":"def","address":"` + friend +
			`","rtt_ms":12.5},{"id":"123","rtt_ms":0}],"children":[]}`},
		{"GET", "tree?url=" + other, "", 404, `follow it first`},
		{"GET", "tree", "", 400, `parameter \"url\" is missing`},
		{"POST", "tree?url=" + news, "{}", 405, `possible: GET`},
		{"POST", "joins", `{"address":" ` + friend + ` "}`, 201, `{"address":"` + friend +
			`","saved":true,"state":"waiting","failure":"nobody answers"`},
		{"POST", "joins", `{"address":"http://x.example/"}`, 400, `\"http://x.example/\" is no address of a node`},
		{"POST", "joins", `{"address":" "}`, 400, `field \"address\" is missing`},
		{"POST", "joins", `{"address":7}`, 400, `field \"address\" cannot be a number`},
		{"POST", "joins", `{"address":"` + strings.Repeat("x", view.MaxJoinAddress+1) + `"}`, 400,
			`more than 2048 bytes`},
		{"POST", "joins", `{"address":"` + strings.Repeat("x", maxBody) + `"}`, 413, `larger than`},
		{"POST", "joins", `{"address":"` + friend + `","saved":false}`, 400, `unknown field \"saved\"`},
		{"POST", "joins", `["` + friend + `"]`, 400, `the body is not a JSON object`},
		{"POST", "joins", `{`, 400, `no JSON`},
		{"POST", "joins", ``, 400, `empty`},
		{"DELETE", "joins?address=" + friend, "", 404, `was not told to join by that address`},
		{"DELETE", "joins", "", 400, `parameter \"address\" is missing`},
		{"DELETE", "joins?address=" + strings.Repeat("x", view.MaxJoinAddress+1), "", 400, `more than 2048 bytes`},
		{"GET", "joins", "", 405, `possible: DELETE, POST`},
	} {
		t.Run(test.method+" "+clip(test.target+" "+test.body), func(t *testing.T) {
			f := newFakeNetwork()
			f.settle = func(j *view.Join) { j.State, j.Failure = view.Waiting, "nobody answers" }
			w := ask(as(tidings.Owner, New(networked(f))), test.method, test.target, test.body)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %d %s\nwant %d with %s", w.Code, w.Body, test.status, test.want)
			}
			if w.Code >= 400 {
				var p problem
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error == "" ||
					strings.Count(w.Body.String(), "\n") > 1 {
					t.Errorf("no error object of one line: %s", w.Body)
				}
			}
		})
	}
}

func TestWhoWorksAloneSaysSo(t *testing.T) {
	h := as(tidings.Owner, New(configOf(filled())))
	for _, route := range []string{"GET network", "GET network/stream", "GET peers", "GET friends", "GET tree",
		"POST joins", "DELETE joins"} {
		method, path, _ := strings.Cut(route, " ")
		w := ask(h, method, path, "")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "works alone") {
			t.Errorf("%s: %d %s", route, w.Code, w.Body)
		}
	}
}

// A slow attempt is answered before it ends. An attempt that ends is answered at once.
func TestAddJoinWaitsALittle(t *testing.T) {
	for name, test := range map[string]struct {
		settle func(*view.Join)
		want   view.JoinState
		took   time.Duration
	}{
		"it ends":   {func(j *view.Join) { j.State = view.Joined }, view.Joined, 0},
		"it lasts":  {nil, view.Joining, joinPatience},
		"it begins": {func(*view.Join) {}, view.Joining, joinPatience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, begun := newFakeNetwork(), time.Now()
				f.settle = test.settle
				w := ask(as(tidings.Owner, New(networked(f))), "POST", "joins", `{"address":"`+friend+`"}`)
				var got view.Join
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.State != test.want {
					t.Errorf("got %d %s, want %s", w.Code, w.Body, test.want)
				}
				if took := time.Since(begun); took != test.took {
					t.Errorf("it took %s, want %s", took, test.took)
				}
			})
		})
	}
}

// hostile 57: another site's page can neither add nor remove an address.
func TestHostile57JoinsFromOtherSites(t *testing.T) {
	body := `{"address":"` + friend + `"}`
	for name, test := range map[string]struct {
		method, target, body string
		header               []string
		status               int
	}{
		"fetch of another site": {"POST", "joins", body, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"an old browser":        {"POST", "joins", body, []string{"Origin", "https://evil.example"}, 403},
		"a form":                {"POST", "joins", body, []string{"Content-Type", "text/plain"}, 415},
		"removing": {"DELETE", "joins?address=" + friend, "", []string{"Sec-Fetch-Site", "cross-site"},
			403},
		"removing from a window": {"DELETE", "joins?address=" + friend, "", []string{"Origin", "null"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeNetwork()
			f.now.Joins = []view.Join{{Address: friend, State: view.Joined}}
			w := ask(as(tidings.Owner, New(networked(f))), test.method, test.target, test.body, test.header...)
			if w.Code != test.status || len(f.now.Joins) != 1 {
				t.Errorf("got %d %s with %d joins, want %d", w.Code, w.Body, len(f.now.Joins), test.status)
			}
		})
	}
}

// positions returns the ring positions in a stream, in order.
func positions(t *testing.T, text string) (all []float64) {
	t.Helper()
	for line := range strings.Lines(text) {
		object, ok := strings.CutPrefix(line, "data: ")
		if !ok && !strings.HasPrefix(line, "{") {
			continue
		}
		if !ok {
			object = line
		}
		var n view.Network
		if err := json.Unmarshal([]byte(object), &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, n.Position)
	}
	return all
}

func (f *fakeNetwork) moveTo(position float64) {
	f.change(func(n *view.Network) { n.Position = position })
}

func TestNetworkStreamTellsTheLatestOnceASecond(t *testing.T) {
	for name, accept := range map[string]string{"events": typeEvents, "JSON Lines": typeNDJSON} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeNetwork()
				w, end := listen(as(tidings.Owner, New(networked(f))), "network/stream", "Accept", accept)
				defer end()
				synctest.Wait()
				for _, position := range []float64{0.5, 0.6, 0.7} {
					f.moveTo(position)
					synctest.Wait()
				}
				if got := positions(t, w.got()); !slices.Equal(got, []float64{0.25}) {
					t.Errorf("in the first second: %v", got)
				}
				time.Sleep(networkLeast)
				synctest.Wait()
				if got := positions(t, w.got()); !slices.Equal(got, []float64{0.25, 0.7}) {
					t.Errorf("after it: %v", got)
				}
				f.mu.Lock()
				f.now.Traffic = []view.Traffic{{Kind: "pastry.Join", Sent: 9}} // nobody is notified
				f.mu.Unlock()
				time.Sleep(networkRefresh)
				synctest.Wait()
				if got := positions(t, w.got()); len(got) != 3 || !strings.Contains(w.got(), `"sent":9`) {
					t.Errorf("traffic is not refreshed: %s", w.got())
				}
				time.Sleep(10 * networkRefresh)
				synctest.Wait()
				if got := positions(t, w.got()); len(got) != 3 {
					t.Errorf("what is the same was told again: %v", got)
				}
				if beats := strings.Count(w.got(), "\n:\n\n") + strings.Count(w.got(),
					"}\n\n\n"); accept == typeEvents && beats == 0 {
					t.Errorf("the stream is silent: %q", w.got())
				}
			})
		})
	}
}

// However many watch, the node is asked once; when nobody does, not at all.
func TestNetworkStreamsShareTheirSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNetwork()
		c := networked(f)
		c.MaxStreams = 50
		h := as(tidings.Owner, New(c))
		var ends []func()
		for range c.MaxStreams {
			w, end := listen(h, "network/stream")
			ends = append(ends, end)
			synctest.Wait()
			if got := positions(t, w.got()); len(got) != 1 {
				t.Fatalf("a stream began with %v", got)
			}
		}
		if f.asked != 1 {
			t.Errorf("asked %d times", f.asked)
		}
		w, end := listen(h, "network/stream")
		end()
		if w.status != http.StatusServiceUnavailable {
			t.Errorf("stream %d: status %d", c.MaxStreams+1, w.status)
		}
		for _, end := range ends {
			end()
		}
		asked := f.asked
		f.moveTo(0.9)
		time.Sleep(time.Minute)
		synctest.Wait()
		if f.asked != asked {
			t.Errorf("asked %d times while nobody watched", f.asked-asked)
		}
		w, end = listen(h, "network/stream")
		synctest.Wait()
		end()
		if got := positions(t, w.got()); !slices.Equal(got, []float64{0.9}) {
			t.Errorf("who came later was told %v", got)
		}
	})
}

func TestNetworkStreamOutlivesFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeNetwork()
		f.err = errors.New("the loop is stopping")
		w, end := listen(as(tidings.Owner, New(networked(f))), "network/stream")
		defer end()
		synctest.Wait()
		f.mu.Lock()
		f.err = nil
		f.mu.Unlock()
		time.Sleep(networkRefresh)
		synctest.Wait()
		if got := positions(t, w.got()); len(got) != 1 || strings.Contains(w.got(), "stopping") {
			t.Errorf("got %q", w.got())
		}
	})
}

func TestClientSpeaksOfTheNetwork(t *testing.T) {
	f := newFakeNetwork()
	f.settle = func(j *view.Join) { j.State = view.Joined }
	c, ctx := Dial(serve(t, as(tidings.Owner, New(networked(f))))), t.Context()
	defer c.Close()
	n, err := c.Network(ctx)
	if err != nil || n.ID != "abc" || len(n.Neighbours) != 1 {
		t.Errorf("network: %+v, %v", n, err)
	}
	peers, err := c.Peers(ctx)
	if err != nil || len(peers) != 2 || peers[0].RTT != 12.5 {
		t.Errorf("peers: %+v, %v", peers, err)
	}
	friends, err := c.Friends(ctx)
	if err != nil || len(friends) != 1 || friends[0].Shared != 3 || !slices.Equal(friends[0].Channels, []string{news}) {
		t.Errorf("friends: %+v, %v", friends, err)
	}
	overlay, err := c.Overlay(ctx)
	if err != nil || len(overlay.Links) != 1 || overlay.Links[0].Carried != 1 || overlay.Wanted != 3 ||
		len(overlay.Thin) != 1 {
		t.Errorf("overlay: %+v, %v", overlay, err)
	}
	tree, err := c.Tree(ctx, news)
	if err != nil || tree.Channel != news || len(tree.Ancestors) != 2 || tree.Ancestors[0].RTT != 12.5 {
		t.Errorf("tree: %+v, %v", tree, err)
	}
	if _, err := c.Tree(ctx, other); !errors.Is(err, tidings.ErrNotFollowed) && !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("the tree of a channel that the account does not follow: %v", err)
	}
	j, err := c.Join(ctx, friend)
	if err != nil || j.State != view.Joined || j.Address != friend {
		t.Errorf("join: %+v, %v", j, err)
	}
	if _, err := c.Join(ctx, "x"); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("joining by nonsense: %v", err)
	}
	if err := c.ForgetJoin(ctx, friend); err != nil || len(f.now.Joins) != 0 {
		t.Errorf("forgetting: %v", err)
	}
	if err := c.ForgetJoin(ctx, friend); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("forgetting again: %v", err)
	}
}
