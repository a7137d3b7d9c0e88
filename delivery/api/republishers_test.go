package api

import (
	"errors"
	"strings"
	"testing"

	"tidings"
	"tidings/view"
)

func TestRepublisherRoutes(t *testing.T) {
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"node":"all","trust":"distrusted"}`, 200, `{"node":"all","trust":"distrusted","waited":0,"seen":0}`},
		{`{"node":"","trust":"distrusted"}`, 400, `field \"node\" is missing`},
		{`{"node":"all"}`, 400, `field \"trust\" is missing`},
		{`{"node":"bad","trust":"preferred"}`, 400,
			`{"error":"this is no node's ID","hint":"the nodes that are known: tidings peers --json"}`},
		{`{"node":"all","opinion":"good"}`, 400, `unknown field \"opinion\"`},
		{``, 400, `empty`},
	} {
		f := filled()
		w := ask(as(tidings.Owner, New(configOf(f))), "POST", "republishers", test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.body, w.Code, w.Body, test.status, test.want)
		}
		if noted := len(f.republishers) == 1; noted != (test.status == 200) {
			t.Errorf("%s: noted: %v", test.body, noted)
		}
	}
}

// hostile 57: another site cannot have a reader's browser believe somebody.
func TestHostile57RepublishersFromOtherSites(t *testing.T) {
	f := filled()
	handler := as(tidings.Owner, New(configOf(f)))
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Content-Type", "text/plain"}} {
		if w := ask(handler, "POST", "republishers", `{"node":"all","trust":"distrusted"}`, header...); w.Code != 403 &&
			w.Code != 415 {
			t.Errorf("%q: %d", header, w.Code)
		}
	}
	if len(f.republishers) != 0 {
		t.Error("somebody is distrusted")
	}
}

func TestClientDecidesAboutNodes(t *testing.T) {
	c := dialed(t, filled())
	if p, err := c.SetRepublisher(t.Context(), "all", tidings.Distrusted); err != nil || p.Trust != tidings.Distrusted {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := c.SetRepublisher(t.Context(), "bad", tidings.Preferred); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("no ID: %v", err)
	}
	if all, err := c.Republishers(t.Context()); err != nil || len(all) != 1 || all[0].Node != view.AllNodes {
		t.Errorf("%+v, %v", all, err)
	}
}
