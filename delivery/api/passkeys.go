package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"tidings"
)

// listPasskeys lists the requester's passkeys. None is added here: that needs a browser and a person before it.
func listPasskeys(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		all, err := h.People.PasskeysOf(r.Context(), account)
		if err != nil {
			return err
		}
		return list(w, r, all)
	}
}

func removePasskey(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		err = h.People.RemovePasskey(r.Context(), account, id)
		if errors.Is(err, tidings.ErrNotFound) {
			return refuse(http.StatusNotFound, "you have no such passkey", "those that you have: tidings passkey list")
		}
		if err != nil {
			return err
		}
		return done(w)
	}
}

// Passkeys lists the passkeys of the account, the oldest first.
func (u Users) Passkeys(ctx context.Context) (all []tidings.Passkey, err error) {
	return all, u.client.get(ctx, "passkeys", nil, &all)
}

// RemovePasskey removes a passkey of the account.
func (u Users) RemovePasskey(ctx context.Context, id int64) error {
	return u.client.do(ctx, http.MethodDelete, "passkeys/"+strconv.FormatInt(id, 10), nil, nil, nil)
}
