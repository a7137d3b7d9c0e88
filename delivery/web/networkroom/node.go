package networkroom

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// nodePage is another node as one that finds changes, and what people here think of it.
type nodePage struct {
	view.Republisher
	Everybody bool // it stands for all nodes that are not named
	Self      bool
}

// opinionForm is a button by which a person says what to think of a node.
type opinionForm struct{ Node, Do, Name string }

// standingWord says what people here think of a node.
func standingWord(w wording.Words, s tidings.TrustLevel) wording.Word {
	switch s {
	case tidings.Preferred:
		return w.Good("Preferred", "What it finds is always believed, also where all others are distrusted.")
	case tidings.Distrusted:
		return w.Wait("Distrusted", "What it finds is shown once a check of this node has seen it.")
	}
	return w.Idle("Like any other",
		"What it finds is believed, unless all nodes are distrusted that are not preferred.")
}

// maxPenalties bounds the listed penalties; the command line lists all.
const maxPenalties = 50

func shownPenalties(all []view.Penalty) []view.Penalty {
	return all[:min(len(all), maxPenalties)]
}

func morePenalties(all []view.Penalty) int { return max(0, len(all)-maxPenalties) }

// nodeView shows a node.
func (s *room) nodeView(w http.ResponseWriter, r shell.Request) error {
	p, err := s.node.Republisher(r.Context(), r.Field("id"))
	if errors.Is(err, tidings.ErrInvalid) {
		return fmt.Errorf("%w: that is no node’s ID", tidings.ErrNotFound)
	}
	if err != nil {
		return err
	}
	st, err := s.node.Status(r.Context())
	if err != nil {
		return err
	}
	page := nodePage{p, p.Node == view.AllNodes, p.Node == st.ID}
	title := r.Words.Text("Node %s", wording.Cut(p.Node, wording.ShortID))
	if page.Everybody {
		title = r.Words.Text("All other nodes")
	}
	s.Show(w, r, http.StatusOK, "node", shell.View{Title: title, Section: "network", Narrow: true, Said: said(r),
		Body: page})
	return nil
}

// believe does what a person has decided about a node.
func (s *room) believe(w http.ResponseWriter, r shell.Request) error {
	standing, done := tidings.Neutral, "neutral"
	switch r.FormValue("do") {
	case "prefer":
		standing, done = tidings.Preferred, "preferred"
	case "distrust":
		standing, done = tidings.Distrusted, "doubted"
	case "trust":
	default:
		return tidings.Invalidf("nothing to do")
	}
	p, err := s.node.SetRepublisher(r.Context(), r.Field("id"), standing)
	if err != nil {
		return err
	}
	return shell.SeeOther(w, r, nodePath(p.Node)+"&said="+done)
}

func nodePath(id string) string { return "/node?" + url.Values{"id": {id}}.Encode() }
