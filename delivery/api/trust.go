package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"tidings"
)

// Truster is what the API asks about publishers' keys. What it does holds for the whole node.
type Truster interface {
	// Trust trusts a channel to the key that its document names, instead of the present one. fingerprint must be that
	// key's. With the trusted key's fingerprint, its pushes are accepted again. Any other key is a third party's, and
	// thirdParty confirms that. Errors: [tidings.ErrInvalid] if the fingerprint is none, if it is another key's without
	// thirdParty, or if nobody can push the channel.
	Trust(ctx context.Context, url, fingerprint string, thirdParty bool) error

	// Distrust rejects all further pushes of a channel's publisher; [tidings.ErrNotFound] if no key is known.
	Distrust(ctx context.Context, url string) error
}

// trustOrder names the key that a person has decided for.
type trustOrder struct {
	Fingerprint string `json:"fingerprint"`
	ThirdParty  bool   `json:"third_party,omitempty"` // it may be a key that the document does not name
}

// trust answers with the channel as it is then: a key that was declared void, say, stays so.
func (h *handler) trust(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var o trustOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	if strings.TrimSpace(o.Fingerprint) == "" {
		return refuse(http.StatusBadRequest, `field "fingerprint" is missing`,
			"send the 64 hexadecimal digits of the key to trust")
	}
	return h.decide(w, r, account, func(url string) error {
		err := h.Node.Trust(r.Context(), url, o.Fingerprint, o.ThirdParty)
		if errors.Is(err, tidings.ErrInvalid) {
			return refuse(http.StatusBadRequest, tidings.Reason(err),
				cmp.Or(tidings.HintOf(err), "how the channel is pushed: tidings show URL"))
		}
		return err
	})
}

func (h *handler) distrust(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	return h.decide(w, r, account, func(url string) error { return h.Node.Distrust(r.Context(), url) })
}

// decide does what a person has decided about a channel's publisher.
func (h *handler) decide(w http.ResponseWriter, r *http.Request, account tidings.AccountID,
	do func(url string) error) error {
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	switch err := do(f.URL); {
	case errors.Is(err, tidings.ErrNotFound):
		return refuse(http.StatusNotFound, f.URL+" names no publisher's key",
			"only a public feed that announces pushes has one")
	case err != nil:
		return err
	}
	return h.channel(w, r, account)
}

// Trust accepts pushes of a channel that the key of a fingerprint signs, and returns the channel. thirdParty allows a
// key that the channel's document does not name.
func (c *Client) Trust(ctx context.Context, channel, fingerprint string,
	thirdParty bool) (f tidings.Subscription, err error) {
	return f, c.do(ctx, http.MethodPost, "trust", ofChannel(channel), trustOrder{fingerprint, thirdParty}, &f)
}

// Distrust rejects all further pushes of a channel's publisher, and returns the channel.
func (c *Client) Distrust(ctx context.Context, channel string) (f tidings.Subscription, err error) {
	return f, c.do(ctx, http.MethodPost, "distrust", ofChannel(channel), nil, &f)
}
