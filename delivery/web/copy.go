package web

import (
	"fmt"
	"net/http"

	"tidings"
)

// fetchFile has other nodes asked again for a file of an entry.
func (s *site) fetchFile(w http.ResponseWriter, r request) error {
	if _, err := s.node.FetchFile(r.Context(), r.account, r.field("ref")); err != nil {
		return err
	}
	return seeOther(w, r, fmt.Sprintf("/entry/%d?said=fetching", r.number("entry")))
}

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
