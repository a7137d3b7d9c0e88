package networkroom

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// maxZoneRows bounds the rows that are listed; no table has more.
const maxZoneRows = 192

// maxZonePath is how long the path of a zone is at most.
const maxZonePath = 200

// zoneView is the table of a zone as it is listed.
type zoneView struct {
	Path    string
	Own     string      // the zone that this node is a member of
	Above   []zoneCrumb // from the root down to the zone itself
	Members int64
	Rows    []zoneRowView
	Gone    bool // the zone that was asked for is none of this node's

	Channel  string // URL of the channel that has what is sent to the zone
	Followed bool   // the account follows it
}

// zoneCrumb is a zone on the way to another.
type zoneCrumb struct{ Name, Path string }

// zoneRowView is a row of a zone's table.
type zoneRowView struct {
	view.ZoneRow
	Name  string
	Below string // path of the zone, if this node has its table
	Says  []zoneAttribute
}

// zoneAttribute is what a row says.
type zoneAttribute struct{ Name, Value string }

// zoneNow asks for the table of a zone; of the empty path that of the node's own. It returns nil where the node has no
// zone.
func (s *room) zoneNow(ctx context.Context, account tidings.AccountID, path string) (*zoneView, error) {
	z, err := s.network.Zone(ctx, path)
	gone := errors.Is(err, tidings.ErrNotFound) || errors.Is(err, tidings.ErrInvalid)
	if gone {
		z, err = s.network.Zone(ctx, "")
	}
	if err != nil || z.Own == "" {
		return nil, err
	}
	v := zoneViewOf(z)
	v.Gone = gone
	switch _, err := s.store.Channel(ctx, account, v.Channel); {
	case err == nil:
		v.Followed = true
	case !errors.Is(err, tidings.ErrNotFollowed):
		return nil, err
	}
	return v, nil
}

func zoneViewOf(z view.Zone) *zoneView {
	v := &zoneView{Path: z.Path, Own: z.Own, Channel: tidings.ZoneURL(z.Path), Above: []zoneCrumb{{"all nodes", "/"}}}
	for at, label := range strings.Split(strings.Trim(z.Path, "/"), "/") {
		if label != "" {
			v.Above = append(v.Above,
				zoneCrumb{label, "/" + strings.Join(strings.Split(strings.Trim(z.Path, "/"), "/")[:at+1], "/")})
		}
	}
	for _, r := range z.Rows[:min(len(z.Rows), maxZoneRows)] {
		row := zoneRowView{ZoneRow: r, Name: r.Label}
		switch r.Kind {
		case view.ZoneMember:
			row.Name = ""
		case view.ZoneFunction:
			row.Name = strings.TrimPrefix(r.Label, "&")
		}
		if r.Within {
			row.Below = strings.TrimSuffix(z.Path, "/") + "/" + wording.Plain(r.Label, maxZonePath)
		}
		for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
			row.Says = append(row.Says, zoneAttribute{name, r.Attributes[name]})
		}
		v.Members += r.Members
		v.Rows = append(v.Rows, row)
	}
	return v
}
