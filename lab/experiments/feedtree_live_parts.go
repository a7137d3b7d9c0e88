package experiments

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings"
	"tidings/lab"
	"tidings/lab/cost"
	"tidings/lab/livenet"
	"tidings/lab/plot"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// pushes is a run, and the times that were measured, in seconds.
type pushes struct {
	run   *lab.Run
	sizes pushSizes
	net   *livenet.Net

	edits  []float64 // from the signature to each listener
	last   []float64 // by edit: from the signature to the last listener
	steady []float64 // from the order to each listener
}

// follow has the readers subscribe, and waits until they rely on pushes.
func (p *pushes) follow() error {
	w := p.sizes.workload(p.run.Seed())
	if err := p.net.Play(livenet.Phase{Events: w.Begin(0), Await: true}); err != nil {
		return err
	}
	return p.net.AwaitPushed()
}

// give sorts times, and hands over some of their quantiles as figures.
func (p *pushes) give(name string, seconds []float64, shares ...float64) {
	slices.Sort(seconds)
	for _, share := range shares {
		quantity := "most"
		if share < 1 {
			quantity = fmt.Sprintf("p%.0f", 100*share)
		}
		p.run.Figure(name+quantity+"_seconds", quantile(seconds, share))
	}
}

// edited is an edit of a publisher's file.
func edited(publisher, channel int, at time.Duration) livenet.Event {
	return livenet.Event{At: at, Do: livenet.Edit, Node: publisher, Channels: []int{channel}}
}

// edit edits the watched file.
func (p *pushes) edit() error {
	for i := range p.sizes.Edits {
		edit := livenet.Phase{For: p.sizes.EditEvery, Events: []livenet.Event{edited(pushPublisher, pushWatched, 0)}, Await: true}
		if err := p.net.Play(edit); err != nil {
			return err
		}
		p.run.Part(i+1, p.sizes.Edits)
	}
	facts := p.net.Facts(pushWatched)
	last, noticed, lost := make([]float64, len(facts)), make([]float64, len(facts)), make([]bool, len(facts))
	for v := range p.net.Verdicts(pushWatched, facts, livenet.Rules{}) {
		if len(v.Told) == 0 { // which the tally counts
			lost[v.Fact] = true
			continue
		}
		took := (v.Told[0].Heard - v.Told[0].Found).Seconds()
		p.edits, last[v.Fact] = append(p.edits, took), max(last[v.Fact], took)
		noticed[v.Fact] = max(0, (v.Told[0].Found - facts[v.Fact].Made).Seconds())
	}
	var signed []float64
	for f := livenet.OldStories; f < len(facts); f++ {
		if !lost[f] {
			p.last, signed = append(p.last, last[f]), append(signed, noticed[f])
		}
	}
	p.give("edits.last_", p.last, 0.5, 0.99, 1)
	p.give("edits.each_", p.edits, 0.5, 0.99)
	p.give("edits.noticed_", signed, 0.5)
	return nil
}

// entries is a steady time in which entries are published at an even rate.
func (p *pushes) entries() (phase livenet.Phase) {
	for i := range p.sizes.entries() {
		phase.Events = append(phase.Events, livenet.Event{
			At: time.Duration(i) * time.Second / time.Duration(p.sizes.Rate),
			Do: livenet.Publish, Node: pushPublisher, Channels: []int{pushEntries}, Bytes: p.sizes.Bytes,
		})
	}
	return phase
}

// steadily publishes entries, and measures how long they take.
func (p *pushes) steadily() error {
	phase := p.entries()
	phase.Await = true
	if err := p.net.Play(phase); err != nil {
		return err
	}
	facts := p.net.Facts(pushEntries)
	var signed []float64
	for v := range p.net.Verdicts(pushEntries, facts, livenet.Rules{}) {
		if len(v.Told) > 0 {
			told := v.Told[0]
			p.steady = append(p.steady, (told.Heard - facts[v.Fact].Made).Seconds())
			signed = append(signed, (told.Heard - told.Found).Seconds())
		}
	}
	p.give("steady.", p.steady, 0.5, 0.99, 1)
	p.give("steady.signed_", signed, 0.5, 0.99)
	return nil
}

// costs publishes entries to which nobody listens, and measures what that costs.
func (p *pushes) costs() error {
	p.net.Deafen()
	defer p.net.Listen()
	rest := cost.CPU()
	if err := p.net.Wait(p.sizes.Steady); err != nil {
		return err
	}
	rest = cost.CPU() - rest
	before, err := p.net.Sent()
	if err != nil {
		return err
	}
	cpu := cost.CPU()
	if err := p.net.Play(p.entries()); err != nil {
		return err
	}
	if err := p.net.Wait(time.Second); err != nil { // for the last ones
		return err
	}
	// A delivery that is not paid for yet must not count as one. The tally finds out what is lost.
	if _, _, err := p.net.AwaitNumbers(pushEntries, gapPatience); err != nil {
		return err
	}
	cpu = cost.CPU() - cpu
	after, err := p.net.Sent()
	if err != nil {
		return err
	}
	length, err := p.entryLength()
	if err != nil {
		return err
	}
	deliveries := float64(p.sizes.entries() * (p.sizes.Nodes - 1))
	p.run.Figure("cost.entry_bytes", float64(length))
	p.run.Figure("cost.sent_of_payload", float64(after-before)/deliveries/float64(length))
	p.run.Figure("cost.cpu_seconds", cpu.Seconds()/deliveries)
	p.run.Figure("cost.rest_cpu_seconds", rest.Seconds()/deliveries)
	return nil
}

// entryLength returns how many bytes an entry has as it travels, before it is numbered and signed.
func (p *pushes) entryLength() (int, error) {
	e := livenet.Entry(p.run.Seed(), 0, p.sizes.Bytes)
	b, err := json.Marshal(map[string]any{
		"version": "https://jsonfeed.org/version/1.1",
		"items":   []any{map[string]any{"id": e.ID, "title": e.Title, "content_html": e.HTML}},
	})
	if err != nil {
		return 0, err
	}
	doc, err := feed.Parse(b, "application/feed+json", p.net.URL(pushEntries), feed.Default())
	if err != nil {
		return 0, fmt.Errorf("reading an entry: %w", err)
	}
	whole := changeset.Set{Kind: tidings.KindFeed, Items: []feed.Carried{{FoundItem: feed.Match(nil, doc)[0], Whole: true}}}
	packed, err := whole.Encode()
	return len(packed), err
}

// kill kills a publisher right after its file was edited, edits the file while it is down and after it is back, and counts the
// readers that lack any of its numbers in the end.
func (p *pushes) kill() error {
	chance := rand.New(rand.NewPCG(p.run.Seed(), 0x6b11))
	slowest := 0.
	for i := range p.sizes.Kills {
		at := time.Duration(chance.IntN(60)) * time.Millisecond
		down := livenet.Phase{Events: []livenet.Event{
			edited(pushVictim, pushKilled, 0), {At: at, Do: livenet.Kill, Node: pushVictim}, edited(pushVictim, pushKilled, at),
		}}
		if err := p.net.Play(down); err != nil {
			return err
		}
		began := time.Now()
		if err := p.net.Play(livenet.Phase{Events: []livenet.Event{{Do: livenet.Start, Node: pushVictim}}, Await: true}); err != nil {
			return err
		}
		slowest = max(slowest, time.Since(began).Seconds())
		if err := p.net.Play(livenet.Phase{Events: []livenet.Event{edited(pushVictim, pushKilled, 0)}, Await: true}); err != nil {
			return err
		}
		p.run.Part(i+1, p.sizes.Kills)
	}
	items, gaps, err := p.net.AwaitNumbers(pushKilled, gapPatience)
	p.run.Figure("killed.back_most_seconds", slowest)
	p.run.Figure("killed.items", float64(items))
	p.run.Figure("killed.gaps", float64(gaps))
	return err
}

// gapPatience is how long a gap may last.
const gapPatience = time.Minute

// plot plots how long items take.
func (p *pushes) plot() {
	s := p.sizes
	p.run.Plot(plot.Plot{
		Name: "push-delays", Title: "From the publisher to its readers", OfMachine: true,
		Caption: fmt.Sprintf("%s nodes over libp2p in one process. Edits of a watched file: %d, to %d readers, since the publisher's node has signed. "+
			"Entries: %d a second for %s, to %d readers, since they were ordered. Up to the listener at each reader's API, after storing.",
			count(s.Nodes), s.Edits, s.Readers, s.Rate, s.Steady, s.Nodes-1),
		X: plot.Axis{Label: "time", Unit: "s", Log: true}, Y: plot.Axis{Label: "share", Share: true},
		Series: []plot.Series{
			plot.CDF("edits, each reader", p.edits), plot.CDF("edits, the last reader", p.last),
			plot.CDF("entries", p.steady),
		},
	})
}
