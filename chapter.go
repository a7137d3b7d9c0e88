package tidings

import "time"

// MaxChapters bounds the chapters of an item.
const MaxChapters = 200

// Chapters are the parts of a recording that an item carries.
type Chapters struct {
	// List is in the order of their beginnings; at most MaxChapters. Empty: Address leads to them.
	List []Chapter `json:"list,omitempty"`
	// Address is that of a document with them, in JSON (Podcasting 2.0); empty: there is none.
	Address string `json:"address,omitempty"`
}

// Chapter is one part of a recording.
type Chapter struct {
	At    time.Duration `json:"at"`    // nanoseconds from the beginning of the recording
	Title string        `json:"title"` // plain text, never empty
	URL   string        `json:"url,omitempty"`
}
