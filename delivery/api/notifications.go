package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"tidings"
)

// Notifications are the addresses at which people are notified, and what waits to be delivered to them.
type Notifications interface {
	Targets(ctx context.Context, account tidings.AccountID) ([]tidings.Target, error)
	Target(ctx context.Context, account tidings.AccountID, id int64) (tidings.Target, error)
	// AddTarget adds a target of t.Account, and returns it with the secret that was made where a webhook had none.
	AddTarget(ctx context.Context, t tidings.Target) (tidings.Target, error)
	// ChangeTarget replaces what a person chose of a target. A nil secret keeps the present one where that is safe.
	ChangeTarget(ctx context.Context, t tidings.Target, secret *string) (tidings.Target, error)
	RemoveTarget(ctx context.Context, account tidings.AccountID, id int64) error
	// TestTarget sends a message to a target now; the error says why that failed.
	TestTarget(ctx context.Context, account tidings.AccountID, id int64) error
	// ConfirmTarget confirms a target's mail address by the code that was sent there; tidings.ErrInvalid for another
	// one.
	ConfirmTarget(ctx context.Context, account tidings.AccountID, id int64, code string) error
	// PushKey returns the public key that browsers subscribe with; "" if none can.
	PushKey() string
	Deliveries(ctx context.Context, account tidings.AccountID, after int64, limit int) ([]tidings.Delivery, error)
	Retry(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
	Drop(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
}

// TargetSettings is what a person chooses of a target. In a change what is nil stays.
type TargetSettings struct {
	Name    *string             `json:"name,omitempty"`
	Kind    *tidings.TargetKind `json:"kind,omitempty"`
	URL     *string             `json:"url,omitempty"`
	Channel *string             `json:"channel,omitempty"` // only updates of this channel; "": of any
	Folder  *string             `json:"folder,omitempty"`  // only of channels in this folder; "": in any
	Secret  *string             `json:"secret,omitempty"`
	Form    *tidings.Form       `json:"form,omitempty"`
	Text    *tidings.Text       `json:"text,omitempty"`

	Schedule *tidings.Schedule `json:"schedule,omitempty"` // as a whole
}

func (s TargetSettings) of(t tidings.Target) tidings.Target {
	replace(&t.Name, s.Name)
	replace(&t.Kind, s.Kind)
	replace(&t.URL, s.URL)
	replace(&t.Selector.Channel, s.Channel)
	replace(&t.Selector.Folder, s.Folder)
	replace(&t.Secret, s.Secret)
	replace(&t.Text, s.Text)
	replace(&t.Schedule, s.Schedule)
	if s.Form != nil {
		t.Form = s.Form
	}
	return t
}

func replace[T any](value *T, by *T) {
	if by != nil {
		*value = *by
	}
}

// AddedTarget is a target that was added or changed, with the signing key that was made for it; "": none was.
type AddedTarget struct {
	tidings.Target
	Secret string `json:"secret,omitempty"`
}

// PushKey answers with the key that a browser, or an app of UnifiedPush, subscribes with.
type PushKey struct {
	Key string `json:"key"` // applicationServerKey of the Push API: an uncompressed point of P-256 in base64url
}

// code is what a person types to confirm an address.
type code struct {
	Code string `json:"code"`
}

// count answers how many deliveries something was done to.
type count struct {
	Count int `json:"count"`
}

func notificationRoutes(h *handler) map[string]map[string]endpoint {
	routes := map[string]map[string]endpoint{
		"targets":              {"GET": listTargets(h), "POST": addTarget(h)},
		"targets/{id}":         {"PATCH": changeTarget(h), "DELETE": removeTarget(h)},
		"targets/{id}/test":    {"POST": testTarget(h)},
		"targets/{id}/confirm": {"POST": confirmTarget(h)},
		"push-key":             {"GET": pushKey(h)},
		"deliveries":           {"GET": listDeliveries(h), "DELETE": dropDeliveries(h)},
		"deliveries/retry":     {"POST": retryDeliveries(h)},
	}
	if h.Notifications != nil {
		return routes
	}
	for _, methods := range routes {
		for method := range methods {
			methods[method] = func(http.ResponseWriter, *http.Request, tidings.AccountID) error {
				return refuse(http.StatusServiceUnavailable, "nobody is notified by this node", "")
			}
		}
	}
	return routes
}

func listTargets(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		all, err := h.Notifications.Targets(r.Context(), account)
		if err != nil {
			return err
		}
		return list(w, r, all)
	}
}

func addTarget(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		var s TargetSettings
		if err := decode(w, r, &s); err != nil {
			return err
		}
		t := s.of(tidings.Target{Account: account})
		added, err := h.Notifications.AddTarget(r.Context(), t)
		if err != nil {
			return targetRefusal(err)
		}
		answer := AddedTarget{Target: added}
		if t.Secret == "" {
			answer.Secret = added.Secret
		}
		writeJSON(w, http.StatusCreated, answer)
		return nil
	}
}

func changeTarget(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		var s TargetSettings
		if err := decode(w, r, &s); err != nil {
			return err
		}
		before, err := h.Notifications.Target(r.Context(), account, id)
		if err != nil {
			return targetRefusal(err)
		}
		changed, err := h.Notifications.ChangeTarget(r.Context(), s.of(before), s.Secret)
		if err != nil {
			return targetRefusal(err)
		}
		answer := AddedTarget{Target: changed}
		if s.Secret == nil && changed.Secret != before.Secret {
			answer.Secret = changed.Secret
		}
		writeJSON(w, http.StatusOK, answer)
		return nil
	}
}

func removeTarget(h *handler) endpoint {
	return ofTarget(func(ctx context.Context, account tidings.AccountID, id int64) error {
		return h.Notifications.RemoveTarget(ctx, account, id)
	})
}

func testTarget(h *handler) endpoint {
	return ofTarget(func(ctx context.Context, account tidings.AccountID, id int64) error {
		err := h.Notifications.TestTarget(ctx, account, id)
		if err == nil || errors.Is(err, tidings.ErrNotFound) || errors.Is(err, tidings.ErrInvalid) {
			return err
		}
		return refuse(http.StatusBadGateway, tidings.Reason(err), "")
	})
}

func confirmTarget(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		var typed code
		if err := decode(w, r, &typed); err != nil {
			return err
		}
		return ofTarget(func(ctx context.Context, account tidings.AccountID, id int64) error {
			return h.Notifications.ConfirmTarget(ctx, account, id, typed.Code)
		})(w, r, account)
	}
}

func pushKey(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		key := h.Notifications.PushKey()
		if key == "" {
			return tidings.ErrNotFound
		}
		writeJSON(w, http.StatusOK, PushKey{key})
		return nil
	}
}

// ofTarget answers by doing something to the target that is named.
func ofTarget(do func(ctx context.Context, account tidings.AccountID, id int64) error) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		if err := do(r.Context(), account, id); err != nil {
			return targetRefusal(err)
		}
		return done(w)
	}
}

// targetRefusal says for people why something could not be done to a target.
func targetRefusal(err error) error {
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		return refuse(http.StatusNotFound, "you have no such target or delivery",
			"those that you have: tidings notify list, and: tidings outbox list")
	case errors.Is(err, tidings.ErrExists):
		return refuse(http.StatusConflict, "you have a target of that name",
			"choose another name, or remove that target first")
	}
	return err
}

func listDeliveries(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		q := queryOf(r)
		after, limit := q.number("after"), q.limit()
		if q.err != nil {
			return q.err
		}
		all, err := h.Notifications.Deliveries(r.Context(), account, after, limit)
		if err != nil {
			return err
		}
		return list(w, r, all)
	}
}

func retryDeliveries(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		return ofDeliveries(w, r, account, h.Notifications.Retry)
	}
}

func dropDeliveries(h *handler) endpoint {
	return func(w http.ResponseWriter, r *http.Request, account tidings.AccountID) error {
		return ofDeliveries(w, r, account, h.Notifications.Drop)
	}
}

// ofDeliveries does something to the deliveries that a request selects, and answers how many they are.
func ofDeliveries(w http.ResponseWriter, r *http.Request, account tidings.AccountID,
	do func(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error),
) error {
	q := queryOf(r)
	which := tidings.DeliverySelection{Target: q.number("target"), Delivery: q.number("delivery"),
		Failed: q.flag("failed")}
	if q.err != nil {
		return q.err
	}
	n, err := do(r.Context(), account, which)
	if err != nil {
		return targetRefusal(err)
	}
	writeJSON(w, http.StatusOK, count{n})
	return nil
}

// Notify is a client's part for notifications.
type Notify struct{ client *Client }

// Notify returns the client's part for the account's notifications.
func (c *Client) Notify() Notify { return Notify{c} }

// Targets lists the targets of the account, the oldest first.
func (n Notify) Targets(ctx context.Context) (all []tidings.Target, err error) {
	return all, n.client.get(ctx, "targets", nil, &all)
}

// Add adds a target.
func (n Notify) Add(ctx context.Context, s TargetSettings) (added AddedTarget, err error) {
	return added, n.client.do(ctx, http.MethodPost, "targets", nil, s, &added)
}

// Change changes what is not nil of a target.
func (n Notify) Change(ctx context.Context, id int64, s TargetSettings) (changed AddedTarget, err error) {
	return changed, n.client.do(ctx, http.MethodPatch, targetPath(id), nil, s, &changed)
}

// Remove removes a target with all that waits for it.
func (n Notify) Remove(ctx context.Context, id int64) error {
	return n.client.do(ctx, http.MethodDelete, targetPath(id), nil, nil, nil)
}

// Test sends a message to a target now; the error says why that failed.
func (n Notify) Test(ctx context.Context, id int64) error {
	return n.client.do(ctx, http.MethodPost, targetPath(id)+"/test", nil, nil, nil)
}

// Confirm confirms a target's mail address by the code that was sent there.
func (n Notify) Confirm(ctx context.Context, id int64, typed string) error {
	return n.client.do(ctx, http.MethodPost, targetPath(id)+"/confirm", nil, code{typed}, nil)
}

// PushKey returns the key that browsers subscribe with.
func (n Notify) PushKey(ctx context.Context) (key PushKey, err error) {
	return key, n.client.get(ctx, "push-key", nil, &key)
}

func targetPath(id int64) string { return "targets/" + strconv.FormatInt(id, 10) }

// Deliveries lists what is pending and what was given up, with larger IDs than after.
func (n Notify) Deliveries(ctx context.Context, after int64, limit int) (all []tidings.Delivery, err error) {
	q := url.Values{"after": {strconv.FormatInt(after, 10)}, "limit": {strconv.Itoa(limit)}}
	return all, n.client.get(ctx, "deliveries", q, &all)
}

// Retry tries deliveries again at once, and returns how many they are.
func (n Notify) Retry(ctx context.Context, which tidings.DeliverySelection) (int, error) {
	var c count
	err := n.client.do(ctx, http.MethodPost, "deliveries/retry", deliveriesQuery(which), nil, &c)
	return c.Count, err
}

// Drop removes deliveries, and returns how many they were.
func (n Notify) Drop(ctx context.Context, which tidings.DeliverySelection) (int, error) {
	var c count
	err := n.client.do(ctx, http.MethodDelete, "deliveries", deliveriesQuery(which), nil, &c)
	return c.Count, err
}

func deliveriesQuery(which tidings.DeliverySelection) url.Values {
	q := url.Values{}
	for name, number := range map[string]int64{"target": which.Target, "delivery": which.Delivery} {
		if number != 0 {
			q.Set(name, strconv.FormatInt(number, 10))
		}
	}
	if which.Failed {
		q.Set("failed", "true")
	}
	return q
}
