package api

import (
	"context"
	"net/http"

	"tidings"
	"tidings/delivery/auth"
	"tidings/view"
)

// Poster puts items into channels of people's own programs.
type Poster interface {
	// Post puts items into the channel that an order names, which the account follows from then on. The error is
	// [tidings.ErrInvalid] for an order of which nothing is stored.
	Post(ctx context.Context, account tidings.AccountID, o view.PostOrder) (view.PostResult, error)
}

// postItems answers 201 if an item was new or another than before, else 200. A token for posting names the channel
// itself.
func postItems(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		if h.Poster == nil {
			return refuse(http.StatusServiceUnavailable, "this node accepts no posts", "")
		}
		var o view.PostOrder
		if err := decode(w, r, &o); err != nil {
			return err
		}
		if p, _ := auth.Person(r.Context()); p.Posts != "" {
			if o.Channel != "" && o.Channel != p.Posts {
				return refuse(http.StatusForbidden, "this token posts to the channel "+tidings.Quote(p.Posts)+" alone",
					`leave out "channel"`)
			}
			o.Channel = p.Posts
		}
		result, err := h.Poster.Post(r.Context(), account, o)
		if err != nil {
			return acted(err)
		}
		status := http.StatusCreated
		if result.New+result.Changed == 0 {
			status = http.StatusOK
		}
		writeJSON(w, status, result)
		return nil
	}
}
