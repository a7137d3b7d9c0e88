package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tidings"
	"tidings/view"
)

// filterFake has the filters of accounts.
type filterFake struct {
	filters map[tidings.AccountID][]tidings.Filter
	checked []string
}

func (f *filterFake) List(_ context.Context, account tidings.AccountID) ([]tidings.Filter, error) {
	return f.filters[account], nil
}

func (f *filterFake) Add(_ context.Context, account tidings.AccountID,
	s tidings.FilterSettings) (tidings.Filter, error) {
	if s.Actions.IsNone() {
		return tidings.Filter{}, tidings.Invalidf("a filter needs something to do")
	}
	added := tidings.Filter{ID: int64(len(f.filters[account]) + 1), Name: s.Name, Condition: s.Condition,
		Actions: s.Actions}
	f.filters[account] = append(f.filters[account], added)
	return added, nil
}

func (f *filterFake) at(account tidings.AccountID, id int64) int {
	return slices.IndexFunc(f.filters[account], func(f tidings.Filter) bool { return f.ID == id })
}

func (f *filterFake) Change(_ context.Context, account tidings.AccountID, id int64,
	s tidings.FilterSettings) (tidings.Filter, error) {
	at := f.at(account, id)
	if at < 0 {
		return tidings.Filter{}, tidings.ErrNotFound
	}
	one := &f.filters[account][at]
	one.Name, one.Condition, one.Actions = s.Name, s.Condition, s.Actions
	return *one, nil
}

func (f *filterFake) Move(_ context.Context, account tidings.AccountID, id int64, place int) error {
	at := f.at(account, id)
	if at < 0 {
		return tidings.ErrNotFound
	}
	one := f.filters[account][at]
	f.filters[account] = slices.Insert(slices.Delete(f.filters[account], at, at+1),
		min(place, len(f.filters[account]))-1, one)
	return nil
}

func (f *filterFake) Remove(_ context.Context, account tidings.AccountID, id int64) error {
	at := f.at(account, id)
	if at < 0 {
		return tidings.ErrNotFound
	}
	f.filters[account] = slices.Delete(f.filters[account], at, at+1)
	return nil
}

func (f *filterFake) Show(_ context.Context, account tidings.AccountID, id int64) (int, error) {
	if f.at(account, id) < 0 {
		return 0, tidings.ErrNotFound
	}
	return 3, nil
}

func (f *filterFake) Check(_ context.Context, _ tidings.AccountID, condition string) (view.FilterCheck, error) {
	f.checked = append(f.checked, condition)
	return view.FilterCheck{Condition: condition, Searched: 500, Matching: 12, Matches: []view.FilterMatch{}}, nil
}

func (f *filterFake) TextOf(form tidings.FilterForm) (string, error) {
	if len(form.Tests) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s %s %s", form.Tests[0].Field, form.Tests[0].How, form.Tests[0].Value), nil
}

func TestFilterRoutes(t *testing.T) {
	f := &filterFake{filters: make(map[tidings.AccountID][]tidings.Filter)}
	config := configOf(newFake())
	config.Filters = f
	h := as(tidings.Owner, New(config))
	for _, test := range []struct {
		method, path, body string
		status             int
		text               string
	}{
		{"GET", "filters", "", 200, `[]`},
		{"POST", "filters", `{"name":"n","condition":"a","actions":{"drop":true}}`, 201,
			`{"id":1,"name":"n","condition":"a","actions":{"drop":true}`},
		{"POST", "filters", `{"form":{"tests":[{"field":"title","how":"is","value":"x"}]},"actions":{"labels":["l"],"mute_until":"2026-12-24T00:00:00Z"}}`, 201,
			`"condition":"title is x","actions":{"labels":["l"],"mute_until":"2026-12-24T00:00:00Z"}`},
		{"POST", "filters", `{"condition":"a","form":{"tests":[]},"actions":{"drop":true}}`, 400, `both`},
		{"POST", "filters", `{"form":{"tests":[]},"actions":{"drop":true}}`, 400, `field \"condition\" is missing`},
		{"POST", "filters", `{"condition":" ","actions":{"drop":true}}`, 400, `field \"condition\" is missing`},
		{"POST", "filters", `{"condition":"a"}`, 400, `something to do`},
		{"POST", "filters", `{"condition":"a","actions":{"delete":true}}`, 400, `unknown field`},
		{"POST", "filters/check", `{"condition":"a"}`, 200,
			`{"condition":"a","searched":500,"matching":12,"matches":[]}`},
		{"POST", "filters/check", `{}`, 400, `field \"condition\" is missing`},
		{"PATCH", "filters/1", `{"name":"m"}`, 200, `"name":"m","condition":"a","actions":{"drop":true}`},
		{"PATCH", "filters/1", `{"actions":{"star":true},"place":2}`, 200,
			`"name":"m","condition":"a","actions":{"star":true}`},
		{"PATCH", "filters/1", `{"place":0}`, 400, `counts from 1`},
		{"PATCH", "filters/9", `{"place":1}`, 404, `tidings filter list`},
		{"GET", "filters", "", 200, `[{"id":2,`},
		{"POST", "filters/1/show", `{}`, 200, `{"count":3}`},
		{"POST", "filters/9/show", `{}`, 404, `you have no such filter`},
		{"DELETE", "filters/1", "", 204, ``},
		{"DELETE", "filters/1", "", 404, `you have no such filter`},
	} {
		w := ask(h, test.method, test.path, test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.text) {
			t.Errorf("%s %s %s: %d %s, want %d %s", test.method, test.path, test.body, w.Code, w.Body, test.status,
				test.text)
		}
	}
	if w := ask(as(2, New(config)), "PATCH", "filters/2", `{"name":"x"}`); w.Code != 404 {
		t.Errorf("the filter of another account: %d %s", w.Code, w.Body)
	}
	if w := ask(as(tidings.Owner, New(configOf(newFake()))), "GET", "filters", ""); w.Code != 503 {
		t.Errorf("a node without filters: %d %s", w.Code, w.Body)
	}
}
