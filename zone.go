package tidings

import "time"

// Zone is the table of a zone of the network, where its router is newswire: a row for each member or zone within it.
type Zone struct {
	Path string    `json:"path"`          // of the zone: "/", "/eu/de"; empty: the node is in none yet
	Own  string    `json:"own,omitempty"` // the zone that the node is a member of
	Rows []ZoneRow `json:"rows"`
}

// ZoneRow is a row of a zone's table.
type ZoneRow struct {
	Label           string            `json:"label"`
	Kind            ZoneRowKind       `json:"kind"`
	Members         int64             `json:"members"`          // nodes in it
	Within          bool              `json:"within,omitempty"` // the node is in this zone
	Issuer          string            `json:"issuer"`           // ID of the node that wrote the row
	Written         time.Time         `json:"written"`          // when it was last written or confirmed, as far as this node knows
	Representatives []string          `json:"representatives,omitempty"`
	Attributes      map[string]string `json:"attributes"` // the others, as people read them

	// Computes are the attributes that a function gives the rows of zones, and Failure why it gives none; Installed is since when it holds.
	Computes  []string  `json:"computes,omitempty"`
	Failure   string    `json:"failure,omitempty"`
	Installed time.Time `json:"installed,omitzero"`
}

// ZoneRowKind says what a row is about.
type ZoneRowKind string

// The kinds of rows.
const (
	ZoneMember   ZoneRowKind = "member"
	ZoneChild    ZoneRowKind = "zone"
	ZoneFunction ZoneRowKind = "function"
)
