package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tidings"
	"tidings/view"
)

// Filters are the filters of all accounts.
type Filters interface {
	List(ctx context.Context, account tidings.AccountID) ([]tidings.Filter, error)
	Add(ctx context.Context, account tidings.AccountID, settings tidings.FilterSettings) (tidings.Filter, error)
	Change(ctx context.Context, account tidings.AccountID, id int64,
		settings tidings.FilterSettings) (tidings.Filter, error)
	// Move gives a filter a place in the account's order, from 1.
	Move(ctx context.Context, account tidings.AccountID, id int64, place int) error
	Remove(ctx context.Context, account tidings.AccountID, id int64) error
	// Show shows again, as read, what a filter has dropped, and returns how much that was.
	Show(ctx context.Context, account tidings.AccountID, id int64) (int, error)
	// Check says what is to be known of a condition; of a text that is none, what is wrong with it.
	Check(ctx context.Context, account tidings.AccountID, condition string) (view.FilterCheck, error)
	// TextOf returns the condition that a form stands for; "" if nothing is filled in.
	TextOf(f tidings.FilterForm) (string, error)
}

// FilterChange changes what is given of a filter.
type FilterChange struct {
	Name      *string                `json:"name,omitempty"`
	Condition *string                `json:"condition,omitempty"`
	Actions   *tidings.FilterActions `json:"actions,omitempty"` // as a whole
	Place     *int                   `json:"place,omitempty"`   // in the account's order, from 1
}

// filterOrder is what a client asks of a filter: by the text of its condition, or by a form.
type filterOrder struct {
	Name      string                `json:"name,omitempty"`
	Condition string                `json:"condition,omitempty"`
	Form      *tidings.FilterForm   `json:"form,omitempty"`
	Actions   tidings.FilterActions `json:"actions,omitzero"`
}

// condition returns the text of the condition that is ordered.
func (o filterOrder) condition(f Filters) (string, error) {
	text := o.Condition
	if o.Form != nil {
		if text != "" {
			return "", refuse(http.StatusBadRequest, "both \"condition\" and \"form\" are given", "send one of them")
		}
		var err error
		if text, err = f.TextOf(*o.Form); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(text) == "" {
		return "", refuse(http.StatusBadRequest, "field \"condition\" is missing",
			`send one, such as {"condition": "headline LIKE '%advertisement%'"}`)
	}
	return text, nil
}

// filterRoutes are those about the requester's filters.
func filterRoutes(h *handler) map[string]map[string]endpoint {
	return map[string]map[string]endpoint{
		"filters":           {"GET": ofFilters(h, listFilters), "POST": ofFilters(h, addFilter)},
		"filters/check":     {"POST": ofFilters(h, checkFilter)},
		"filters/{id}":      {"PATCH": ofFilters(h, changeFilter), "DELETE": ofFilters(h, removeFilter)},
		"filters/{id}/show": {"POST": ofFilters(h, showFiltered)},
	}
}

func ofFilters(h *handler, do func(f Filters, w http.ResponseWriter, r *http.Request,
	account tidings.AccountID) error) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		if h.Filters == nil {
			return refuse(http.StatusServiceUnavailable, "this node has no filters", "")
		}
		err := do(h.Filters, w, r, account)
		if errors.Is(err, tidings.ErrNotFound) {
			return refuse(http.StatusNotFound, "you have no such filter", "those that you have: tidings filter list")
		}
		return err
	}
}

func listFilters(f Filters, w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	all, err := f.List(r.Context(), account)
	if err != nil {
		return err
	}
	return list(w, r, all)
}

func addFilter(f Filters, w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var o filterOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	condition, err := o.condition(f)
	if err != nil {
		return err
	}
	added, err := f.Add(r.Context(), account, tidings.FilterSettings{Name: o.Name, Condition: condition,
		Actions: o.Actions})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, added)
	return nil
}

func checkFilter(f Filters, w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var o struct {
		Condition string              `json:"condition,omitempty"`
		Form      *tidings.FilterForm `json:"form,omitempty"`
	}
	if err := decode(w, r, &o); err != nil {
		return err
	}
	condition, err := filterOrder{Condition: o.Condition, Form: o.Form}.condition(f)
	if err != nil {
		return err
	}
	check, err := f.Check(r.Context(), account, condition)
	if err != nil {
		return err
	}
	return ok(w, r, check)
}

func changeFilter(f Filters, w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	var c FilterChange
	if err := decode(w, r, &c); err != nil {
		return err
	}
	if c.Place != nil && *c.Place < 1 {
		return refuse(http.StatusBadRequest, "\"place\" counts from 1", "")
	}
	now, err := filterOf(r.Context(), f, account, id)
	if err != nil {
		return err
	}
	if c.Name != nil || c.Condition != nil || c.Actions != nil {
		s := tidings.FilterSettings{Name: now.Name, Condition: now.Condition, Actions: now.Actions}
		replace(&s.Name, c.Name)
		replace(&s.Condition, c.Condition)
		replace(&s.Actions, c.Actions)
		if now, err = f.Change(r.Context(), account, id, s); err != nil {
			return err
		}
	}
	if c.Place != nil {
		if err := f.Move(r.Context(), account, id, *c.Place); err != nil {
			return err
		}
	}
	return ok(w, r, now)
}

// filterOf returns one filter of an account; tidings.ErrNotFound if it has no such filter.
func filterOf(ctx context.Context, f Filters, account tidings.AccountID, id int64) (tidings.Filter, error) {
	all, err := f.List(ctx, account)
	if err != nil {
		return tidings.Filter{}, err
	}
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	return tidings.Filter{}, tidings.ErrNotFound
}

func removeFilter(f Filters, w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	if err := f.Remove(r.Context(), account, id); err != nil {
		return err
	}
	return done(w)
}

func showFiltered(f Filters, w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	id, err := idOf(r)
	if err != nil {
		return err
	}
	n, err := f.Show(r.Context(), account, id)
	if err != nil {
		return err
	}
	return ok(w, r, map[string]int{"count": n})
}

// FilterCalls is the client's part about the account's filters.
type FilterCalls struct{ client *Client }

// Filters returns it.
func (c *Client) Filters() FilterCalls { return FilterCalls{c} }

// List lists the account's filters in their order.
func (f FilterCalls) List(ctx context.Context) (all []tidings.Filter, err error) {
	return all, f.client.get(ctx, "filters", nil, &all)
}

// Add adds a filter behind the others.
func (f FilterCalls) Add(ctx context.Context, s tidings.FilterSettings) (added tidings.Filter, err error) {
	return added, f.client.do(ctx, http.MethodPost, "filters", nil, s, &added)
}

// Change changes what is given of a filter.
func (f FilterCalls) Change(ctx context.Context, id int64, c FilterChange) (changed tidings.Filter, err error) {
	return changed, f.client.do(ctx, http.MethodPatch, filterPath(id), nil, c, &changed)
}

// Remove removes a filter. What it has dropped is shown again, as read.
func (f FilterCalls) Remove(ctx context.Context, id int64) error {
	return f.client.do(ctx, http.MethodDelete, filterPath(id), nil, nil, nil)
}

// Show shows again, as read, what a filter has dropped, and returns how much that was.
func (f FilterCalls) Show(ctx context.Context, id int64) (count int, err error) {
	var answer struct {
		Count int `json:"count"`
	}
	err = f.client.do(ctx, http.MethodPost, filterPath(id)+"/show", nil, struct{}{}, &answer)
	return answer.Count, err
}

// Check says what is to be known of a condition.
func (f FilterCalls) Check(ctx context.Context, condition string) (check view.FilterCheck, err error) {
	return check, f.client.do(ctx, http.MethodPost, "filters/check", nil, map[string]string{"condition": condition},
		&check)
}

func filterPath(id int64) string { return "filters/" + strconv.FormatInt(id, 10) }
