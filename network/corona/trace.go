package corona

// Told reports the answer of a channel's primary to Inquire.
type Told struct{ Fact Fact }
