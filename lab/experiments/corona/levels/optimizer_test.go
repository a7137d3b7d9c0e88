package levels

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/honeycomb"
)

// planned is the plan of a channel's primary on a ring of 256 nodes. Both share two digits.
type planned struct {
	primary plan.Primary
}

func (p *planned) Known() plan.Known {
	return plan.Known{
		Config: plan.Config{Interval: 30 * time.Minute, Maintenance: time.Hour, LoadInPolls: true, Digit: 4},
		Nodes:  256, Primaries: []plan.Primary{p.primary},
	}
}

func (p *planned) Choose(_ engine.ID, s machine.Size) { p.primary.Size = s }

func (p *planned) choose(o *Optimizer, readers uint32) {
	p.primary.Factors.Subscribers = readers
	own := o.Own()
	o.Choose(&own, nil)
}

func newPlanned() (*planned, *Optimizer) {
	p := &planned{plan.Primary{Channel: engine.ID{0x57}, Size: machine.Alone, Most: 256,
		Factors: honeycomb.Factors{Subscribers: 40}}}
	return p, &Optimizer{of: p, env: enginetest.NewEnv(engine.Peer{ID: engine.ID{0x57, 1}})}
}

// Sets are wedges of whole digits: as large as the readers of the only channel pay for.
func TestWedgesAreOfWholeDigits(t *testing.T) {
	p, o := newPlanned()
	for readers, want := range map[uint32]machine.Size{
		1: machine.Alone, 40: {Bits: 4, Run: 1}, 1000: {Bits: 0, Run: 1},
	} {
		if p.choose(o, readers); p.primary.Size != want {
			t.Errorf("%d readers: size %v, want %v", readers, p.primary.Size, want)
		}
	}
}

// A primary that has not chosen yet reports a channel as polled by as many as its subscribers pay for. Once it has
// chosen to poll alone, it reports that. A channel whose origin wants a single poller is in the slack cluster.
func TestOwnersReportWhatWasChosen(t *testing.T) {
	p, o := newPlanned()
	// level returns the least level of which something is reported; -1: none.
	level := func() int {
		s := o.Own()
		for l, b := range s.Other.(*Clusters).Of.Levels {
			if len(b.Bins) > 0 {
				return l
			}
		}
		return -1
	}
	before := level()
	p.choose(o, 1)
	p.primary.Factors.Subscribers = 40
	if after := level(); before < 0 || after <= before {
		t.Errorf("it reports level %d before, and %d after it has chosen", before, after)
	}
	p.primary.Most = 1
	s := o.Own()
	if slack := s.Other.(*Clusters).Of.Slack.Channels; slack != 1 || level() >= 0 {
		t.Errorf("of a channel whose origin wants one poller %d are in the slack cluster", slack)
	}
}

// Merged summaries are those of all; a message without valid clusters is none.
func TestSummariesAddUp(t *testing.T) {
	_, o := newPlanned()
	own := o.Own()
	both := o.Merge([]*plan.Summary{&own, {}, &own})
	for i, x := range both.Totals {
		if x != 2*own.Totals[i] || x == 0 {
			t.Errorf("total %d is %v, twice %v", i, x, own.Totals[i])
		}
	}
	if s, ok := o.Read(&plan.Aggregate{Other: both.Other}); !ok || s.Sum != both.Sum || s.Totals != both.Totals {
		t.Errorf("it reads %+v, %v", s, ok)
	}
	for _, a := range []plan.Aggregate{{}, {Other: &Clusters{Aggregate{Slack: Cluster{Channels: 1}}}}} {
		if _, ok := o.Read(&a); ok {
			t.Errorf("%+v is read", a.Other)
		}
	}
}
