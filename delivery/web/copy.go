package web

import (
	"fmt"

	"tidings"
)

// copyText says how this node has a file that it cannot hand out so far.
func copyText(c *tidings.Copy) string {
	switch c.State {
	case tidings.CopyFetching:
		return fmt.Sprintf("on its way to this node: %d %%", c.Percent)
	case tidings.CopyWaiting:
		return "not on this node so far; others are asked for it"
	default:
		return "not on this node: nobody has it, or there is no room"
	}
}
