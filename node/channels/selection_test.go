package channels

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

// An order is for an address, for a query or for a zone, in any spelling. Queries and zones have no settings of
// origins.
func TestOrdersOfQueriesAndZones(t *testing.T) {
	canon := tidings.QueryURL("urgency < 3 AND publisher = 'x'")
	for _, test := range []struct {
		order tidings.SubscribeRequest
		url   string // "": none
		wrong string // a part of the error
	}{
		{order: tidings.SubscribeRequest{URL: "https://x.example/"}},
		{order: tidings.SubscribeRequest{Query: "urgency<3 and publisher='x'"}, url: canon},
		{order: tidings.SubscribeRequest{URL: tidings.QueryURL("(urgency < 3) AND publisher = 'x'")}, url: canon},
		{order: tidings.SubscribeRequest{URL: canon, Privacy: tidings.Unlisted, Title: "of a list"}, url: canon},
		{order: tidings.SubscribeRequest{URL: "zone:/EU/de/"}, url: "zone:/eu/de"},
		{order: tidings.SubscribeRequest{URL: "zone:/"}, url: "zone:/"},
		{order: tidings.SubscribeRequest{URL: "https://x.example/", Query: "urgency < 3"}, wrong: "not for both"},
		{order: tidings.SubscribeRequest{URL: "zone:/eu", Query: "urgency < 3"}, wrong: "not for both"},
		{order: tidings.SubscribeRequest{Query: "urgency <"}, wrong: "line 1, column "},
		{order: tidings.SubscribeRequest{URL: "query:"}, wrong: "line 1, column 1"},
		{order: tidings.SubscribeRequest{URL: "zone:eu"}, wrong: "a slash at the start"},
		{order: tidings.SubscribeRequest{URL: "zone:"}, wrong: "a slash at the start"},
		{order: tidings.SubscribeRequest{Query: "urgency < 3", Privacy: tidings.Public},
			wrong: "a query is always unlisted"},
		{order: tidings.SubscribeRequest{URL: "zone:/eu", Privacy: tidings.Public}, wrong: "a zone is always unlisted"},
		{order: tidings.SubscribeRequest{Query: "urgency < 3", AsPage: true}, wrong: "no page"},
		{order: tidings.SubscribeRequest{URL: "zone:/eu", AsPage: true}, wrong: "no page"},
		{order: tidings.SubscribeRequest{Query: "urgency < 3", Options: tidings.PageOptions{Keep: []string{"x"}}},
			wrong: "no page"},
	} {
		s, is, err := parseSelection(test.order)
		switch {
		case test.wrong != "":
			if err == nil || !errors.Is(err, tidings.ErrInvalid) || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%+v: %v, want %q", test.order, err, test.wrong)
			}
		case err != nil || is != (test.url != "") || is && s.url != test.url || tidings.KindOf(test.url) != s.kind:
			t.Errorf("%+v: %+v, %v, %v", test.order, s, is, err)
		}
	}
	for address, want := range map[string]string{tidings.QueryURL("urgency<3 and publisher='x'"): canon,
		"zone:/Eu": "zone:/eu"} {
		if c, err := Canonical(address); err != nil || c != want {
			t.Errorf("canonical is %q, %v", c, err)
		}
	}
}
