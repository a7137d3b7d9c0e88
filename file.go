package tidings

import (
	"io"
	"time"
)

// File is what a publisher has signed of a file that an item carries: nodes hand it on to each other.
type File struct {
	URL    string   // at its origin
	Type   string   // media type
	Length int64    // bytes
	Ref    [32]byte // names the bytes; see network/pieces
}

// CopyState says whether a node has a file.
type CopyState string

// The states of a Copy.
const (
	CopyHere     CopyState = "here"     // all of it
	CopyFetching CopyState = "fetching" // other nodes are sending it
	CopyWaiting  CopyState = "waiting"  // nobody has sent it so far; it is asked for again
	CopyNowhere  CopyState = "nowhere"  // it is asked for no longer: nobody has it, or there is no room
)

// Copy says how this node has a file whose bytes the publisher has signed. Whatever the state, the origin's address
// stands.
type Copy struct {
	State   CopyState `json:"state"`
	Percent int       `json:"percent"`        // of it that is here
	Length  int64     `json:"length"`         // bytes, as the publisher has signed them
	Path    string    `json:"path,omitempty"` // of the node's own page, where it can be downloaded; empty: not so far
	Ref     string    `json:"ref"`            // names the bytes: 64 hexadecimal digits
}

// OpenedFile is a file that is here as a whole.
type OpenedFile struct {
	Name    string    // under which it is saved
	Type    string    // media type, as its publisher says; may be none
	Changed time.Time // when the first item with it came
	Content io.ReadSeeker
}
