package believe

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

type (
	// Equivocated is traced if a node is proved to have assigned one number to two contents.
	Equivocated struct {
		Channel engine.ID
		Version uint64
		Giver   engine.ID
	}
	// Contradicted reports that the origin shows this node the content before a version that others attest to have
	// seen. Shown: this node has shown the version.
	Contradicted struct {
		Channel        engine.ID
		Version        uint64
		Hash           update.Hash
		FoundBy, Giver engine.ID
		Seen           []engine.ID // the witnesses
		Shown          bool
	}
)
