package networkroom

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings/delivery/web/shell"

	"tidings"
	"tidings/view"
)

// inZones is a node in a zone below another.
func inZones() *fake {
	f := inTrees()
	then := time.Date(2021, 11, 12, 12, 0, 0, 0, time.Local)
	f.zone = view.Zone{Path: "/eu", Own: "/eu/de", Rows: []view.ZoneRow{
		{Label: "&busy", Kind: view.ZoneFunction, Issuer: strings.Repeat("cd", 20), Written: then,
			Computes:   []string{"busy", "idle"},
			Attributes: map[string]string{"text": "SELECT MAX(load) AS busy FROM children"}},
		{Label: "&worse", Kind: view.ZoneFunction, Written: then, Failure: "not SQL: <b>"},
		{Label: "@abab", Kind: view.ZoneMember, Members: 1, Issuer: strings.Repeat("ab", 20), Written: then,
			Attributes: map[string]string{"load": "0.25", "filter": "3 of 1024 bits"}},
		{Label: "de", Kind: view.ZoneChild, Members: 1230, Within: true, Issuer: strings.Repeat("ab", 20),
			Written: then, Representatives: []string{strings.Repeat("ab", 20)}},
		{Label: "fr", Kind: view.ZoneChild, Members: 7, Issuer: strings.Repeat("ab", 20), Written: then},
	}}
	return f
}

func TestZonesAreListed(t *testing.T) {
	page := visit(t, inZones()).get("/network?zone=%2Feu").Body.String()
	sound(t, "/network", page)
	zones := part(t, page, `<h2 id="zones">`, `</section>`)
	for _, want := range []string{"all nodes › eu 1,238 nodes", "de this node 1,230 abababab", "fr 7",
		"abababab 1 filter 3 of 1024 bits, load 0.25", "12 Nov 2021",
		"busy function computes busy, idle. text SELECT MAX(load) AS busy FROM children",
		"worse function fails: not SQL: <b>"} {
		if !strings.Contains(words(zones), want) {
			t.Errorf("%q is not in %q", want, words(zones))
		}
	}
	for _, want := range []string{`href="/network?show=routers&amp;zone=%2F#zones"`,
		`href="/network?show=routers&amp;zone=%2Feu%2Fde#zones"`, `<b aria-current="page">eu</b>`} {
		if !strings.Contains(zones, want) {
			t.Errorf("%q is not in %q", want, zones)
		}
	}
	if !strings.Contains(page, `data-network="/network/events?`) || !strings.Contains(page, "zone=%2Feu") {
		t.Error("the stream is not that of the zone")
	}
	if strings.Contains(zones, "zone=%2Feu%2Ffr") {
		t.Error("a zone can be opened whose table the node has not")
	}
	if page := visit(t, inTrees()).shows(viewRouters); strings.Contains(page, `id="zones"`) {
		t.Error("zones are spoken of where the router has none")
	}
}

// A zone that is none of the node's is no reason for an empty page.
func TestZoneThatIsNotOurs(t *testing.T) {
	f := inZones()
	f.otherZones = tidings.ErrNotFound
	page := words(part(t, visit(t, f).get("/network?zone=%2Fus").Body.String(), `<h2 id="zones">`, `</section>`))
	if !strings.Contains(page, "That zone is none of those that this node is in") || !strings.Contains(page, "fr 7") {
		t.Error(page)
	}
}

func TestHostileZones(t *testing.T) {
	f := inZones()
	evil := `<script>w()</script><img src=x>` + "\x1b\u202e" + strings.Repeat("x", 5000)
	f.zone.Rows = []view.ZoneRow{{Label: evil, Kind: view.ZoneChild, Within: true, Issuer: strings.Repeat("ab", 20),
		Representatives: []string{""},
		Attributes:      map[string]string{evil: evil}}}
	page := visit(t, f).get("/network?zone=" + strings.Repeat("%2Fx", 3000)).Body.String()
	sound(t, "/network", page)
	for _, not := range []string{"<script>w", "<img", "\x1b", "\u202e", strings.Repeat("x", 500)} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
}

// The table follows the zone while somebody watches.
func TestZoneLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inZones()
		events, _ := watchedAt(t, f, "/network/events?show=routers&zone=%2Feu", func() {
			time.Sleep(2 * time.Second)
			f.mu.Lock()
			f.zone.Rows[3].Members = 8
			f.turn()
			f.mu.Unlock()
			synctest.Wait()
			time.Sleep(networkRefresh)
		})
		expectEvents(t, events, "friends zone", "zone")
	})
}

// Above the table stands the authority that certifies the node's place in its zone. If the node gets nothing there, so
// does the reason. Both are shown without a table, too.
func TestZoneMembershipIsShown(t *testing.T) {
	f := inTrees()
	f.network.Zones = &view.ZoneMembership{
		Home: "/eu", Closed: true, Authority: &view.ZoneAuthority{Zone: "/", Fingerprint: strings.Repeat("5a", 32)},
		Certificate: &view.ZoneCertificate{Zone: "/eu", Publish: true,
			Until: time.Date(2021, 11, 12, 12, 0, 0, 0, time.Local)},
		Problem: "The certificate has <i>expired</i>.", Hint: "have it certified",
	}
	page := visit(t, f).shows(viewRouters)
	sound(t, "/network", page)
	zones := part(t, page, `<h2 id="zones">`, `</section>`)
	for _, want := range []string{"The certificate has <i>expired</i>. It gets nothing of its zones. Have it certified.", "The network is closed",
		"certificate is for /eu, with the right to publish to it, until 12 Nov 2021",
		"The authority over / has the fingerprint " + strings.Repeat("5a", 32)} {
		if !strings.Contains(words(zones), want) {
			t.Errorf("%q is not in %q", want, words(zones))
		}
	}
	f.network.Zones.Soon = true
	if page := visit(t, f).shows(viewRouters); strings.Contains(page, "It gets nothing") {
		t.Error("what is no problem yet is told as one")
	}
}

// What nodes send to a zone is followed with one button, and leads to the channel from then on; where the router has no
// zones there is none.
func TestZonesAreFollowed(t *testing.T) {
	f := inZones()
	const button = `name="url" value="zone:/eu"`
	zones := func() string {
		return part(t, visit(t, f).get("/network?zone=%2Feu").Body.String(), `<h2 id="zones">`, `</section>`)
	}
	if strings.Contains(zones(), button) {
		t.Error("a zone can be followed where the router is rappel")
	}
	f.coop.Params.Router = "newswire"
	if page := zones(); !strings.Contains(page, button) ||
		!strings.Contains(words(page), "Follow what nodes send to /eu") {
		t.Errorf("there is no button in %q", page)
	}
	f.followed =
		append(f.followed, tidings.Subscription{Channel: tidings.Channel{URL: "zone:/eu", Kind: tidings.KindZone}})
	if page := zones(); strings.Contains(page, button) ||
		!strings.Contains(page, `href="`+strings.ReplaceAll(shell.ChannelPath("zone:/eu"), "&", "&amp;")+`"`) {
		t.Errorf("there is no way to what was sent in %q", page)
	}
}
