package node

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

// workSetting is where the store keeps the books.
const workSetting = "work"

// hoursKept is how many hours the books tell apart: a day.
const hoursKept = 24

// polls is tidings.Work in parts of polls.
type polls struct {
	Own       float64 `json:"own"`
	ForOthers float64 `json:"for_others"`
	ByOthers  float64 `json:"by_others"`
	Readers   float64 `json:"readers"`
}

func (l *polls) add(m polls) {
	l.Own += m.Own
	l.ForOthers += m.ForOthers
	l.ByOthers += m.ByOthers
	l.Readers += m.Readers
}

func (l polls) whole() tidings.PollCounts {
	round := func(n float64) int64 { return int64(math.Round(n)) }
	return tidings.PollCounts{Own: round(l.Own), ForOthers: round(l.ForOthers), ByOthers: round(l.ByOthers), Readers: round(l.Readers)}
}

// books count the work that nodes do for each other, as it concerns this one. They outlive it.
type books struct {
	mu   sync.Mutex
	kept kept
}

// kept is what is stored of books.
type kept struct {
	Since time.Time `json:"since"`
	All   polls     `json:"all"`
	Hours []hour    `json:"hours"` // the latest last, at most hoursKept
}

// hour is the polls of an hour, numbered since 1970.
type hour struct {
	Hour  int64 `json:"hour"`
	Polls polls `json:"polls"`
}

// recall goes on from what was stored; books that cannot be read begin anew.
func (b *books) recall(text string, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = kept{Since: now}
	if text == "" {
		return nil
	}
	var k kept
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return fmt.Errorf("reading the books: %w", err)
	}
	b.kept = k
	return nil
}

func (b *books) text() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := json.Marshal(b.kept)
	return string(text), err
}

// add counts polls. Where the clock was put back they count for the latest hour that there is.
func (b *books) add(now time.Time, l polls) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := &b.kept
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
func (b *books) tell(now time.Time) (s tidings.CoopStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var day polls
	for _, h := range b.kept.Hours {
		if h.Hour > now.Unix()/3600-hoursKept {
			day.add(h.Polls)
		}
	}
	s.Day, s.All, s.Since = day.whole(), b.kept.All.whole(), b.kept.Since
	return s
}

// polls counts a poll of a shared channel, if its origin was asked.
func (s *sharing) polls(w source.Job, r source.Result) {
	o := r.Poll.Outcome
	if o == tidings.OutcomeNone || o == tidings.OutcomeRefused || o == tidings.OutcomeLimited && r.Poll.Status == 0 {
		return
	}
	if w.Guest {
		s.books.add(time.Now(), polls{ForOthers: 1})
	} else {
		s.books.add(time.Now(), polls{Own: 1})
	}
}

// reckon counts what was looked elsewhere, and would have been polled by readers, since it was
// reckoned last. It returns false if the books are not open.
func (s *sharing) reckon(now time.Time) bool {
	s.mu.Lock()
	if s.reckoned.IsZero() {
		s.mu.Unlock()
		return false
	}
	elapsed := now.Sub(s.reckoned)
	s.reckoned = now
	var sum polls
	for _, c := range s.channels {
		if c.readers == 0 {
			continue
		}
		interval, others := s.terms().Interval, 0
		if s.knows(c, now) {
			interval, others = time.Duration(c.fact.Interval)*time.Millisecond, int(c.fact.Pollers)
			if c.polls() {
				others--
			}
		}
		turns := float64(elapsed) / float64(interval)
		sum.Readers += turns * float64(c.readers)
		sum.ByOthers += turns * float64(max(0, others))
	}
	s.mu.Unlock()
	if sum != (polls{}) {
		s.books.add(now, sum)
	}
	return true
}

// reckonEvery is how often it is reckoned what others poll, by what is known of them at that time.
const reckonEvery = time.Minute

// keepBooks reckons, and asks primaries once a maintenance interval, until ctx ends.
func (s *sharing) keepBooks(ctx context.Context) {
	for {
		maintenance := s.terms().Maintenance
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(reckonEvery, maintenance)):
		}
		now := time.Now()
		s.reckon(now)
		if due := s.factsDue(now, maintenance); len(due) > 0 {
			s.inquire(ctx, due)
		}
	}
}

// factsDue returns the channels of which primaries have told nothing for so long.
func (s *sharing) factsDue(now time.Time, after time.Duration) (urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		if c.acked && c.readers > 0 && now.Sub(c.toldAt) >= after && now.Sub(c.asked) >= min(after, reckonEvery) {
			urls = append(urls, c.url)
		}
	}
	return urls
}

// openBooks reads what was counted in former runs.
func (n *Node) openBooks(ctx context.Context) error {
	text, err := n.store.Setting(ctx, workSetting)
	if err != nil {
		return err
	}
	now := time.Now()
	if err := n.sharing.books.recall(text, now); err != nil {
		n.log.Warn("what was counted of looks made together is lost; counting begins anew", "error", err)
	}
	n.sharing.mu.Lock()
	defer n.sharing.mu.Unlock()
	n.sharing.reckoned = now
	return nil
}

func (n *Node) saveBooks(ctx context.Context) error {
	if n.sharing == nil || !n.sharing.reckon(time.Now()) {
		return nil
	}
	text, err := n.sharing.books.text()
	if err != nil {
		return err
	}
	return n.store.SetSetting(ctx, workSetting, text)
}

// Sharing tells how this node polls together with others.
func (n *Node) CoopStatus(ctx context.Context) (s tidings.CoopStatus, err error) {
	if n.sharing != nil {
		now := time.Now()
		n.sharing.reckon(now)
		s = n.sharing.books.tell(now)
		terms := n.sharing.terms()
		s.Params, s.Own, s.Agreed, s.Refused = termsOf(terms.Agreement), termsOf(n.sharing.own()), terms.settled, terms.refused
		s.ByTrees = len(n.sharing.trees())
		s.Pushes = n.pushes.counts()
	}
	s.Republishers = n.republishers.counts()
	s.Detection, err = n.detection.get(ctx, n.store.Detection)
	return s, err
}

// detectionFresh is how long the distribution of detection times is told as it was read last: it
// takes longer to read than all else on a page.
const detectionFresh = 5 * time.Second

// detections remembers the distribution of detection times.
type detections struct {
	mu   sync.Mutex
	at   time.Time
	last tidings.Detection
}

func (d *detections) get(ctx context.Context, read func(context.Context) (tidings.Detection, error)) (tidings.Detection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.at) < detectionFresh {
		return d.last, nil
	}
	last, err := read(ctx)
	if err == nil {
		d.last, d.at = last, time.Now()
	}
	return last, err
}
