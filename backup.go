package tidings

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
