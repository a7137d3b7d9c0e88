package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

var (
	oneKey   = strings.Repeat("1a2b", 16)
	otherKey = strings.Repeat("9c8d", 16)
)

func (f *fakeNode) Trust(_ context.Context, url, fingerprint string, thirdParty bool) error {
	switch {
	case url != feedURL || f.push == nil:
		return tidings.ErrNotFound
	case fingerprint != f.push.Fingerprint && fingerprint != f.push.Offered && !thirdParty:
		return tidings.WithHint(tidings.Invalidf("the fingerprint is neither"), "if it is meant: --third-party")
	}
	f.push = &tidings.Push{State: tidings.PushJoining, Fingerprint: fingerprint, ThirdParty: thirdParty}
	return nil
}

func (f *fakeNode) Distrust(_ context.Context, url string) error {
	if url != feedURL || f.push == nil {
		return tidings.ErrNotFound
	}
	f.push.State = tidings.PushDistrusted
	return nil
}

func pushedNode(state tidings.PushState) *fakeNode {
	f := newFakeNode()
	f.push = &tidings.Push{State: state, Fingerprint: oneKey, MaxSilence: time.Hour,
		Heard: time.Now().Add(-3 * time.Minute), Missed: 4}
	if state == tidings.PushAlarm {
		f.push.Offered = otherKey
	}
	return f
}

// list and show say how a channel is pushed, and what to do about it if something is to be done.
func TestPushesAreShown(t *testing.T) {
	heard := "pushed by its publisher, key 1a2b1a2b…, last heard 3 min ago"
	decide := []string{"tidings distrust " + feedURL + " to take no pushes"}
	for state, want := range map[tidings.PushState]struct {
		cell, words string
		advice      []string
	}{
		tidings.PushJoining: {"not heard yet",
			"to be pushed by its publisher, key 1a2b1a2b…, which was not heard of yet; checked as before", nil},
		tidings.PushGood: {"heard 3 min ago", heard, nil},
		tidings.PushOverdue: {"overdue", heard +
			", silent for longer than the 1 h that it promised; checked as before", nil},
		tidings.PushEnded: {"ended", heard + ", promises nothing any more; checked as before", nil},
		tidings.PushUnreliable: {"unreliable", heard +
			", but checks have found 4 items that it should have pushed; checked as before", nil},
		tidings.PushAlarm: {"ALARM: another key",
			"the feed now names another key, 9c8d9c8d…; the trusted one, 1a2b1a2b…, has not signed it; checked as " +
				"before",
			append([]string{"trusted  " + oneKey, "named    " + otherKey, "tidings trust " + feedURL + " " + otherKey +
				" to take the key that the feed names now"}, decide...)},
		tidings.PushRevoked: {"ALARM: key is void",
			"its publisher's key 1a2b1a2b… was declared void, so no pushes are taken; checked as before", decide},
		tidings.PushDoubled: {"ALARM: key used twice",
			"its publisher has signed two different items for one number with key 1a2b1a2b…",
			append([]string{"tidings trust " + feedURL + " " + oneKey +
				" to rely on it again: only if its publisher can say how that came, for somebody else may have " +
				"the key"}, decide...)},
		tidings.PushDistrusted: {"not taken",
			"pushes of its publisher, key 1a2b1a2b…, are not taken, as you wish; checked as before",
			[]string{"tidings trust " + feedURL + " " + oneKey + " to take its pushes again"}},
		tidings.PushUnprotected: {"not believed",
			"announces pushes, but over an unprotected connection: not believed; checked as before", nil},
	} {
		list, _, _ := pushedNode(state).command(t, "", "list")
		show, _, status := pushedNode(state).command(t, "", "show", feedURL)
		if !strings.Contains(list, want.cell+" ") || !strings.Contains(list, want.words) || status != 0 ||
			!strings.Contains(show, want.words) {
			t.Errorf("%s: %s\n%s", state, list, show)
		}
		for _, line := range want.advice {
			if !strings.Contains(show, "    "+line+"\n") ||
				strings.Contains(list, "    "+line+"\n") != state.Alarming() {
				t.Errorf("%s: %q is missing in:\n%s%s", state, line, list, show)
			}
		}
		if noted := strings.Count(list, want.words) == 2; noted != state.Alarming() {
			t.Errorf("%s: a note below the table: %v", state, noted)
		}
	}
}

// Of a third party's key it is said that it is one, and what the feed names.
func TestThirdPartiesAreShown(t *testing.T) {
	key := "key 1a2b1a2b… of a third party: the feed does not name it"
	for state, want := range map[tidings.PushState]string{
		tidings.PushJoining:    "to be pushed with the " + key + "; not heard of yet; checked as before",
		tidings.PushGood:       "pushed with the " + key + "; last heard 3 min ago; checked as before",
		tidings.PushOverdue:    "pushed with the " + key + "; silent since 3 min ago; checked as before",
		tidings.PushEnded:      "pushed with the " + key + "; last heard 3 min ago",
		tidings.PushRevoked:    "the " + key + "; it was declared void, so no pushes are taken",
		tidings.PushDoubled:    "; two different items were signed for one number",
		tidings.PushDistrusted: "the " + key + "; its pushes are not taken, as you wish; checked as before",
	} {
		f := pushedNode(state)
		f.push.ThirdParty = true
		list, _, _ := f.command(t, "", "list")
		show, _, _ := f.command(t, "", "show", feedURL)
		if !strings.Contains(list, want) || !strings.Contains(show, want) ||
			!strings.Contains(show, "    trusted  "+oneKey+"\n") || strings.Contains(show, "publisher,") {
			t.Errorf("%s: %q is missing in:\n%s\n%s", state, want, list, show)
		}
	}
	f := pushedNode(tidings.PushDistrusted)
	f.push.ThirdParty, f.push.Offered = true, otherKey
	show, _, _ := f.command(t, "", "show", feedURL)
	for _, want := range []string{
		"does not name it, but 9c8d9c8d…;", "    named    " + otherKey + "\n", "    tidings trust " + feedURL + " " +
			otherKey + " to take the key that the feed names now\n",
		"    tidings trust " + feedURL + " " + oneKey + " to take its pushes again\n",
	} {
		if !strings.Contains(show, want) {
			t.Errorf("%q is missing in:\n%s", want, show)
		}
	}
	f = pushedNode(tidings.PushGood)
	f.push.Replaced = otherKey
	list, _, _ := f.command(t, "", "list")
	for _, want := range []string{
		"key 1a2b1a2b…, which the feed has come to name (so the third party's key that you trusted, 9c8d9c8d…, is " +
			"not used any more), last heard", "    replaced " + otherKey + "\n",
		"    tidings trust " + feedURL + " " + oneKey + " to be told of that no more\n", "    tidings trust " +
			feedURL + " " + otherKey + " --third-party to take",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is missing in:\n%s", want, list)
		}
	}
}

func TestPushesOnANarrowTerminal(t *testing.T) {
	var b strings.Builder
	out := &console.Console{Out: &b, Terminal: true, Width: 72, Now: time.Now}
	all, _ := pushedNode(tidings.PushGood).Channels(t.Context(), tidings.Owner)
	printPushNotes(out, all, out.Table(listColumns, listRows(out, all)))
	if want := "\nNews [31mred[0m evil2J\n  pushed by its publisher, key 1a2b1a2b…, last heard 3 min ago\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is missing in:\n%s", want, b.String())
	}
}

func TestKeysAreDecidedAbout(t *testing.T) {
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"trust", feedURL, otherKey}, 0, "Trusting a publisher's key for " + feedURL +
			"\n  to be pushed by its publisher, key 9c8d9c8d…"},
		{[]string{"trust", feedURL, otherKey, "--json"}, 0, `"push":{"state":"joining","fingerprint":"` + otherKey},
		{[]string{"trust", feedURL, strings.Repeat("0", 64)}, 1,
			"tidings: the fingerprint is neither (if it is meant: --third-party)"},
		{[]string{"trust", feedURL, strings.Repeat("0", 64), "--third-party"}, 0, "Trusting a third party's key for " +
			feedURL + "\n  to be pushed with the key 00000000… of a third party: the feed does not name it; not " +
			"heard of yet; checked as before\n    trusted  0000"},
		{[]string{"trust", feedURL}, 2,
			"tidings: the fingerprint of the key to trust is missing (how the channel is pushed: tidings show URL)"},
		{[]string{"trust", pageURL, otherKey}, 1, "tidings: " + pageURL + " names no publisher's key (only"},
		{[]string{"distrust", feedURL}, 0, "Taking no pushes for " + feedURL +
			"\n  pushes of its publisher, key 1a2b1a2b…, are not taken"},
		{[]string{"distrust", feedURL, "--json"}, 0, `"push":{"state":"distrusted"`},
		{[]string{"distrust", "https://x.example/"}, 1, "not followed (follow it first: tidings subscribe URL)"},
	} {
		out, errOut, status := pushedNode(tidings.PushAlarm).command(t, "", test.args...)
		if status != test.status || !strings.Contains(out+errOut, test.want) {
			t.Errorf("%q: status %d, %q is missing in:\n%s%s", test.args, status, test.want, out, errOut)
		}
	}
}

// An update is published by its publisher, or found by a node; never both.
func TestUpdatesSayWhence(t *testing.T) {
	f := newFakeNode()
	f.updates[0].SignedBy, f.updates[1].FoundBy, f.updates[2].FoundBy = oneKey, "5f3a000000", "5f3a000000"
	if out, _, _ := f.command(t, "", "updates"); strings.Contains(out, "third party") {
		t.Errorf("a publisher is a third party:\n%s", out)
	}
	f.updates[0].ThirdParty = true
	if out, _, _ := f.command(t, "", "updates"); !strings.Contains(out,
		" · published by a third party, signed by 1a2b1a2b…\n") {
		t.Errorf("the signer is not named:\n%s", out)
	}
	f.updates[0].ThirdParty = false
	out, _, _ := f.command(t, "", "updates")
	for want, times := range map[string]int{" · published, signed by 1a2b1a2b…\n": 2,
		" · found by 5f3a0000 alone\n": 2} {
		if strings.Count(out, want) != times {
			t.Errorf("%q is not there %d times:\n%s", want, times, out)
		}
	}
}

func TestPushingWords(t *testing.T) {
	for want, s := range map[string]view.PushCounts{
		"no channel followed here is pushed by its publisher":                                                  {},
		"1 channel with a publisher's key, 0 of them pushed well; 1 item pushed, 0 missed, 0 refused":          {Channels: 1, Pushed: 1},
		"12 channels with a publisher's key, 10 of them pushed well; 2,400 items pushed, 1 missed, 30 refused": {Channels: 12, Good: 10, Pushed: 2400, Missed: 1, Refused: 30},
		"0 channels with a publisher's key, 0 of them pushed well; 2 with a third party's; 3 items pushed, 0 " +
			"missed, 0 refused": {ThirdParties: 2, Pushed: 3},
	} {
		if got := pushingWords(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for n, want := range map[int]string{1: "1 publisher's key to", 2: "2 publishers' keys to"} {
		if got := alarmWords(view.PushCounts{Alarms: n}); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
