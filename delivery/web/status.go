package web

import (
	"net/http"
	"slices"

	"tidings"
)

// statusPage tells how the node is and why it polls when it does.
type statusPage struct {
	tidings.Status
	Healths  []healthCount
	Outcomes []outcomeCount
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

func (s *site) status(w http.ResponseWriter, r request) error {
	st, err := s.node.Status(r.Context())
	if err != nil {
		return err
	}
	p := statusPage{Status: st}
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
	s.show(w, r, http.StatusOK, "status", view{Title: "Status", Section: "settings", Body: p})
	return nil
}

func (s *site) help(w http.ResponseWriter, r request) error {
	s.show(w, r, http.StatusOK, "help", view{Title: "Help", Section: "settings"})
	return nil
}
