package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/view"
)

// statusPage shows the state of the node and the reasons for its polls.
type statusPage struct {
	view.Status
	Healths  []healthCount
	Outcomes []outcomeCount
	Halted   []view.Publication // another node publishes with their keys
}

// Publisher is what the page asks of a node that publishes.
type Publisher interface {
	Publications(ctx context.Context) ([]view.Publication, error)
	ResumePublishing(ctx context.Context, channel string) error
}

// allHealths are in the order from well to ill.
var allHealths = []tidings.Health{tidings.HealthGood, tidings.HealthNew, tidings.HealthLimited, tidings.HealthNoisy,
	tidings.HealthFailing, tidings.HealthChallenged, tidings.HealthEnded}

type healthCount struct {
	Health tidings.Health
	Count  int
}

type outcomeCount struct {
	Outcome tidings.Outcome
	Count   int64
}

func (s *site) status(w http.ResponseWriter, r shell.Request) error {
	st, err := s.node.Status(r.Context())
	if err != nil {
		return err
	}
	p := statusPage{Status: st}
	if p.Halted, err = haltedOf(r.Context(), s.publisher); err != nil {
		return err
	}
	for _, h := range allHealths {
		if n := st.ByHealth[h]; n > 0 {
			p.Healths = append(p.Healths, healthCount{h, n})
		}
	}
	for o, n := range st.ByOutcome {
		p.Outcomes = append(p.Outcomes, outcomeCount{o, n})
	}
	slices.SortFunc(p.Outcomes, func(a, b outcomeCount) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return len(a.Outcome) - len(b.Outcome)
	})
	s.Show(w, r, http.StatusOK, "status", shell.View{Title: r.Words.Text("Status"), Section: "settings", Body: p,
		Said: said(r)})
	return nil
}

// haltedOf returns the publications that have stopped because another node publishes with the same key.
func haltedOf(ctx context.Context, p Publisher) ([]view.Publication, error) {
	if p == nil {
		return nil, nil
	}
	all, err := p.Publications(ctx)
	return slices.DeleteFunc(all, func(p view.Publication) bool { return !p.Halted || !p.Stopped.IsZero() }), err
}

// resumePublishing has the node go on with a publication, once the person has confirmed that the other node has ended.
func resumePublishing(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.publisher == nil {
			return tidings.Invalidf("this node does not publish")
		}
		if r.FormValue("ended") != "yes" {
			return tidings.Invalidf("end the publication on the other node first, and confirm that")
		}
		err := s.publisher.ResumePublishing(r.Context(), r.Field("url"))
		if errors.Is(err, tidings.ErrNotFound) {
			err = tidings.Invalidf("this feed has not stopped here, or goes on already")
		}
		if err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/status?said=resumed")
	}
}

func (s *site) help(w http.ResponseWriter, r shell.Request) error {
	s.Show(w, r, http.StatusOK, "help", shell.View{Title: r.Words.Text("Help"), Section: "settings"})
	return nil
}
