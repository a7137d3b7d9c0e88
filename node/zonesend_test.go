package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/view"
)

// inZones starts nodes in zones, as one ring, and waits until they know each other and which router they have.
func inZones(t *testing.T, homes ...string) (nodes []*restartable) {
	t.Helper()
	for i, home := range homes {
		change := []func(*Config){func(c *Config) { c.Router, c.Zone = router.NewsWire, home }}
		if i > 0 {
			change = append(change, joiningBy(nodes[0].address()))
		}
		nodes = append(nodes, newRestartable(t, change...))
	}
	await(t, "all are in their zones, and know them", func() bool {
		return !slices.ContainsFunc(nodes, func(r *restartable) bool {
			if r.membership().Own != r.config.Zone || !sharingOf(t, r).Agreed {
				return true
			}
			for i, home := range homes {
				p := zone.Path(home)
				if p == zone.Path(r.config.Zone) {
					if _, ok := r.row(home, nodes[i].id); !ok {
						return true
					}
				} else if row, ok := r.row("/", p.At(1).Label()); !ok || int(row.Members) != countIn(homes, p.At(1)) {
					return true
				}
			}
			return false
		})
	})
	return nodes
}

// countIn returns how many of the nodes are in a zone.
func countIn(homes []string, p zone.Path) (n int) {
	for _, home := range homes {
		if p.Contains(zone.Path(home)) {
			n++
		}
	}
	return n
}

func (r *restartable) subscribe(o tidings.SubscribeRequest) string {
	r.t.Helper()
	f, err := r.client.Subscribe(r.t.Context(), o)
	if err != nil {
		r.t.Fatal(err)
	}
	return f.URL
}

func (r *restartable) send(to, where string, items ...string) view.ZoneSent {
	r.t.Helper()
	sent, err := r.client.SendToZone(r.t.Context(),
		view.ZoneSending{Zone: to, Where: where, Document: []byte("[" + strings.Join(items, ",") + "]")})
	if err != nil {
		r.t.Fatal(err)
	}
	return sent
}

// got returns what a channel has reported: of each item its change and title, sorted.
func (r *restartable) got(channel string) (all []string) {
	r.t.Helper()
	for _, i := range r.items(channel) {
		all = append(all, string(i.Change)+" "+i.Title)
	}
	slices.Sort(all)
	return all
}

func (r *restartable) items(channel string) (all []tidings.Item) {
	r.t.Helper()
	updates, err := r.client.Updates(r.t.Context(), tidings.UpdateQuery{Channel: channel, Limit: tidings.MaxLimit})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, u := range updates {
		all = append(all, u.Items...)
	}
	return all
}

// subscriptionsKnown reports whether each of the nodes knows that the others of its zone subscribe to something.
func subscriptionsKnown(path string, nodes ...*restartable) bool {
	return !slices.ContainsFunc(nodes, func(r *restartable) bool {
		return slices.ContainsFunc(nodes, func(other *restartable) bool {
			row, ok := r.row(path, other.id)
			filter := row.Attributes["filter"]
			return !ok || filter == "" || strings.HasPrefix(filter, "0 of")
		})
	})
}

// numbered is a news item with a GUID of its own.
func numbered(guid string, version int, headline string) string {
	return strings.Replace(ninjsOf(version, headline, ""), "urn:agency:1", "urn:agency:"+guid, 1)
}

// An item sent to a zone comes, once, to nodes in it that follow its channel or select it by a query, and to no others.
// With a condition it comes only to nodes with rows that satisfy it. A later version replaces an earlier one, not the
// reverse. A node that was away gets it when it is back.
func TestItemsAreSentToOneZone(t *testing.T) {
	if testing.Short() {
		t.Skip("six whole nodes")
	}
	t.Parallel()
	nodes := inZones(t, "/eu/berlin", "/eu/berlin", "/eu/berlin", "/us", "/us", "/us")
	berlin, outside, sender := nodes[:3], nodes[3:], nodes[3]
	const channel = "zone:/eu/berlin"
	for _, r := range berlin[:2] {
		r.subscribe(tidings.SubscribeRequest{URL: channel})
	}
	above := berlin[1].subscribe(tidings.SubscribeRequest{URL: "zone:/eu"})
	query := tidings.SubscribeRequest{Query: "headline LIKE 'H %' AND publisher = 'Agency'"}
	selecting := berlin[2].subscribe(query)
	nothing := berlin[2].subscribe(tidings.SubscribeRequest{Query: "publisher = 'nobody'"})
	for _, r := range outside {
		r.subscribe(tidings.SubscribeRequest{URL: "zone:/us"})
		r.subscribe(query)
		_, err := r.client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: channel})
		if !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), "this node is in /us") {
			t.Errorf("to follow another zone: %v", err)
		}
	}
	if err := berlin[0].client.SetZoneAttribute(t.Context(), "desk", "sport"); err != nil {
		t.Fatal(err)
	}
	await(t, "members know what others follow, and say", func() bool {
		row, _ := berlin[1].row("/eu/berlin", berlin[0].id)
		other, _ := berlin[2].row("/eu/berlin", berlin[0].id)
		return subscriptionsKnown("/eu/berlin", berlin...) && row.Attributes["desk"] == "sport" &&
			other.Attributes["desk"] == "sport"
	})

	sent := sender.send("/eu/berlin", "", numbered("1", 1, "one"), numbered("2", 1, "two"))
	if sent.Sender != sender.id || len(sent.Items) != 2 || sent.Items[0].ID == "" || sent.Zone != "/eu/berlin" {
		t.Errorf("sent was %+v", sent)
	}
	has := func(r *restartable, channel string, want ...string) func() bool {
		return func() bool { return slices.Equal(r.got(channel), want) }
	}
	for _, r := range berlin[:2] {
		await(t, "those who follow the zone have both", has(r, channel, "new H one", "new H two"))
	}
	await(t, "a query there selects both", has(berlin[2], selecting, "new H one", "new H two"))
	for _, i := range append(berlin[0].items(channel), berlin[2].items(selecting)...) {
		if i.Source == nil || i.Source.URL != channel || i.Source.Title != "node "+sender.id ||
			!strings.HasPrefix(i.ID, channel+" "+sender.id+" urn:agency:") {
			t.Errorf("an item says %+v of who sent it, and is called %s", i.Source, i.ID)
		}
	}
	updates, err := berlin[0].client.Updates(t.Context(), tidings.UpdateQuery{Channel: channel})
	if fingerprint := feedtree.KeyOf(sender.key).Fingerprint().String(); err != nil ||
		updates[0].SignedBy != fingerprint || updates[0].FoundBy != sender.id {
		t.Errorf("it is signed by %s, and sent by %s: %v", updates[0].SignedBy, updates[0].FoundBy, err)
	}

	// Versions, and a member that is in the zone as the sender.
	sender.send("/eu/berlin", "", numbered("1", 2, "one more"))
	await(t, "a later version is a change", has(berlin[0], channel, "changed H one more", "new H one", "new H two"))
	sender.send("/eu/berlin", "", numbered("1", 1, "one"))
	berlin[1].send("/eu/berlin", "", numbered("1", 1, "mine"))
	everything := []string{"changed H one more", "new H mine", "new H one", "new H two"}
	for _, r := range berlin[:2] {
		await(t, "another node's item of the same GUID is another item", has(r, channel, everything...))
	}
	await(t, "the query has all of that", has(berlin[2], selecting, everything...))

	// With a condition.
	sender.send("/eu/berlin", "desk = 'sport'", numbered("3", 1, "goal"))
	await(t, "where the condition holds it comes",
		has(berlin[0], channel, append([]string{"changed H one more", "new H goal"}, everything[1:]...)...))

	// One node was away.
	berlin[1].stop()
	sender.send("/eu", "", numbered("4", 1, "to all of it"))
	berlin[1].start()
	await(t, "who was away has what was sent meanwhile", has(berlin[1], above, "new H to all of it"))
	await(t, "what was sent to the zone above is selected", func() bool {
		return slices.Contains(berlin[2].got(selecting), "new H to all of it")
	})

	// Then a mark, after which nothing else is on its way.
	sender.send("/", "", numbered("5", 1, "mark"))
	for _, r := range append(berlin[2:], outside...) {
		await(t, "the mark is selected by all", func() bool {
			return slices.Contains(r.got(tidings.QueryURL(query.Query)), "new H mark")
		})
	}
	for i, r := range outside {
		if all := r.got(tidings.QueryURL(query.Query)); len(all) != 1 {
			t.Errorf("node %d outside of the zone has %q", i, all)
		}
		if all := r.got("zone:/us"); len(all) > 0 {
			t.Errorf("node %d has %q of its own zone", i, all)
		}
	}
	if got := berlin[1].got(channel); !slices.Equal(got, everything) {
		t.Errorf("who does not fulfil the condition has %q", got)
	}
	if got := berlin[2].got(nothing); len(got) > 0 {
		t.Errorf("a query that selects nothing has %q", got)
	}
}

// In a closed network a node sends to a zone with a certificate for that alone.
func TestSendingToAClosedZone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	nodes := inZones(t, "/eu", "/eu")
	join := func(r *restartable, publish bool) {
		id, err := engine.ParseID(r.id)
		if err != nil {
			t.Fatal(err)
		}
		f, err := o.CertifyNode("/eu", id, publish, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		order := view.ZoneOrder{Path: "/eu", Certificate: string(f.Text()), Authority: o.key.Fingerprint.String(),
			Closed: true}
		if _, err := r.client.JoinZone(t.Context(), order); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range nodes {
		join(r, false)
	}
	channel := nodes[1].subscribe(tidings.SubscribeRequest{URL: "zone:/eu"})
	known := func() bool {
		_, ok := nodes[1].row("/eu", nodes[0].id)
		row, _ := nodes[0].row("/eu", nodes[1].id)
		return ok && row.Attributes["filter"] != ""
	}
	await(t, "they are in the closed zone", known)
	sending := view.ZoneSending{Zone: "/eu", Document: []byte(ninjsOf(1, "one", ""))}
	_, err := nodes[0].client.SendToZone(t.Context(), sending)
	var hint interface{ Error() string }
	if !errors.As(err, &hint) || !strings.Contains(err.Error(), "may not publish to /eu") {
		t.Fatalf("without the right to publish: %v", err)
	}
	join(nodes[0], true)
	await(t, "they are in it again", known)
	await(t, "it may send", func() bool {
		_, err := nodes[0].client.SendToZone(t.Context(), sending)
		return err == nil
	})
	await(t, "what it sent has come", func() bool { return slices.Contains(nodes[1].got(channel), "new H one") })
	if _, err := nodes[0].client.SendToZone(t.Context(),
		view.ZoneSending{Zone: "/", Document: sending.Document}); err == nil {
		t.Error("it may send to the zone above, for which it has no certificate")
	}
}

// What cannot be sent is refused with what would help.
func TestWhatCannotBeSentToAZone(t *testing.T) {
	t.Parallel()
	n := newRestartable(t, func(c *Config) { c.Router, c.Zone = router.NewsWire, "/eu" })
	await(t, "it is in its zone", func() bool { return n.membership().Own == "/eu" && sharingOf(t, n).Agreed })
	item := ninjsOf(1, "one", "")
	many := make([]string, view.MaxZoneItems+1)
	for i := range many {
		many[i] = numbered(fmt.Sprint(i), 1, "x")
	}
	for wrong, o := range map[string]view.ZoneSending{
		"a slash at the start":      {Zone: "eu", Document: []byte(item)},
		"line 1, column 8, at: , 1": {Zone: "/eu", Where: "load < , 1", Document: []byte(item)},
		"line 2, column 3": {Zone: "/eu", Where: "load < 1\nOR",
			Document: []byte(item)},
		"no condition on attributes": {Zone: "/eu", Where: "(SELECT 1)", Document: []byte(item)},
		"more than 512": {Zone: "/eu", Where: "load < 1" +
			strings.Repeat(" OR load < 1", 60), Document: []byte(item)},
		"the document has no items": {Zone: "/eu",
			Document: []byte(`<rss version="2.0"><channel><title>T</title></channel></rss>`)},
		"the document": {Zone: "/eu",
			Document: []byte("nothing that could be read")},
		"101 items, and at most 100": {Zone: "/eu",
			Document: []byte("[" + strings.Join(many, ",") + "]")},
		"under embargo until 2999": {Zone: "/eu",
			Document: []byte(ninjsOf(1, "one", `,"embargoedUntil":"2999-01-01T00:00:00Z"`))},
		"no node is in the zone /us": {Zone: "/us/east", Document: []byte(item)},
		"no such file":               {Zone: "/eu", Source: "/nothing/here.xml"},
		`"here.xml" is neither a URL nor an absolute path`: {Zone: "/eu", Source: "here.xml"},
	} {
		if _, err := n.client.SendToZone(t.Context(), o); !errors.Is(err, tidings.ErrInvalid) ||
			!strings.Contains(err.Error(), wrong) {
			t.Errorf("%q was sent to %s: %v, want %q", o.Source, o.Zone, err, wrong)
		}
	}
	direct := newRestartable(t)
	await(t, "it knows its network's router", func() bool { return sharingOf(t, direct).Agreed })
	for _, err := range []error{
		func() error {
			_, err := direct.client.SendToZone(t.Context(), view.ZoneSending{Zone: "/", Document: []byte(item)})
			return err
		}(),
		func() error {
			_, err := direct.client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: "zone:/"})
			return err
		}(),
	} {
		if err == nil || !strings.Contains(err.Error(), "only newswire sends items to zones") {
			t.Errorf("with another router: %v", err)
		}
	}
}
