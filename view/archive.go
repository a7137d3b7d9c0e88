package view

import (
	"io"
	"time"

	"tidings"
)

// Archived is an older entry of a channel: a published item as the network's archive has it, or what an
// archive document of the origin's (RFC 5005) lists.
type Archived struct {
	Number   uint64         `json:"number,omitempty"`    // of the published item; 0: it is the origin's
	Time     time.Time      `json:"time,omitzero"`       // as its publisher has signed; else as the origin claims
	SignedBy string         `json:"signed_by,omitempty"` // fingerprint of the publisher's key
	Document string         `json:"document,omitempty"`  // URL of the origin's archive document
	Place    int            `json:"place,omitempty"`     // in that document, from 1
	Items    []tidings.Item `json:"items"`
}

// ArchiveQuery says which older entries of a channel are wanted. They come the newest first.
type ArchiveQuery struct {
	Since time.Time // none that are older

	// Where to go on: below a published item's number, or behind some places of an archive document of the origin's.
	// Zero: from the latest.
	Before   uint64
	Document string
	Places   int

	// Lacking leaves out the items that can be read here already. Entries without items then say how far the search
	// has come, so that a reader that stops waiting can go on there.
	Lacking bool
}

// Behind returns the query that goes on behind an entry.
func (q ArchiveQuery) Behind(a Archived) ArchiveQuery {
	q.Before, q.Document, q.Places = a.Number, a.Document, a.Place
	return q
}

// OpenedFile is a file that is here as a whole.
type OpenedFile struct {
	Name    string    // under which it is saved
	Type    string    // media type, as its publisher says; may be none
	Changed time.Time // when the first item with it came
	Content io.ReadSeeker
}

// BackupOrder asks for a copy of a node's data.
type BackupOrder struct {
	NoKeys bool `json:"no_keys,omitempty"` // leave out the keys that the node publishes with
}

// Backup says what a copy of a node's data has.
type Backup struct {
	Bytes   int64 `json:"bytes"`              // of the whole copy
	Keys    int   `json:"keys"`               // publishers' keys, private halves and all
	LeftOut int   `json:"left_out,omitempty"` // publishers' keys that are not in it
}
