package api

import (
	"context"
	"net/http"

	"tidings"
)

// FullTexts is what the API asks about the full text of items.
type FullTexts interface {
	// FetchFullText fetches the full text of an entry's item, unless it is there; with again, it always does. It
	// returns the entry with the text, or with the reason why there is none. If the fetch lasts longer than a few
	// seconds, it returns the entry as it is then. Errors: [tidings.ErrNotFound], and [tidings.ErrInvalid] if the entry
	// can have no full text or too many are being fetched.
	FetchFullText(ctx context.Context, account tidings.AccountID, entry int64, again bool) (tidings.Entry, error)
}

// fullTextOrder names an entry.
type fullTextOrder struct {
	Entry int64 `json:"entry"`
	Again bool  `json:"again,omitempty"`
}

func fetchFullText(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		var o fullTextOrder
		if err := decode(w, r, &o); err != nil {
			return err
		}
		if o.Entry <= 0 {
			return refuse(http.StatusBadRequest, `field "entry" is missing`,
				"send the id of an entry, as entries shows it")
		}
		e, err := h.Node.FetchFullText(r.Context(), account, o.Entry, o.Again)
		if err != nil {
			return err
		}
		return ok(w, r, e)
	}
}

// FetchFullText has the full text of an entry's item fetched, and returns the entry with it.
func (c *Client) FetchFullText(ctx context.Context, entry int64, again bool) (e tidings.Entry, err error) {
	return e, c.do(ctx, http.MethodPost, "fulltext", nil, fullTextOrder{entry, again}, &e)
}
