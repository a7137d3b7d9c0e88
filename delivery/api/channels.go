package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tidings"
)

func (d *door) channels(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	followed, err := d.Store.Channels(r.Context(), account)
	if err != nil {
		return err
	}
	if err := d.Node.Together(r.Context(), followed); err != nil {
		return err
	}
	return list(w, r, followed)
}

func (d *door) channel(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	f, err := d.followed(r, account)
	if err != nil {
		return err
	}
	one := []tidings.Followed{f}
	if err := d.Node.Together(r.Context(), one); err != nil {
		return err
	}
	return ok(w, one[0])
}

// followed finds the channel that parameter url means: its address in any spelling, or
// the page that the followed feed belongs to, which is what people remember.
func (d *door) followed(r *http.Request, account tidings.AccountID) (tidings.Followed, error) {
	given := strings.TrimSpace(r.URL.Query().Get("url"))
	if given == "" {
		return tidings.Followed{}, refuse(http.StatusBadRequest, "parameter \"url\" is missing", "name the channel: ?url=…")
	}
	canonical, err := d.canonical(given)
	if err != nil {
		return tidings.Followed{}, err
	}
	f, err := d.Store.Channel(r.Context(), account, canonical)
	if !errors.Is(err, tidings.ErrNotFollowed) {
		return f, err
	}
	return d.followedFrom(r, account, canonical, err)
}

// canonical gives the address under which a channel is kept, whatever credentials came with it.
func (d *door) canonical(given string) (string, error) {
	if u, err := url.Parse(given); err == nil && u.User != nil {
		given = withoutCredentials(given)
	}
	canonical, err := d.Canonical(given)
	if err != nil && statusOf(err) == 0 {
		err = refuse(http.StatusBadRequest, "that is no address of a channel: "+err.Error(), "")
	}
	return canonical, err
}

// followedFrom finds the channel whose address is another spelling of site, or the one that belongs to the page site, else
// returns notFollowed.
func (d *door) followedFrom(r *http.Request, account tidings.AccountID, site string, notFollowed error) (tidings.Followed, error) {
	all, err := d.Store.Channels(r.Context(), account)
	if err != nil {
		return tidings.Followed{}, err
	}
	var found []tidings.Followed
	for _, f := range all {
		if its, err := d.Canonical(f.URL); err == nil && its == site {
			return f, nil // it was followed when canonical addresses were made otherwise
		}
		if its, err := d.Canonical(f.Site); f.Site != "" && err == nil && its == site {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return tidings.Followed{}, notFollowed
	case 1:
		return found[0], nil
	}
	return tidings.Followed{}, refuse(http.StatusConflict,
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
		return o, refuse(http.StatusBadRequest, "field \"url\" is missing", "send the address of a feed or page; or a \"query\" to follow")
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
	return refuse(http.StatusBadRequest, fmt.Sprintf("%q is no privacy class", p), "possible: public, unlisted, credentialed")
}

func (d *door) subscribe(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	o, err := order(w, r)
	if err != nil {
		return err
	}
	f, err := d.Node.Subscribe(r.Context(), account, o)
	if err != nil {
		return polled(o.URL, err)
	}
	writeJSON(w, http.StatusCreated, f)
	return nil
}

func (d *door) probe(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	o, err := order(w, r)
	if err != nil {
		return err
	}
	preview, err := d.Node.Probe(r.Context(), account, o)
	if err != nil {
		return polled(o.URL, err)
	}
	return ok(w, preview)
}

func (d *door) unsubscribe(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	f, err := d.followed(r, account)
	if err != nil {
		return err
	}
	if err := d.Node.Unsubscribe(r.Context(), account, f.URL); err != nil {
		return acted(err)
	}
	return ok(w, f)
}

func (d *door) poll(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	f, err := d.followed(r, account)
	if err != nil {
		return err
	}
	l, err := d.Node.PollNow(r.Context(), account, f.URL)
	if err != nil {
		return acted(err)
	}
	return ok(w, l)
}

// changeChannel changes what is given and leaves the rest.
func (d *door) changeChannel(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
	var change struct {
		Name    *string          `json:"name"`
		Folder  *string          `json:"folder"`
		Privacy *tidings.Privacy `json:"privacy"`
	}
	if err := decode(w, r, &change); err != nil {
		return err
	}
	f, err := d.followed(r, account)
	if err != nil {
		return err
	}
	if change.Privacy != nil {
		if err := checkPrivacy(*change.Privacy); err != nil {
			return err
		}
		if err := d.Node.SetPrivacy(r.Context(), account, f.URL, *change.Privacy); err != nil {
			return acted(err)
		}
	}
	if change.Name != nil || change.Folder != nil {
		name, folder := orElse(change.Name, f.Name), orElse(change.Folder, f.Folder)
		if err := d.Store.Rename(r.Context(), account, f.URL, name, folder); err != nil {
			return err
		}
	}
	if f, err = d.Store.Channel(r.Context(), account, f.URL); err != nil {
		return err
	}
	return ok(w, f)
}

func orElse(given *string, kept string) string {
	if given != nil {
		return *given
	}
	return kept
}
