package feedtree

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"tidings"
	"tidings/lab"
	"tidings/lab/cpu"
	"tidings/lab/experiments/wording"
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

	edits   []float64 // from the signature to each listener
	last    []float64 // by edit: from the signature to the last listener
	noticed []float64 // by edit: from the write to the signature
	steady  []float64 // from the order to each listener
	signed  []float64 // from the signature to each listener

	costs   costs
	slowest float64 // until all have what was edited while a publisher was down, since its restart
	items   uint64  // of the publisher that is killed
	gaps    int     // readers that lack one of its numbers
	tally   livenet.Tally
}

// costs are those of a delivery, with storing, but for the first.
type costs struct {
	entry float64 // bytes of an entry, as it travels
	sent  float64 // bytes that nodes send, as a share of that
	cpu   float64 // seconds of the processor
	rest  float64 // of that, the load of nodes at rest
}

// follow has the readers subscribe, and waits until they rely on pushes.
func (p *pushes) follow() {
	w := p.sizes.workload(p.run.Seed())
	p.run.Must(p.net.Play(livenet.Phase{Events: w.Begin(0), Await: true}))
	p.run.Must(p.net.AwaitPushed())
}

func edited(publisher, channel int, at time.Duration) livenet.Event {
	return livenet.Event{At: at, Do: livenet.Edit, Node: publisher, Channels: []int{channel}}
}

func (p *pushes) edit() {
	for i := range p.sizes.Edits {
		edit := livenet.Phase{For: p.sizes.EditEvery, Events: []livenet.Event{edited(pushPublisher, pushWatched, 0)},
			Await: true}
		p.run.Must(p.net.Play(edit))
		p.run.Part(i+1, p.sizes.Edits)
	}
	facts := p.net.Facts(pushWatched)
	last, noticed, lost := make([]float64, len(facts)), make([]float64, len(facts)), make([]bool, len(facts))
	for v := range p.net.Verdicts(pushWatched, facts, livenet.Rules{}) {
		if len(v.Notified) == 0 { // which the tally counts
			lost[v.Fact] = true
			continue
		}
		elapsed := (v.Notified[0].Received - v.Notified[0].Found).Seconds()
		p.edits, last[v.Fact] = append(p.edits, elapsed), max(last[v.Fact], elapsed)
		noticed[v.Fact] = max(0, (v.Notified[0].Found - facts[v.Fact].Made).Seconds())
	}
	for f := livenet.OldStories; f < len(facts); f++ {
		if !lost[f] {
			p.last, p.noticed = append(p.last, last[f]), append(p.noticed, noticed[f])
		}
	}
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

// steadily publishes entries, and measures how soon they arrive.
func (p *pushes) steadily() {
	phase := p.entries()
	phase.Await = true
	p.run.Must(p.net.Play(phase))
	facts := p.net.Facts(pushEntries)
	for v := range p.net.Verdicts(pushEntries, facts, livenet.Rules{}) {
		if len(v.Notified) > 0 {
			notified := v.Notified[0]
			p.steady = append(p.steady, (notified.Received - facts[v.Fact].Made).Seconds())
			p.signed = append(p.signed, (notified.Received - notified.Found).Seconds())
		}
	}
}

// publishUnheard publishes entries to which nobody listens, and measures what that costs.
func (p *pushes) publishUnheard() {
	p.net.Deafen()
	defer p.net.Listen()
	rest := cpu.Time()
	p.run.Must(p.net.Wait(p.sizes.Steady))
	rest = cpu.Time() - rest
	before, err := p.net.Sent()
	p.run.Must(err)
	busy := cpu.Time()
	p.run.Must(p.net.Play(p.entries()))
	p.run.Must(p.net.Wait(time.Second)) // for the last ones
	// A delivery that is not paid for yet must not count as one. The tally finds out what is lost.
	_, _, err = p.net.AwaitNumbers(pushEntries, gapPatience)
	p.run.Must(err)
	busy = cpu.Time() - busy
	after, err := p.net.Sent()
	p.run.Must(err)
	length, err := p.entryLength()
	p.run.Must(err)
	deliveries := float64(p.sizes.entries() * (p.sizes.Nodes - 1))
	p.costs = costs{float64(length), float64(after-before) / deliveries / float64(length), busy.Seconds() / deliveries,
		rest.Seconds() / deliveries}
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
	whole := changeset.Set{Kind: tidings.KindFeed,
		Items: []feed.Carried{{FoundItem: feed.Match(nil, doc)[0], Whole: true}}}
	packed, err := whole.Encode()
	return len(packed), err
}

// kill kills a publisher right after its file was edited. It edits the file while the publisher is down and after it is
// back. It counts the readers that lack any of its numbers in the end.
func (p *pushes) kill() {
	chance := rand.New(rand.NewPCG(p.run.Seed(), 0x6b11))
	for i := range p.sizes.Kills {
		at := time.Duration(chance.IntN(60)) * time.Millisecond
		down := livenet.Phase{Events: []livenet.Event{
			edited(pushVictim, pushKilled, 0), {At: at, Do: livenet.Kill, Node: pushVictim},
			edited(pushVictim, pushKilled, at),
		}}
		p.run.Must(p.net.Play(down))
		began := time.Now()
		p.run.Must(p.net.Play(livenet.Phase{Events: []livenet.Event{{Do: livenet.Start, Node: pushVictim}},
			Await: true}))
		p.slowest = max(p.slowest, time.Since(began).Seconds())
		p.run.Must(p.net.Play(livenet.Phase{Events: []livenet.Event{edited(pushVictim, pushKilled, 0)}, Await: true}))
		p.run.Part(i+1, p.sizes.Kills)
	}
	var err error
	p.items, p.gaps, err = p.net.AwaitNumbers(pushKilled, gapPatience)
	p.run.Must(err)
}

const gapPatience = time.Minute

func (p *pushes) plot() {
	p.run.Plot(wording.Plots("feedtree-live", p.sizes)("push-delays", p.sizes.Nodes-1).With(
		plot.CDF("edits, each reader", p.edits), plot.CDF("edits, the last reader", p.last),
		plot.CDF("entries", p.steady)))
}
