package tidings

import "time"

// Archived is an older entry of a channel: a published item as the network's archive has it, or what an
// archive document of the origin's (RFC 5005) lists.
type Archived struct {
	Number   uint64    `json:"number,omitempty"`    // of the published item; 0: it is the origin's
	Time     time.Time `json:"time,omitzero"`       // as its publisher has signed; else as the origin claims
	SignedBy string    `json:"signed_by,omitempty"` // fingerprint of the publisher's key
	Document string    `json:"document,omitempty"`  // URL of the origin's archive document
	Items    []Item    `json:"items"`
}

// Keeping tells what a node keeps for the network's archive.
type Keeping struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
	Quota int64 `json:"quota"` // bytes at most; 0: nothing is kept
}
