package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings/network/engine"
)

// Config says what the world is like. Start from Default.
type Config struct {
	// Seed is what all chance comes from.
	Seed uint64

	// Codec knows the messages of all protocols that run. It counts their bytes.
	Codec *engine.Codec

	// Wire passes every message through the codec, so that no node can see another's memory and nothing travels that
	// cannot be encoded. Costs about a microsecond a message.
	Wire bool

	// Latency is how long a message is under way; 50 ms if nil.
	Latency Latency

	// Detect is how long after a message found nobody its sender learns by PeerDown.
	// Live, it is the time-out of a connection.
	Detect time.Duration

	// Connections makes nodes notice that a peer crashed, stopped or was cut off with which they exchanged a message
	// within Idle, without sending to it again: as live nodes do when connections die. Without it, only a node that
	// sends learns it. It costs some 100 ns a message, and 16 bytes a connection at either end.
	Connections bool

	// Idle is how long a connection stays open after its last message. A node holds 256
	// at most.
	Idle time.Duration

	// Faults are those of the whole network from the beginning. See SetFaults.
	Faults Faults

	// Queue is how many messages wait at most: at a node that is slow or paused, and in
	// each direction at a node with a bounded bandwidth. At least 1.
	Queue int

	// AddressBytes is the length of every node's address, so that messages are as long
	// as live ones. At least 4.
	AddressBytes int

	// IDWork is how many bits of work IDs have that are admissible; see engine.Admitter. What others send is lost, as
	// no node accepts it, and so is what is sent to them.
	IDWork int

	// Prefix returns in which part of the network a node lives; see engine.Prefixer. Nil: nothing is known of that.
	Prefix func(Node) string

	// Epoch is the wall clock's time when the world begins.
	Epoch time.Time

	// CountByNode counts messages by node and kind, for NodeKindCount: 24 bytes for each
	// kind at every node. Otherwise they are counted by node, and by kind.
	CountByNode bool
}

// Default returns a world in which messages need 50 ms and nothing fails.
func Default(codec *engine.Codec) Config {
	return Config{
		Seed: 1, Codec: codec, Latency: Constant(50 * time.Millisecond),
		Detect: 5 * time.Second, Idle: 2 * time.Minute, Queue: 1024, AddressBytes: 52,
		Epoch: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
	}
}

// admits reports whether all of some IDs are admissible.
func (c *Config) admits(ids ...engine.ID) bool {
	return c.IDWork == 0 || !slices.ContainsFunc(ids, func(id engine.ID) bool { return id.Work() < c.IDWork })
}

// Validate returns what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.Codec == nil:
		return errors.New("no codec")
	case c.AddressBytes < 4:
		return fmt.Errorf("addresses of %d bytes, where 4 are the least", c.AddressBytes)
	case c.Queue < 1:
		return errors.New("no room in queues")
	case c.IDWork < 0 || c.IDWork > engine.MaxIDWork:
		return fmt.Errorf("IDs of %d bits of work, where 0 to %d can be", c.IDWork, engine.MaxIDWork)
	case c.Detect < 0 || c.Idle < 0:
		return errors.New("a time below zero")
	}
	if err := c.Faults.Validate(); err != nil {
		return fmt.Errorf("faults: %w", err)
	}
	return nil
}
