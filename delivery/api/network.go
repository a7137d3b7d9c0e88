package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/view"
)

// Network is what the API asks of the node's part among other nodes.
type Network interface {
	// Network returns how the node stands among the others.
	Network(ctx context.Context) (view.Network, error)

	// Peers lists every live node that this one knows, neighbours first.
	Peers(ctx context.Context) ([]view.Peer, error)

	// Friends lists the nodes through which this one joins trees, where the network's router is
	// rappel, nearest first. Of the channels in common it names those that the account follows.
	Friends(ctx context.Context, account tidings.AccountID) ([]view.Friend, error)
	// Overlay returns the node's links where the network's router is spidercast. It names channels that the account
	// follows alone.
	Overlay(ctx context.Context, account tidings.AccountID) (view.Overlay, error)

	Zones

	// Tree returns how the updates of a followed channel come to this node.
	Tree(ctx context.Context, url string) (view.Tree, error)

	// AddJoin keeps an address to join by, and has it tried at once. It does not wait.
	// One that cannot be an address is [tidings.ErrInvalid].
	AddJoin(ctx context.Context, address string) error

	// RemoveJoin forgets one; [tidings.ErrNotFound] if there is none. Connections stay.
	RemoveJoin(ctx context.Context, address string) error

	// NetworkChanged returns a channel. It is closed when Network next differs in more than round trips, traffic and
	// what time alone changes. To miss nothing, call it before Network.
	NetworkChanged() <-chan struct{}
}

// joinPatience is how long an answer waits for the end of an attempt.
const joinPatience = 12 * time.Second

// others returns the node's part among other nodes, or says that it has none.
func (h *handler) others() (Network, error) {
	if h.Network == nil {
		return nil, refuse(http.StatusServiceUnavailable, "the node works alone",
			"start it without --no-network, or wait while its status says that it makes a key")
	}
	return h.Network, nil
}

func (h *handler) network(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	n, err := others.Network(r.Context())
	if err != nil {
		return err
	}
	return ok(w, r, n)
}

func (h *handler) peers(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	all, err := others.Peers(r.Context())
	if err != nil {
		return err
	}
	return list(w, r, all)
}

func (h *handler) friends(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	all, err := others.Friends(r.Context(), account)
	if err != nil {
		return err
	}
	return list(w, r, all)
}

func (h *handler) overlay(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	o, err := others.Overlay(r.Context(), account)
	if err != nil {
		return err
	}
	return ok(w, r, o)
}

func (h *handler) tree(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	t, err := others.Tree(r.Context(), f.URL)
	if err != nil {
		return err
	}
	return ok(w, r, t)
}

// addJoin answers with the join once its first attempt has ended, or with its state after a bounded wait.
func (h *handler) addJoin(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	var join struct {
		Address string `json:"address"`
	}
	if err := decode(w, r, &join); err != nil {
		return err
	}
	address, err := nodeAddress(join.Address, `field "address"`)
	if err != nil {
		return err
	}
	if err := others.AddJoin(r.Context(), address); err != nil {
		return err
	}
	tried, err := triedJoin(r.Context(), others, address)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, tried)
	return nil
}

// triedJoin waits for the end of the attempt to join by address.
func triedJoin(ctx context.Context, others Network, address string) (view.Join, error) {
	patience := time.NewTimer(joinPatience)
	defer patience.Stop()
	for {
		changed := others.NetworkChanged() // before the read
		n, err := others.Network(ctx)
		if err != nil {
			return view.Join{}, err
		}
		at := slices.IndexFunc(n.Joins, func(j view.Join) bool { return j.Address == address })
		if at < 0 {
			return view.Join{}, refuse(http.StatusConflict, "the address was forgotten again meanwhile", "")
		}
		if n.Joins[at].State != view.Joining {
			return n.Joins[at], nil
		}
		select {
		case <-changed:
		case <-patience.C:
			return n.Joins[at], nil
		case <-ctx.Done():
			return view.Join{}, ctx.Err()
		}
	}
}

func (h *handler) removeJoin(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
	others, err := h.others()
	if err != nil {
		return err
	}
	address, err := nodeAddress(queryOf(r).text("address"), `parameter "address"`)
	if err != nil {
		return err
	}
	switch err := others.RemoveJoin(r.Context(), address); {
	case errors.Is(err, tidings.ErrNotFound):
		return refuse(http.StatusNotFound, "the node was not told to join by that address",
			"those that it was told: tidings status")
	case err != nil:
		return err
	}
	return done(w)
}

// nodeAddress is the address of a node as a client gave it. What it means is the
// network's to say.
func nodeAddress(given, where string) (string, error) {
	address := strings.TrimSpace(given)
	switch {
	case address == "":
		return "", refuse(http.StatusBadRequest, where+" is missing", "the other node's status shows its addresses")
	case len(address) > view.MaxJoinAddress:
		return "", refuse(http.StatusBadRequest, fmt.Sprintf("%s has more than %d bytes", where, view.MaxJoinAddress),
			"")
	}
	return address, nil
}
