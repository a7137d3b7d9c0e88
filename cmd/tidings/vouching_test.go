package main

import (
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/cmd/console"
	"tidings/view"
)

// Updates name the nodes that have found and confirmed them. A withdrawn update says so, with the reason and the node
// that vouched for it.
func TestUpdatesShowVouchers(t *testing.T) {
	f := newFakeNode()
	for i := range f.updates {
		f.updates[i].FoundBy = "5f3a000000"
	}
	f.updates[0].ConfirmedBy = strings.Fields("aaaaaaaaaa bbbbbbbbbb")
	lie := &tidings.Withdrawal{Time: f.updates[0].Received, Reason: "its origin " + evil,
		VouchedBy: strings.Fields("1111111111 2222222222 3333333333 4444444444 5555555555 6666666666")}
	f.updates[0].Withdrawn, f.updates[2].Withdrawn = lie, lie
	out, _, _ := f.command(t, "", "updates")
	words := strings.Join(strings.Fields(out), " ")
	for want, times := range map[string]int{
		" · found by 5f3a0000, confirmed by aaaaaaaa and bbbbbbbb ":                    2,
		" · found by 5f3a0000 alone ":                                                  2,
		"shown here by the word of 11111111, 22222222, 33333333, 44444444 and 2 more ": 3,
		": its origin ": 3, "× One": 1, "× No title": 1, "× Prices": 1, "≠ Prices": 1, "withdrawn ": 3,
	} {
		if strings.Count(words, want) != times {
			t.Errorf("%q is not there %d times:\n%s", want, times, out)
		}
	}
	f.updates[1].FoundBy = "abc" // the node itself, which works alone
	if out, _, _ := f.command(t, "", "updates"); strings.Contains(out, "found by abc") {
		t.Errorf("a node that works alone says that it found something:\n%s", out)
	}
	if strings.ContainsAny(out, "\x1b\a\u202e") {
		t.Errorf("harmful: %q", out)
	}
	if out, _, _ := f.command(t, "", "updates", "--json"); strings.Count(out,
		`"withdrawn":{"time":"2026-05-01T12:00:00Z","reason":"its origin `) != 2 ||
		strings.Count(out, `"confirmed_by":["aaaaaaaaaa","bbbbbbbbbb"]`) != 1 {
		t.Errorf("as JSON: %s", out)
	}
}

// The version that is shown says the same.
func TestShowListsVouchers(t *testing.T) {
	f := newFakeNode()
	if out, _, _ := f.command(t, "", "show", feedURL); strings.Contains(out, "found by") ||
		strings.Contains(out, "withdrawn") {
		t.Errorf("of what nothing is known: %s", out)
	}
	f.state = tidings.State{FoundBy: "5f3a000000", ConfirmedBy: []string{"aaaaaaaaaa"},
		Withdrawn: &tidings.Withdrawal{Time: time.Now(), Reason: "it is false"}}
	if out, _, _ := f.command(t, "", "show", feedURL); !strings.Contains(out,
		"\nfound by 5f3a0000, confirmed by aaaaaaaa\n  withdrawn now: it is false\n") {
		t.Errorf("%s", out)
	}
	if out, _, _ := f.command(t, "", "show", "--json", feedURL); !strings.Contains(out,
		`"found_by":"5f3a000000","confirmed_by":["aaaaaaaaaa"],"withdrawn":{`) {
		t.Errorf("%s", out)
	}
}

// Penalties have a row for each reason, the node beside the first; without any there is a sentence.
func TestPeersShowPenalties(t *testing.T) {
	f := newFakeNode()
	if out, _, status := f.command(t, "", "peers", "--trust"); status != 0 ||
		!strings.HasPrefix(out, "No node has a penalty: ") || !strings.Contains(out, "7 days") {
		t.Errorf("status %d: %s", status, out)
	}
	at := time.Now().Add(-time.Hour)
	f.penalties = []view.Penalty{
		{Node: "91aa000000", Times: 1200,
			Reasons: []view.PenaltyReason{{Time: at, Channel: feedURL, Reason: "gave it " + evil},
				{Time: at, Reason: "confirmed it"}}},
		{Node: "5f3a000000", Times: 1,
			Reasons: []view.PenaltyReason{{Time: at, Channel: feedURL, Reason: "found it"}}},
	}
	out, _, _ := f.command(t, "", "peers", "--trust")
	rows := strings.Split(out, "\n")
	for i, want := range []string{"NODE TIMES WHEN WHY CHANNEL", "91aa0000 1,200 1 h ago gave it",
		"1 h ago confirmed it", "5f3a0000 1 1 h ago found it " + feedURL, "", "What follows is for you to say."} {
		if got := strings.Join(strings.Fields(rows[i]), " "); !strings.HasPrefix(got, want) {
			t.Errorf("row %d is %q, not %q", i, got, want)
		}
	}
	f.updates[1].FoundBy = "abc" // the node itself, which works alone
	if out, _, _ := f.command(t, "", "updates"); strings.Contains(out, "found by abc") {
		t.Errorf("a node that works alone says that it found something:\n%s", out)
	}
	if strings.ContainsAny(out, "\x1b\a\u202e") {
		t.Errorf("harmful: %q", out)
	}
	if out, _, _ := f.command(t, "", "peers", "--trust", "--json"); strings.Count(out, "\n") != 2 ||
		!strings.HasPrefix(out, `{"node":"91aa000000","times":1200,"reasons":[{"time":"`) {
		t.Errorf("as JSON: %s", out)
	}
	if _, errOut, status := f.command(t, "", "peers", "--trust", "--links"); status != 2 ||
		!strings.Contains(errOut, "--trust") {
		t.Errorf("with another: status %d, %s", status, errOut)
	}
}

func TestNodeNames(t *testing.T) {
	for want, ids := range map[string][]string{
		"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"},
		"a, b, c and d": {"a", "b", "c", "d"}, "a, b, c, d and 1 more": {"a", "b", "c", "d", "e"},
	} {
		if got := nodeNames(ids); got != console.Neutral(want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
