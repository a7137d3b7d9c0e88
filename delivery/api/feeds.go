package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/proxy"
)

// NewFeed is a feed of the requester's own with the address that was just made. Its paths hold the secret, which is
// kept nowhere.
type NewFeed struct {
	tidings.FeedAddress
	Atom string `json:"atom"` // path of the feed as Atom
	JSON string `json:"json"` // the same as JSON Feed
}

// feedRoutes are those about feeds of the requester's own.
func feedRoutes(h *handler) map[string]map[string]endpoint {
	return map[string]map[string]endpoint{
		"feeds":      {"GET": listFeeds(h), "POST": newFeed(h)},
		"feeds/{id}": {"DELETE": removeFeed(h)},
	}
}

func listFeeds(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		all, err := h.Store.FeedAddressesOf(r.Context(), account)
		if err != nil {
			return err
		}
		return list(w, r, all)
	}
}

func newFeed(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		var order struct {
			Name      string                `json:"name"`
			Selection tidings.FeedSelection `json:"selection"`
			Of        string                `json:"of"`
		}
		if err := decode(w, r, &order); err != nil {
			return err
		}
		f := tidings.FeedAddress{Name: order.Name, Selection: order.Selection, Of: order.Of}
		if f.Selection == tidings.SelectChannel && f.Of != "" {
			channel, err := followedAt(h, r, account, strings.TrimSpace(f.Of))
			if err != nil {
				return err
			}
			f.Of = channel.URL
		}
		added, secret, err := auth.IssueFeedAddress(r.Context(), h.Store, account, f)
		if err != nil {
			return err
		}
		answer := NewFeed{FeedAddress: added}
		answer.Atom, answer.JSON = proxy.OwnPaths(secret)
		writeJSON(w, http.StatusCreated, answer)
		return nil
	}
}

func removeFeed(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		err = h.Store.RemoveFeedAddress(r.Context(), account, id)
		if errors.Is(err, tidings.ErrNotFound) {
			return refuse(http.StatusNotFound, "you have no such feed", "those that you have: tidings feed list")
		}
		if err != nil {
			return err
		}
		return done(w)
	}
}

// Feeds is the client's part about feeds of the account's own.
type Feeds struct{ client *Client }

// Feeds returns it.
func (c *Client) Feeds() Feeds { return Feeds{c} }

// Add makes an address of a feed: of f it uses Name, Selection and Of. The paths in its result hold the secret.
func (f Feeds) Add(ctx context.Context, feed tidings.FeedAddress) (added NewFeed, err error) {
	order := map[string]string{"name": feed.Name, "selection": string(feed.Selection), "of": feed.Of}
	return added, f.client.do(ctx, http.MethodPost, "feeds", nil, order, &added)
}

// List lists the account's addresses, the oldest first.
func (f Feeds) List(ctx context.Context) (all []tidings.FeedAddress, err error) {
	return all, f.client.get(ctx, "feeds", nil, &all)
}

// Remove removes a feed and its addresses.
func (f Feeds) Remove(ctx context.Context, id int64) error {
	return f.client.do(ctx, http.MethodDelete, "feeds/"+strconv.FormatInt(id, 10), nil, nil, nil)
}
