package corona

import "tidings/network/corona/roster"

// owned is what an owner knows of a channel, besides what the machines keep themselves.
type owned struct{ *roster.Owned }
