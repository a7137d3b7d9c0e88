package corona

import "tidings/network/corona/roster"

// owned is an owner's record of a channel, besides the machines' own records.
type owned struct{ *roster.Owned }
