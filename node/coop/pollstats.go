package coop

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"time"

	"tidings"
	"tidings/source"
	"tidings/store/db"
	"tidings/view"
)

// pollsSetting is where the store keeps what was counted.
const pollsSetting = "work"

// hoursKept is how many hours are counted separately: a day.
const hoursKept = 24

// tally is view.PollCounts in parts of polls.
type tally struct {
	Own       float64 `json:"own"`
	ForOthers float64 `json:"for_others"`
	ByOthers  float64 `json:"by_others"`
	Readers   float64 `json:"readers"`
}

func (l *tally) add(m tally) {
	l.Own += m.Own
	l.ForOthers += m.ForOthers
	l.ByOthers += m.ByOthers
	l.Readers += m.Readers
}

func (l tally) whole() view.PollCounts {
	round := func(n float64) int64 { return int64(math.Round(n)) }
	return view.PollCounts{Own: round(l.Own), ForOthers: round(l.ForOthers), ByOthers: round(l.ByOthers),
		Readers: round(l.Readers)}
}

// pollStats counts which node polls for which, as it concerns this node. What it has counted outlives the node.
type pollStats struct {
	mu       sync.Mutex
	kept     kept
	reckoned time.Time // until when it is known what others polled; zero: nothing was recalled
}

// kept is what is stored of pollStats.
type kept struct {
	Since time.Time `json:"since"`
	All   tally     `json:"all"`
	Hours []hour    `json:"hours"` // the latest last, at most hoursKept
}

// hour is the polls of an hour, numbered since 1970.
type hour struct {
	Hour  int64 `json:"hour"`
	Polls tally `json:"polls"`
}

// recall goes on from what was stored; what cannot be read begins anew.
func (p *pollStats) recall(text string) (err error) {
	now := time.Now()
	k := kept{Since: now}
	if text != "" {
		if err = json.Unmarshal([]byte(text), &k); err != nil {
			k = kept{Since: now}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept, p.reckoned = k, now
	return err
}

// save stores what was counted.
func (p *pollStats) save(ctx context.Context, in *db.DB) error {
	p.mu.Lock()
	text, err := json.Marshal(p.kept)
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("writing what was counted of polls: %w", err)
	}
	return in.SetSetting(ctx, pollsSetting, string(text))
}

// add counts polls. Where the clock was put back they count for the latest hour that there is.
func (p *pollStats) add(now time.Time, l tally) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := &p.kept
	this, last := now.Unix()/3600, len(k.Hours)-1
	if last < 0 || k.Hours[last].Hour < this {
		k.Hours = append(k.Hours, hour{Hour: this})
		last++
	}
	k.Hours[last].Polls.add(l)
	k.All.add(l)
	if over := len(k.Hours) - hoursKept; over > 0 {
		k.Hours = append(k.Hours[:0], k.Hours[over:]...)
	}
}

// summary sums up the last day and everything.
func (p *pollStats) summary(now time.Time) (s view.CoopStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var day tally
	for _, h := range p.kept.Hours {
		if h.Hour > now.Unix()/3600-hoursKept {
			day.add(h.Polls)
		}
	}
	s.Day, s.All, s.Since = day.whole(), p.kept.All.whole(), p.kept.Since
	return s
}

// count counts a poll of a shared channel, if its origin was asked.
func (p *pollStats) count(job source.Job, r source.Result) {
	o := r.Poll.Outcome
	if o == tidings.OutcomeNone || o == tidings.OutcomeRefused || o == tidings.OutcomeLimited && r.Poll.Status == 0 {
		return
	}
	if job.Guest {
		p.add(time.Now(), tally{ForOthers: 1})
	} else {
		p.add(time.Now(), tally{Own: 1})
	}
}

// since returns since when it is not known what was polled elsewhere, and goes on from now. known is false if nothing
// was recalled.
func (p *pollStats) since(now time.Time) (since time.Time, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since = p.reckoned; !since.IsZero() {
		p.reckoned = now
	}
	return since, !since.IsZero()
}
