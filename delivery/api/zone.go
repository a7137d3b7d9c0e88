package api

import (
	"context"
	"net/http"
	"strings"

	"tidings"
	"tidings/view"
)

// Zones is what the API asks of the node's part in the network's zones.
type Zones interface {
	// Zone returns the table of a zone on the node's path; of the empty path that of the node's own.
	Zone(ctx context.Context, path string) (view.Zone, error)

	// JoinZone has the node be in a zone from now on. What cannot be is [tidings.ErrInvalid], and nothing has changed.
	JoinZone(ctx context.Context, o view.ZoneOrder) (view.ZoneMembership, error)

	// SetZoneAttribute has the node say something of itself in its zone; an empty value removes it,
	// [tidings.ErrNotFound] if it says nothing of that name.
	SetZoneAttribute(ctx context.Context, name, value string) error

	// SpreadFunction passes on an aggregation function that an authority has signed, or the end of one. If this node
	// does not accept the function, it returns [tidings.ErrInvalid].
	SpreadFunction(ctx context.Context, i view.ZoneInstallation) error

	// SendToZone sends the items of a document to the nodes that follow a zone, or that have queries that select them
	// there. If a document cannot be sent, it returns [tidings.ErrInvalid], and nothing was sent.
	SendToZone(ctx context.Context, o view.ZoneSending) (view.ZoneSent, error)
}

// zoneRoutes are those of the node's zone. Only the owner of the node may change where it belongs and what it says.
func zoneRoutes(h *handler) map[string]map[string]endpoint {
	send := func(z Zones, w http.ResponseWriter, r *http.Request) error { return sendToZone(h.Local, z, w, r) }
	routes := map[string]map[string]endpoint{
		"zone":       {"GET": ofZones(h, showZone)},
		"zone/items": {"POST": ofZones(h, send)},
	}
	if h.Local {
		routes["zone"]["PUT"] = ofZones(h, joinZone)
		routes["zone/attributes"] = map[string]endpoint{"PUT": ofZones(h, setZoneAttribute)}
		routes["zone/functions"] = map[string]endpoint{"POST": ofZones(h, spreadFunction)}
	}
	return routes
}

func ofZones(h *handler, do func(z Zones, w http.ResponseWriter, r *http.Request) error) endpoint {
	return func(w http.ResponseWriter, r *http.Request, _ tidings.AccountID) error {
		others, err := h.others()
		if err != nil {
			return err
		}
		return do(others, w, r)
	}
}

func showZone(z Zones, w http.ResponseWriter, r *http.Request) error {
	shown, err := z.Zone(r.Context(), r.URL.Query().Get("path"))
	if err != nil {
		return err
	}
	return ok(w, r, shown)
}

func joinZone(z Zones, w http.ResponseWriter, r *http.Request) error {
	var o view.ZoneOrder
	if err := decode(w, r, &o); err != nil {
		return err
	}
	m, err := z.JoinZone(r.Context(), o)
	if err != nil {
		return err
	}
	return ok(w, r, m)
}

func setZoneAttribute(z Zones, w http.ResponseWriter, r *http.Request) error {
	var a struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	if err := decode(w, r, &a); err != nil {
		return err
	}
	if err := z.SetZoneAttribute(r.Context(), a.Name, a.Value); err != nil {
		return err
	}
	return done(w)
}

func spreadFunction(z Zones, w http.ResponseWriter, r *http.Request) error {
	var i view.ZoneInstallation
	if err := decode(w, r, &i); err != nil {
		return err
	}
	if err := z.SpreadFunction(r.Context(), i); err != nil {
		return err
	}
	return done(w)
}

// sendToZone speaks in the node's name, as publishing does. Only the owner of the node (local) may have it read a file
// or ask an address.
func sendToZone(local bool, z Zones, w http.ResponseWriter, r *http.Request) error {
	var o view.ZoneSending
	if err := decodeUpTo(w, r, maxOrder, &o); err != nil {
		return err
	}
	source := strings.TrimSpace(o.Source) != ""
	switch {
	case source && !local:
		return refuse(http.StatusBadRequest, `field "source" is for whoever runs the node alone`,
			"send the document itself, in base64, as \"document\"")
	case !source && len(o.Document) == 0 && local:
		return refuse(http.StatusBadRequest, `field "source" is missing`,
			"send the absolute path of a document's file, or its URL; or the document itself, in base64, as \"document\"")
	case !source && len(o.Document) == 0:
		return refuse(http.StatusBadRequest, `field "document" is missing`, "send the document in base64")
	}
	sent, err := z.SendToZone(r.Context(), o)
	if err != nil {
		return acted(err)
	}
	return ok(w, r, sent)
}
