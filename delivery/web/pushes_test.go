package web

import (
	"context"
	"strings"
	"testing"

	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"

	"tidings"
)

// A channel's page says how it is pushed. If its publisher's key is in doubt, it says so above all else, shows the
// whole fingerprints, and asks what to do.
func TestPushesShow(t *testing.T) {
	for state, want := range map[tidings.PushState]string{
		tidings.PushJoining: "was not heard of so far", tidings.PushGood: "new items, signed",
		tidings.PushOverdue:     "longer than the 1 h that it promised",
		tidings.PushEnded:       "promises nothing any more",
		tidings.PushUnreliable:  "found 2 items that its publisher should have pushed",
		tidings.PushAlarm:       "This feed now names another publisher’s key.",
		tidings.PushRevoked:     "The key of this feed’s publisher is void.",
		tidings.PushDoubled:     "has signed two different items for one number.",
		tidings.PushDistrusted:  "You take no pushes",
		tidings.PushUnprotected: "but over an unprotected connection",
	} {
		v := visit(t, pushedAs(state)(), false)
		text := v.get(shell.ChannelPath(pushedFeed)).Body.String()
		_, alarm, alarmed := strings.Cut(text, `role="alert"`)
		for what, wrong := range map[string]bool{
			"the state in words": !strings.Contains(text, want),
			"the key": state != tidings.PushUnprotected &&
				!strings.Contains(text, "<code>"+wording.Grouped(oneKey)+"</code>"),
			"an alarm":        alarmed != state.Alarming(),
			"the quiet badge": strings.Contains(text, `<span class="tag">pushed</span>`) != (state == tidings.PushGood),
			"no pushes": strings.Contains(text, `value="distrust"`) != (state != tidings.PushDistrusted &&
				state != tidings.PushUnprotected),
			"to trust the key": strings.Contains(text, `value="trust"`) != (state == tidings.PushAlarm ||
				state == tidings.PushDoubled || state == tidings.PushDistrusted),
			"the new key": alarmed &&
				strings.Contains(alarm, "<code>"+wording.Grouped(otherKey)+"</code>") != (state == tidings.PushAlarm),
			"the list's badge": strings.Contains(v.get("/channels").Body.String(),
				`<span class="tag">pushed</span>`) != (state == tidings.PushGood),
			"the list's reason": strings.Contains(v.get("/channels").Body.String(),
				"Its page asks what to do.") != state.Alarming(),
			"the list's count": strings.Contains(v.get("/channels").Body.String(),
				"1 publisher’s key to decide about") != state.Alarming(),
		} {
			if wrong {
				t.Errorf("%s: %s is not as it should be", state, what)
			}
		}
	}
	text := visit(t, sample(), false).get(shell.ChannelPath(pushedFeed)).Body.String()
	if strings.Contains(text, "distrust") || strings.Contains(text, "Pushed by") {
		t.Error("something is said of pushes of a channel that nobody pushes")
	}
}

// Of a third party's key a channel's page says that it is one; it says too if the feed has come to name another.
func TestThirdPartiesShow(t *testing.T) {
	for state, want := range map[tidings.PushState]string{
		tidings.PushJoining: "which the feed does not name. It was not heard of so far.",
		tidings.PushGood:    "Where the two differ, the feed holds.",
		tidings.PushOverdue: "The third party is silent", tidings.PushEnded: "The third party promises nothing",
		tidings.PushRevoked: "not to be relied on",
		tidings.PushDoubled: "not to be relied on", tidings.PushDistrusted: "You take no pushes of the third party.",
	} {
		f := pushedAs(state)()
		f.at(pushedFeed).Push.ThirdParty = true
		text := visit(t, f, false).get(shell.ChannelPath(pushedFeed)).Body.String()
		for _, want := range []string{want, "<dt>Pushed by a third party</dt>", "<code>" + wording.Grouped(oneKey) +
			"</code> of a third party: the feed does not name it"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %q", state, want)
			}
		}
		if strings.Contains(text, "its publisher") {
			t.Errorf("%s: the page says that a third party is its publisher", state)
		}
	}
	f := pushedAs(tidings.PushGood)()
	f.at(pushedFeed).Push.Replaced = otherKey
	f.entries[25].ThirdParty = true
	v := visit(t, f, false)
	for path, want := range map[string]string{
		shell.ChannelPath(pushedFeed): "The third party’s key that you trusted, <code>" + wording.Grouped(otherKey) +
			"</code>, is not used any more.",
		"/channels": "in the place of the third party’s that you trusted.",
		"/entry/26": "Published by a third party, signed with the key",
	} {
		if !strings.Contains(v.get(path).Body.String(), want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	v.goesTo(v.post("/channel", "url", pushedFeed, "do", "trust", "fingerprint", oneKey), shell.ChannelPath(pushedFeed)+
		"&said=trusted")
}

func TestKeysAreDecidedAbout(t *testing.T) {
	f := pushedAs(tidings.PushAlarm)()
	v := visit(t, f, false)
	path := shell.ChannelPath(pushedFeed)
	if w := v.post("/channel", "url", pushedFeed, "do", "trust", "fingerprint",
		strings.Repeat("0", 64)); w.Code != 400 || f.at(pushedFeed).Push.State != tidings.PushAlarm {
		t.Errorf("a key that nobody names: %d", w.Code)
	}
	v.goesTo(v.post("/channel", "url", pushedFeed, "do", "trust", "fingerprint", otherKey), path+"&said=trusted")
	if p := f.at(pushedFeed).Push; p.Fingerprint != otherKey || p.State != tidings.PushJoining {
		t.Errorf("%+v", p)
	}
	if text := v.get(path + "&said=trusted").Body.String(); !strings.Contains(text, "That key is trusted now.") ||
		strings.Contains(text, `role="alert"`) {
		t.Error("the page does not say that the key is trusted, or alarms still")
	}
	v.goesTo(v.post("/channel", "url", pushedFeed, "do", "distrust"), path+"&said=distrusted")
	v.goesTo(v.post("/channel", "url", pushedFeed, "do", "trust", "fingerprint", otherKey), path+"&said=trusted")
	for _, do := range []string{"trust", "distrust"} {
		if w := v.post("/channel", "url", "https://quiet.example/notes/index.xml", "do", do, "fingerprint",
			otherKey); w.Code != 400 || !strings.Contains(w.Body.String(), "no publisher’s key") {
			t.Errorf("%s where no key is known: %d", do, w.Code)
		}
		if w := v.post("/channel", "url", "https://nobody.example/", "do", do, "fingerprint", otherKey); w.Code != 404 {
			t.Errorf("%s of what is not followed: %d", do, w.Code)
		}
	}
}

// An entry and an update are published by their publisher, or found by a node; never both.
func TestWhenceShows(t *testing.T) {
	v := visit(t, pushedAs(tidings.PushGood)(), false)
	published, found := `Published, signed with the key <code title="`+wording.Grouped(oneKey)+`">1a2b9e07…</code>`,
		`Found by the node <a href="/node?id=`+sampleID+`"><code title="`+sampleID+`">6e1f0a4b…</code></a>`
	for path, want := range map[string]string{"/entry/26": published, "/entry/25": found, "/update/6": published,
		"/update/5": found} {
		text := v.get(path).Body.String()
		if !strings.Contains(text, want) || strings.Contains(text, published) && strings.Contains(text, found) {
			t.Errorf("%s lacks %q, or says both", path, want)
		}
	}
	if text := visit(t, sample(), false).get("/entry/26").Body.String(); strings.Contains(text, "Published, signed") ||
		strings.Contains(text, "Found by") {
		t.Error("something is said of an entry of which nothing is known")
	}
}

// hostile 21: text about keys stays text.
func TestHostile21Keys(t *testing.T) {
	f := pushedAs(tidings.PushAlarm)()
	p := f.at(pushedFeed).Push
	p.Fingerprint, p.Offered = hostileText, hostileText
	f.entries[25].SignedBy = hostileText
	v := visit(t, f, false)
	for _, path := range []string{shell.ChannelPath(pushedFeed), "/entry/26", "/channels"} {
		if text := v.get(path).Body.String(); strings.Contains(text, "<script>window") ||
			strings.ContainsAny(text, "\u202e\x1b") {
			t.Errorf("%s has what is no text", path)
		}
	}
	if c, _ := f.Channel(context.Background(), tidings.Owner, pushedFeed); c.Push == nil {
		t.Error("nothing was shown")
	}
}
