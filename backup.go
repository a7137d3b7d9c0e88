package tidings

// BackupOrder asks for a copy of a node's data.
type BackupOrder struct {
	File   string `json:"file"`              // absolute path; must not be there
	NoKeys bool   `json:"no_keys,omitempty"` // leave out the keys that the node publishes with
}

// Backup tells what a copy of a node's data has beside the store.
type Backup struct {
	Keys    int `json:"keys"`               // publishers' keys, private halves and all
	LeftOut int `json:"left_out,omitempty"` // of them: where it was to be written, others could have read them
}
