package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/auth"
)

func (h *handler) channels(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	followed, err := h.Store.Channels(r.Context(), account)
	if err != nil {
		return err
	}
	if err := h.Node.PollingStats(r.Context(), followed); err != nil {
		return err
	}
	return list(w, r, followed)
}

func (h *handler) channel(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	one := []tidings.Subscription{f}
	if err := h.Node.PollingStats(r.Context(), one); err != nil {
		return err
	}
	return ok(w, r, one[0])
}

// followed finds the channel that parameter url means: its address in any spelling, or
// the page that the followed feed belongs to, which is what people remember.
func (h *handler) followed(r *http.Request, account tidings.AccountID) (tidings.Subscription, error) {
	given := strings.TrimSpace(r.URL.Query().Get("url"))
	if given == "" {
		return tidings.Subscription{}, refuse(http.StatusBadRequest, "parameter \"url\" is missing",
			"name the channel: ?url=…")
	}
	return followedAt(h, r, account, given)
}

// followedAt returns the followed channel at an address, however that is written.
func followedAt(h *handler, r *http.Request, account tidings.AccountID, given string) (tidings.Subscription, error) {
	canonical, err := h.canonical(given)
	if err != nil {
		return tidings.Subscription{}, err
	}
	f, err := h.Store.Channel(r.Context(), account, canonical)
	if !errors.Is(err, tidings.ErrNotFollowed) {
		return f, err
	}
	return h.followedFrom(r, account, canonical, err)
}

// canonical gives the address under which a channel is kept, whatever credentials came with it.
func (h *handler) canonical(given string) (string, error) {
	if u, err := url.Parse(given); err == nil && u.User != nil {
		given = withoutCredentials(given)
	}
	canonical, err := h.Canonical(given)
	if err != nil && statusOf(err) == 0 {
		err = refuse(http.StatusBadRequest, "that is no address of a channel: "+err.Error(), "")
	}
	return canonical, err
}

// followedFrom finds the followed channel for the address site. site may be another spelling of the channel's address,
// or a page that the channel belongs to. Otherwise it returns notFollowed.
func (h *handler) followedFrom(r *http.Request, account tidings.AccountID, site string,
	notFollowed error) (tidings.Subscription, error) {
	all, err := h.Store.Channels(r.Context(), account)
	if err != nil {
		return tidings.Subscription{}, err
	}
	var found []tidings.Subscription
	for _, f := range all {
		if its, err := h.Canonical(tidings.PublicURL(f.URL)); err == nil && its == site {
			// it is the account's own channel there, or was followed when canonical addresses were made otherwise
			return f, nil
		}
		if its, err := h.Canonical(f.Site); f.Site != "" && err == nil && its == site {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return tidings.Subscription{}, notFollowed
	case 1:
		return found[0], nil
	}
	return tidings.Subscription{}, refuse(http.StatusConflict,
		fmt.Sprintf("%d followed channels belong to %s", len(found), site), "name one of them, such as "+found[0].URL)
}

// order reads what a client wants to follow.
func order(w http.ResponseWriter, r *http.Request) (tidings.SubscribeRequest, error) {
	var o tidings.SubscribeRequest
	if err := decode(w, r, &o); err != nil {
		return o, err
	}
	o.URL, o.Query = strings.TrimSpace(o.URL), strings.TrimSpace(o.Query)
	switch {
	case o.URL == "" && o.Query == "":
		return o, refuse(http.StatusBadRequest, "field \"url\" is missing",
			"send the address of a feed or page; or a \"query\" to follow")
	case o.URL != "" && o.Query != "":
		return o, refuse(http.StatusBadRequest, "both \"url\" and \"query\" are given", "send one of them")
	}
	return o, checkPrivacy(o.Privacy)
}

func checkPrivacy(p tidings.Privacy) error {
	switch p {
	case "", tidings.Public, tidings.Unlisted, tidings.Credentialed:
		return nil
	}
	return refuse(http.StatusBadRequest, fmt.Sprintf("%q is no privacy class", p),
		"possible: public, unlisted, credentialed")
}

func (h *handler) subscribe(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	o, err := order(w, r)
	if err != nil {
		return err
	}
	f, err := h.Node.Subscribe(r.Context(), account, o)
	if err != nil {
		return acted(err)
	}
	writeJSON(w, http.StatusCreated, f)
	return nil
}

func (h *handler) preview(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	o, err := order(w, r)
	if err != nil {
		return err
	}
	preview, err := h.Node.Preview(r.Context(), account, o)
	if err != nil {
		return acted(err)
	}
	return ok(w, r, preview)
}

func (h *handler) unsubscribe(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	if err := h.Node.Unsubscribe(r.Context(), account, f.URL); err != nil {
		return acted(err)
	}
	return ok(w, r, f)
}

func (h *handler) poll(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	l, err := h.Node.PollNow(r.Context(), account, f.URL)
	if err != nil {
		return acted(err)
	}
	return ok(w, r, l)
}

// changeChannel changes what is given and leaves the rest.
func (h *handler) changeChannel(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var change tidings.ChannelChange
	if err := decode(w, r, &change); err != nil {
		return err
	}
	f, err := h.followed(r, account)
	if err != nil {
		return err
	}
	if change.Privacy != nil {
		if !auth.Admits(r.Context(), routeOf(r, "channel privacy")) {
			return errAdministrators
		}
		if err := checkPrivacy(*change.Privacy); err != nil {
			return err
		}
	}
	if err := h.Node.Change(r.Context(), account, f.URL, change); err != nil {
		return acted(err)
	}
	if f, err = h.Store.Channel(r.Context(), account, f.URL); err != nil {
		return err
	}
	return ok(w, r, f)
}
