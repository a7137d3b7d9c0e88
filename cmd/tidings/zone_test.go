package main

import (
	"strings"
	"testing"
	"time"

	"tidings/view"
)

func TestZonesArePrinted(t *testing.T) {
	f := among()
	zones := map[string]view.Zone{"": {Rows: []view.ZoneRow{}}}
	f.network.(*fakeNetwork).zones = zones
	for _, command := range [][]string{{"zone"}, {"zone", "list"}} {
		if out, _, _ := f.command(t, "", command...); !strings.HasPrefix(out, "This node is in no zone: ") {
			t.Errorf("%v printed %q", command, out)
		}
	}
	written := time.Now().Add(-3*time.Minute - time.Second)
	zones["/"] = view.Zone{Path: "/", Own: "/eu", Rows: []view.ZoneRow{
		{Label: "eu" + evil, Kind: view.ZoneChild, Members: 1200, Within: true, Issuer: friendID, Written: written,
			Attributes: map[string]string{"load": "0.25", "filter": "31 of 1024 bits" + evil}},
		{Label: "us", Kind: view.ZoneChild, Members: 7, Issuer: friendID, Written: written,
			Attributes: map[string]string{}}}}
	zones["/eu"] = view.Zone{Path: "/eu", Own: "/eu",
		Rows: []view.ZoneRow{{Label: "@6e1f", Kind: view.ZoneMember, Members: 1, Issuer: friendID,
			Written: written}}}
	zones[""] = zones["/eu"]
	out, _, _ := f.command(t, "", "zone", "show", "/")
	for _, want := range []string{"/  1,207 nodes\n", "NAME", "zone, with this node", "1,200", "3 min ago",
		"filter=31 of 1024 bits", "load=0.25"} {
		if !strings.Contains(out, want) || strings.ContainsRune(out, '\x1b') {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	if out, _, _ = f.command(t, "", "zone"); !strings.Contains(out, "/eu  1 node\n") ||
		!strings.Contains(out, "6e1f0a4b") {
		t.Errorf("it printed:\n%s", out)
	}
	if out, _, _ = f.command(t, "", "zone", "list"); strings.Index(out, "/eu") < strings.Index(out, "/  ") ||
		!strings.Contains(out, "1,207") {
		t.Errorf("it printed:\n%s", out)
	}
	if _, errs, _ := f.command(t, "", "zone", "show", "/us"); !strings.Contains(errs, "not a zone of this node: /us") {
		t.Errorf("it complained: %q", errs)
	}
}

func TestZoneSendIsPrinted(t *testing.T) {
	f := among()
	out, errs, _ := f.command(t, "<nitf/>", "zone", "send", "/eu", "-", "--where", "load < 0.5")
	if want := "Sent 2 items to /eu\n  Rain"; !strings.HasPrefix(out, want) ||
		!strings.HasSuffix(out, "\n  urn:2\n  1,207 nodes in that zone; those that follow zone:/eu get them\n") ||
		strings.ContainsRune(out, '\x1b') {
		t.Errorf("it printed %q, %q", out, errs)
	}
	if _, errs, _ := f.command(t, "", "zone", "send", "/eu", "-"); !strings.Contains(errs,
		"the standard input is empty") {
		t.Errorf("of nothing it printed %q", errs)
	}
}
