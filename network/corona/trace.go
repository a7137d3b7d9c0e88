package corona

// Told says what the primary of a channel that this node subscribes to has told of how it is polled; see Node.Inquire.
type Told struct{ Fact Fact }
