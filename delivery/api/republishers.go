package api

import (
	"context"
	"errors"
	"net/http"

	"tidings"
	"tidings/view"
)

// Republishers is what the API asks about nodes that find changes. What it does holds for the whole node.
type Republishers interface {
	// Republishers lists the nodes that are preferred or distrusted, in the order in which people said so.
	Republishers(ctx context.Context) ([]view.Republisher, error)

	// SetRepublisher sets a person's trust in another node. The node is named by its ID, by the first digits of it, or
	// by [view.AllNodes]. Errors: [tidings.ErrInvalid] if that names none, or cannot be.
	SetRepublisher(ctx context.Context, node string, standing tidings.TrustLevel) (view.Republisher, error)
}

// believing says what a person thinks of a node.
type believing struct {
	Node  string             `json:"node"`
	Trust tidings.TrustLevel `json:"trust"`
}

func (h *handler) republishers(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	all, err := h.Node.Republishers(r.Context())
	if err != nil {
		return err
	}
	return list(w, r, all)
}

func (h *handler) setRepublisher(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	var b believing
	if err := decode(w, r, &b); err != nil {
		return err
	}
	switch {
	case b.Node == "":
		return refuse(http.StatusBadRequest, `field "node" is missing`,
			`send a node's ID, as found_by of an update has it, or "all"`)
	case b.Trust == "":
		return refuse(http.StatusBadRequest, `field "trust" is missing`, "possible: neutral, preferred, distrusted")
	}
	p, err := h.Node.SetRepublisher(r.Context(), b.Node, b.Trust)
	if errors.Is(err, tidings.ErrInvalid) {
		return refuse(http.StatusBadRequest, tidings.Reason(err), "the nodes that are known: tidings peers --json")
	}
	if err != nil {
		return err
	}
	return ok(w, r, p)
}

// Republishers lists the nodes that are preferred or distrusted.
func (c *Client) Republishers(ctx context.Context) (all []view.Republisher, err error) {
	return all, c.get(ctx, "republishers", nil, &all)
}

// SetRepublisher has the node believe another as is said, and returns what it thinks of it then.
func (c *Client) SetRepublisher(ctx context.Context, node string,
	standing tidings.TrustLevel) (p view.Republisher, err error) {
	return p, c.do(ctx, http.MethodPost, "republishers", nil, believing{node, standing}, &p)
}
