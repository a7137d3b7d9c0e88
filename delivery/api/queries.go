package api

import (
	"context"
	"net/http"
	"strings"

	"tidings"
	"tidings/view"
)

// Querier checks queries before anybody follows them.
type Querier interface {
	// CheckQuery returns what is to be known of a text that may be a query; of one that is none, what is wrong with it.
	CheckQuery(ctx context.Context, text string) (view.QueryCheck, error)
	// QueryOf returns the text of the query that a form asks for.
	QueryOf(f view.QueryForm) string
}

// queryOrder is what a client asks of a query: of a text, or of a form.
type queryOrder struct {
	Query string         `json:"query,omitempty"`
	Form  view.QueryForm `json:"form,omitzero"`
}

func (h *handler) checkQuery(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	var o queryOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if o.Form != (view.QueryForm{}) {
		if o.Query != "" {
			return refuse(http.StatusBadRequest, "both \"query\" and \"form\" are given", "send one of them")
		}
		o.Query = h.Node.QueryOf(o.Form)
	}
	if strings.TrimSpace(o.Query) == "" {
		return refuse(http.StatusBadRequest, "field \"query\" is missing",
			`send a condition, such as {"query": "publisher = 'example.org'"}`)
	}
	check, err := h.Node.CheckQuery(r.Context(), o.Query)
	if err != nil {
		return err
	}
	return ok(w, r, check)
}

// CheckQuery returns what is to be known of a text that may be a query; of one that is none, what is wrong with it.
func (c *Client) CheckQuery(ctx context.Context, text string) (check view.QueryCheck, err error) {
	return check, c.do(ctx, http.MethodPost, "query", nil, queryOrder{Query: text}, &check)
}
