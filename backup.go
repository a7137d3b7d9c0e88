package tidings

import (
	"errors"
	"os"
)

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

// AppearAs names a file that is written whole; link is os.Link. Unlike a rename, a link never replaces a file that came
// meanwhile, which is ErrExists. On a file system without links the file is renamed, unless another is there.
func AppearAs(part, file string, link func(from, to string) error) error {
	err := link(part, file)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(file); errors.Is(err, os.ErrExist) || there == nil {
		return ErrExists
	}
	return os.Rename(part, file)
}
