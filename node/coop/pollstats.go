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
)

// workSetting is where the store keeps what was counted.
const workSetting = "work"

// hoursKept is how many hours are counted separately: a day.
const hoursKept = 24

// tally is tidings.PollCounts in parts of polls.
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

func (l tally) whole() tidings.PollCounts {
	round := func(n float64) int64 { return int64(math.Round(n)) }
	return tidings.PollCounts{Own: round(l.Own), ForOthers: round(l.ForOthers), ByOthers: round(l.ByOthers), Readers: round(l.Readers)}
}

// pollStats counts which node polls for which, as it concerns this node. What it has counted outlives the node.
type pollStats struct {
	*core

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
func (p *pollStats) recall(ctx context.Context) error {
	text, err := p.config.Store.DB.Setting(ctx, workSetting)
	if err != nil {
		return err
	}
	now := time.Now()
	k := kept{Since: now}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			p.config.Log.Warn("what was counted of polls made together is lost; counting begins anew", "error", err)
			k = kept{Since: now}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept, p.reckoned = k, now
	return nil
}

// save stores what was counted, if that was recalled before.
func (p *pollStats) save(ctx context.Context) error {
	if !p.reckon(time.Now()) {
		return nil
	}
	p.mu.Lock()
	text, err := json.Marshal(p.kept)
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("writing what was counted of polls: %w", err)
	}
	return p.config.Store.DB.SetSetting(ctx, workSetting, string(text))
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

// tell sums up the last day and everything.
func (p *pollStats) tell(now time.Time) (s tidings.CoopStatus) {
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

// reckon counts what was polled elsewhere, and would have been polled by readers, since that was
// reckoned last. It returns false if nothing was recalled.
func (p *pollStats) reckon(now time.Time) bool {
	p.mu.Lock()
	since := p.reckoned
	if !since.IsZero() {
		p.reckoned = now
	}
	p.mu.Unlock()
	if since.IsZero() {
		return false
	}
	var sum tally
	p.each(func(c *channel) {
		if c.readers == 0 {
			return
		}
		interval, others := p.params.now().Interval, 0
		if p.knows(c, now) {
			interval, others = time.Duration(c.fact.Interval)*time.Millisecond, int(c.fact.Pollers)
			if c.isPolled() {
				others--
			}
		}
		turns := float64(now.Sub(since)) / float64(interval)
		sum.Readers += turns * float64(c.readers)
		sum.ByOthers += turns * float64(max(0, others))
	})
	if sum != (tally{}) {
		p.add(now, sum)
	}
	return true
}

// reckonEvery is how often it is reckoned what others poll, by what is known of them at that time.
const reckonEvery = time.Minute

// run reckons, and asks primaries once a maintenance interval, until ctx ends.
func (p *pollStats) run(ctx context.Context) {
	for {
		maintenance := p.params.now().Maintenance
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(reckonEvery, maintenance)):
		}
		now := time.Now()
		p.reckon(now)
		if due := p.factsDue(now, maintenance); len(due) > 0 {
			p.primaries.inquire(ctx, due)
		}
	}
}

// factsDue returns the channels without a report of their primaries for the time after.
func (p *pollStats) factsDue(now time.Time, after time.Duration) (urls []string) {
	p.each(func(c *channel) {
		if c.acked && c.readers > 0 && now.Sub(c.toldAt) >= after && now.Sub(c.asked) >= min(after, reckonEvery) {
			urls = append(urls, c.url)
		}
	})
	return urls
}

// Penalties are what this node has against others, the latest first.
func (c *Coop) Penalties() []tidings.Penalty { return c.penalties.list(time.Now()) }

// Status returns how this node polls together with others.
func (c *Coop) Status() tidings.CoopStatus {
	now := time.Now()
	c.polls.reckon(now)
	s := c.polls.tell(now)
	p := c.Params()
	s.Params, s.Own, s.Agreed, s.Refused = paramsOf(p.Agreement), paramsOf(c.params.own()), p.Settled, p.Refused
	s.ByTrees = len(c.ByTrees())
	s.Penalties = c.Penalties()
	return s
}
