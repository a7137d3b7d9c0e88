package view

import "time"

// Zone is the table of a zone of the network, where its router is newswire: a row for each member or zone within it.
type Zone struct {
	Path string    `json:"path"`          // of the zone: "/", "/eu/de"; empty: the node is in none yet
	Own  string    `json:"own,omitempty"` // the zone that the node is a member of
	Rows []ZoneRow `json:"rows"`
}

// ZoneRow is a row of a zone's table.
type ZoneRow struct {
	Label   string      `json:"label"`
	Kind    ZoneRowKind `json:"kind"`
	Members int64       `json:"members"`          // nodes in it
	Within  bool        `json:"within,omitempty"` // the node is in this zone
	Issuer  string      `json:"issuer"`           // ID of the node that wrote the row
	// when it was last written or confirmed, as far as this node knows
	Written         time.Time         `json:"written"`
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
	Where string `json:"where,omitempty"`
	// absolute path of a file that the node reads, or URL; beside a Document, where that came from
	Source   string `json:"source"`
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

// ZoneMembership is in which zone of the network a node is to be, and by whose word.
type ZoneMembership struct {
	Home string `json:"home"`          // the zone that it is set to be in, or in one below; "/": wherever there is room
	Own  string `json:"own,omitempty"` // the zone that it is in; empty: it is looking for its place

	// Closed says that the node speaks of its zones to those alone that show a certificate, and shows its own.
	Closed bool `json:"closed,omitempty"`
	// Authority is whose functions it accepts, and whose certificates count in a closed network; nil: nobody's.
	Authority   *ZoneAuthority   `json:"authority,omitempty"`
	Certificate *ZoneCertificate `json:"certificate,omitempty"` // the node's own; nil: it has none

	// Attributes are what people had the node say of itself.
	Attributes map[string]string `json:"attributes,omitempty"`

	// Problem is why the node receives nothing of its zones, in one line of plain words. Hint is what to do about it.
	// Empty: no problem is known. Soon says that it is none yet.
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`
	Soon    bool   `json:"soon,omitempty"`
}

// ZoneAuthority is a key that rules zones.
type ZoneAuthority struct {
	Zone        string `json:"zone"` // it and all below
	Fingerprint string `json:"fingerprint"`
}

// ZoneCertificate says what a node may do, and for how long.
type ZoneCertificate struct {
	Zone    string    `json:"zone"` // the node may be in it, or in one below
	Publish bool      `json:"publish,omitempty"`
	Until   time.Time `json:"until"`
}

// ZoneOrder has a node be in a zone from now on. What is empty stays as it was.
type ZoneOrder struct {
	Path string `json:"path"`
	// Certificate is the text that `tidings zone certify` has written for the node.
	Certificate string `json:"certificate,omitempty"`
	// Authority is the text that `tidings zone authority` has written, or the fingerprint of the authority that a
	// certificate's text names.
	Authority string `json:"authority,omitempty"`
	// Closed closes the network as far as the node is concerned. Open opens it again, and forgets certificate and
	// authority.
	Closed bool `json:"closed,omitempty"`
	Open   bool `json:"open,omitempty"`
}

// ZoneInstallation is an aggregation function that an authority has signed, on its way to the nodes of a zone.
type ZoneInstallation struct {
	Zone string `json:"zone"`
	Name string `json:"name"`
	SQL  string `json:"sql"` // empty: the function is revoked
	Time uint32 `json:"time"`
	// Certificate is the chain that leads to the key that has signed, as `tidings zone certify` writes it; empty: nodes
	// trust that key itself.
	Certificate string `json:"certificate,omitempty"`
	Signature   []byte `json:"signature"`
}
