package corona

import (
	"time"

	"tidings/network/engine"
)

// What a node traces. The structs are values with plain fields.
type (
	// Agreed says that this node has settled on parameters, with others or alone; Changed, that
	// they are not those of its Config.
	Agreed struct {
		Params  Agreement
		Changed bool
	}

	// Disagreed says that most of those around use parameters that this node does not take over.
	Disagreed struct {
		Params Agreement
		Why    string
	}

	// Told says what the primary of a channel that this node subscribes to has told of how it is
	// polled; see Node.Inquire.
	Told struct{ Fact Fact }
	// Divided says that this node, as an owner of a host, has divided its requests among so many
	// channels, which have so many readers as far as is proved.
	Divided struct {
		Host     engine.ID
		Channels int
		Readers  float64
	}

	// Certified says that this node, as primary, has a permit to have a channel polled at a level,
	// or alone so often.
	Certified struct {
		Channel engine.ID
		Bits    int
		Every   time.Duration
	}

	// Patient says that this node does not poll a host for so long, for the channels that it is
	// primary of, as the host's owners say.
	Patient struct {
		Host engine.ID
		Wait time.Duration
	}

	// Uncertified says that this node was told to poll a channel without proof that its host's
	// owners let it.
	Uncertified struct {
		Channel engine.ID
		From    engine.ID
	}
)
