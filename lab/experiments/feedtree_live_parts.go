package experiments

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/lab/cost"
)

// pushResults are the times that were measured, in seconds.
type pushResults struct {
	edits  []float64 // from the signature to each listener
	last   []float64 // by edit: from the signature to the last listener
	steady []float64 // from the order to each listener

	published []string // entries
}

// edit edits the watched file.
func (t *pushTown) edit() error {
	r := &t.results
	readers := t.readers[:t.sizes.Readers]
	var noticed []float64
	for i := range t.sizes.Edits {
		next := time.Now().Add(t.sizes.EditEvery)
		story, at, err := t.watched.edit()
		if err != nil {
			return err
		}
		all, err := t.hear(readers, story, pushPatience)
		if err != nil {
			return err
		}
		last := 0.
		var signed time.Time
		for _, reader := range readers {
			if told, ok, _ := reader.of(story); ok {
				signed = told.signed
				took := told.at.Sub(signed).Seconds()
				r.edits, last = append(r.edits, took), max(last, took)
			}
		}
		if all { // else it is lost, which is counted
			r.last, noticed = append(r.last, last), append(noticed, max(0, signed.Sub(at).Seconds()))
		}
		t.run.Part(i+1, t.sizes.Edits)
		if err := sleep(t.ctx, next); err != nil {
			return err
		}
	}
	slices.Sort(r.edits)
	slices.Sort(r.last)
	slices.Sort(noticed)
	t.run.Figure("edits.last_p50_seconds", quantile(r.last, 0.5))
	t.run.Figure("edits.last_p99_seconds", quantile(r.last, 0.99))
	t.run.Figure("edits.last_most_seconds", quantile(r.last, 1))
	t.run.Figure("edits.each_p50_seconds", quantile(r.edits, 0.5))
	t.run.Figure("edits.each_p99_seconds", quantile(r.edits, 0.99))
	t.run.Figure("edits.noticed_p50_seconds", quantile(noticed, 0.5))
	return nil
}

// steady publishes entries at an even rate, and measures how long they take.
func (t *pushTown) steady() error {
	ordered, err := t.publishEntries("heard")
	if err != nil {
		return err
	}
	r := &t.results
	var signed []float64
	deadline := time.Now().Add(pushPatience) // of all
	for entry, at := range ordered {
		if _, err := t.hear(t.readers, entry, time.Until(deadline)); err != nil {
			return err
		}
		for _, reader := range t.readers {
			if told, ok, _ := reader.of(entry); ok {
				r.steady, signed = append(r.steady, told.at.Sub(at).Seconds()), append(signed, told.at.Sub(told.signed).Seconds())
			}
		}
	}
	slices.Sort(r.steady)
	slices.Sort(signed)
	t.run.Figure("steady.p50_seconds", quantile(r.steady, 0.5))
	t.run.Figure("steady.p99_seconds", quantile(r.steady, 0.99))
	t.run.Figure("steady.most_seconds", quantile(r.steady, 1))
	t.run.Figure("steady.signed_p50_seconds", quantile(signed, 0.5))
	t.run.Figure("steady.signed_p99_seconds", quantile(signed, 0.99))
	return nil
}

// costs publishes entries to which nobody listens, and measures what that costs.
func (t *pushTown) costs() error {
	t.deafen()
	t.ears.Wait()
	rest := cost.CPU()
	if err := sleep(t.ctx, time.Now().Add(t.sizes.Steady)); err != nil {
		return err
	}
	rest = cost.CPU() - rest
	before, err := t.sent()
	if err != nil {
		return err
	}
	cpu := cost.CPU()
	entries, err := t.publishEntries("unheard")
	if err != nil {
		return err
	}
	if err := sleep(t.ctx, time.Now().Add(time.Second)); err != nil { // for the last ones
		return err
	}
	if err := t.awaitEntries(); err != nil { // a delivery that is not paid for yet must not count as one
		return err
	}
	cpu = cost.CPU() - cpu
	after, err := t.sent()
	if err != nil {
		return err
	}
	length, err := t.entryLength()
	if err != nil {
		return err
	}
	deliveries := float64(len(entries) * len(t.readers))
	t.run.Figure("cost.entry_bytes", float64(length))
	t.run.Figure("cost.sent_of_payload", float64(after-before)/deliveries/float64(length))
	t.run.Figure("cost.cpu_seconds", cpu.Seconds()/deliveries)
	t.run.Figure("cost.rest_cpu_seconds", rest.Seconds()/deliveries)
	return nil
}

// awaitEntries waits until all readers have stored all entries that were published. If that takes too long, the
// tally finds out what was lost.
func (t *pushTown) awaitEntries() error {
	published, err := t.publisher.Publications(t.ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(published, func(p tidings.Publication) bool { return p.Channel == t.entries.url })
	if at < 0 {
		return errors.New("the entries are published no more")
	}
	for _, r := range t.readers {
		if ok, err := t.awaitNumber(r, t.entries.url, published[at].Items); err != nil || !ok {
			return err
		}
	}
	return nil
}

// sent is how many bytes all nodes have given to their streams. The publisher that is killed is one of them: in a small
// ring it may be the root of another's tree, and hand most entries down.
func (t *pushTown) sent() (sum uint64, err error) {
	views := []func(context.Context) (tidings.Network, error){t.victim.Client().Network}
	for _, m := range t.crowd.Members() {
		views = append(views, m.Node().Network)
	}
	for _, look := range views {
		view, err := look(t.ctx)
		if err != nil {
			return 0, err
		}
		for _, kind := range view.Traffic {
			sum += kind.SentBytes
		}
	}
	return sum, nil
}

// publishEntries publishes entries at an even rate and returns when each was ordered.
func (t *pushTown) publishEntries(name string) (ordered map[string]time.Time, err error) {
	chance := newChance(t.run.Seed() + uint64(len(t.results.published)))
	ordered = make(map[string]time.Time)
	var publishing sync.WaitGroup
	failures := make([]error, t.sizes.entries())
	begin := time.Now()
	for i := range failures {
		if err := sleep(t.ctx, begin.Add(time.Duration(i)*time.Second/time.Duration(t.sizes.Rate))); err != nil {
			break
		}
		e := t.entry(fmt.Sprint(name, "-", i), chance)
		ordered[e.ID] = time.Now()
		t.results.published = append(t.results.published, e.ID)
		publishing.Go(func() { _, failures[i] = t.publisher.PublishEntry(t.ctx, t.entries.url, "", e) })
		t.run.Part(i+1, len(failures))
	}
	publishing.Wait()
	return ordered, errors.Join(append(failures, t.ctx.Err())...)
}

// newChance returns what entries are drawn from.
func newChance(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0xe17)) }

// entry makes an entry of chance. A parcel is packed to what was drawn, and has a name, a title and a mark besides.
func (t *pushTown) entry(id string, chance *rand.Rand) tidings.PublishedEntry {
	text := make([]byte, t.sizes.Bytes*6/7)
	for i := range text {
		text[i] = byte(chance.Uint32())
	}
	return tidings.PublishedEntry{ID: id, Title: "Entry " + id, HTML: "<p>" + base64.URLEncoding.EncodeToString(text) + "</p>"}
}
