package api

import (
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/view"
)

func TestQueryRoute(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"query":" urgency < 3"}`: {200,
			`{"query":" urgency < 3","network":false,"searched":0,"matching":3,`},
		`{"form":{"publisher":"x"}}`:             {200, `{"query":"publisher = 'x'"`},
		`{}`:                                     {400, `field \"query\" is missing`},
		`{"query":" "}`:                          {400, `field \"query\" is missing`},
		`{"query":"x","form":{"publisher":"x"}}`: {400, `both \"query\" and \"form\" are given`},
	} {
		f := newFake()
		f.check = view.QueryCheck{Matching: 3}
		w := ask(as(tidings.Owner, New(configOf(f))), "POST", "query", body)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %s, want %d %s", body, w.Code, w.Body, want.status, want.text)
		}
		if want.status != 200 && len(f.queries) > 0 {
			t.Errorf("%s: %q was checked", body, f.queries)
		}
	}
}

func TestClientChecksAQuery(t *testing.T) {
	f := filled()
	if check, err := dialed(t, f).CheckQuery(t.Context(), "urgency < 3"); err != nil || check.Query != "urgency < 3" ||
		!slices.Equal(f.queries, []string{check.Query}) {
		t.Errorf("%+v, %v; checked were %q", check, err, f.queries)
	}
}

// An order is for an address or for a query.
func TestOrdersOfQueries(t *testing.T) {
	for body, want := range map[string]int{`{"query":"urgency < 3"}`: 201,
		`{"query":"urgency < 3","url":"https://x.example/"}`: 400, `{"query":" "}`: 400} {
		if w := ask(as(tidings.Owner, New(configOf(newFake()))), "POST", "channels", body); w.Code != want {
			t.Errorf("%s: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}
