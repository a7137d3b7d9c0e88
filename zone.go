package tidings

import (
	"strings"
	"time"
)

// A zone to which items are sent is followed as a channel of KindZone. Its URL is ZoneURL of the zone's path.
const zoneScheme = "zone:"

// ZoneURL returns the URL of the channel of a zone, such as zone:/eu/de.
func ZoneURL(path string) string { return zoneScheme + path }

// ZonePath returns the path of the zone that a channel's URL stands for; false if the URL is not that of a zone.
func ZonePath(channel string) (path string, is bool) { return strings.CutPrefix(channel, zoneScheme) }

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

	// Computes are the attributes that a function gives the rows of zones, and Failure why it gives none; Installed is
	// since when it holds.
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

// ZoneSending requests that the items of a document are sent to the nodes that follow a zone, or that select them there
// by a query.
type ZoneSending struct {
	Zone string `json:"zone"`
	// Where is a condition on attributes, in SQL: items go to members, and to zones below, in whose rows it holds.
	// Empty: to all.
	Where    string `json:"where,omitempty"`
	Source   string `json:"source"`             // absolute path of a file that the node reads, or URL; beside a Document, where that came from
	Document []byte `json:"document,omitempty"` // the document itself, a feed or news (NITF, NewsML-G2, ninjs)
}

// MaxZoneItems is how many items a ZoneSending has at most: as many of one node the others accept at once.
const MaxZoneItems = 100

// ZoneSent says what was sent to a zone.
type ZoneSent struct {
	Zone    string         `json:"zone"`
	Sender  string         `json:"sender"`            // ID of the node, under which readers see the items
	Members int64          `json:"members,omitempty"` // nodes in the zone, as far as this one knows; 0: it does not
	Items   []ZoneSentItem `json:"items"`
}

// ZoneSentItem is one of its items.
type ZoneSentItem struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}
