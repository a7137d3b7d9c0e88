package version

import (
	"slices"
	"time"

	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// What the parts ask of the node. Each implements its part's Host. The parts have host in common.
type (
	host        struct{ *Machine }
	reportHost  struct{ host }
	believeHost struct{ host }
	deliverHost struct{ host }
)

// After calls f later, and does what f returns.
func (h host) After(d time.Duration, f func() update.Steps) engine.Timer {
	return h.Env.After(d, func() { h.route(f()) })
}

// Channel returns a channel that this node polls, owns or subscribes to, else one without a URL.
func (h host) Channel(channel engine.ID) Channel {
	if passed, _ := h.seams.Plan.Polled(channel); passed.URL != "" {
		return passed
	}
	if o := h.owned(channel); o != nil {
		return o.Channel()
	}
	if wanted, ok := h.seams.Roster.Wanted(channel); ok {
		return wanted
	}
	return Channel{ID: channel}
}

// Makes reports whether this node makes versions of a channel, and Relay makes the library keep them for that.
func (h host) Makes(channel engine.ID) bool { return h.duties.makes(channel) }
func (h host) Relay(channel engine.ID)      { h.duties.relay(channel) }

// Poll polls a channel out of turn.
func (h host) Poll(c Channel) { h.seams.Poller.Verify(c) }

func (h reportHost) Header(channel engine.ID) update.Header { return h.believe.HeaderOf(channel) }
func (h reportHost) FoundAs(u *update.Update)               { h.believe.FoundAs(u) }
func (h reportHost) Floor(channel engine.ID) uint64         { return h.deliver.Floor(channel) }
func (h reportHost) Limited(channel engine.ID, waits bool)  { h.seams.Host.Limited(channel, waits) }
func (h reportHost) Suspected(e report.Suspected)           { h.seams.Host.Suspected(e) }

// Poll does not begin a poll while this node polls the channel for a report that it checks: that one serves both.
func (h believeHost) Poll(c Channel) {
	if !h.report.IsChecking(c.ID) {
		h.host.Poll(c)
	}
}

func (h believeHost) CouldOwn(channel, node engine.ID) bool {
	return h.seams.Roster.CouldOwn(channel, node)
}

func (h believeHost) Owns(channel engine.ID) bool {
	owners, _ := h.owners(channel)
	return slices.ContainsFunc(owners, h.IsSelf)
}

func (h believeHost) MayPoll(channel engine.ID) (c Channel, may bool) {
	c = h.Channel(channel)
	return c, c.URL != "" && h.seams.Ceilings.LetsReaders(c) && !h.report.WantsFewer(c.ID)
}

func (h believeHost) Readers(channel engine.ID) int       { return h.seams.Roster.Readers(channel) }
func (h believeHost) Nodes() (about, least, most int)     { return h.seams.Plan.CountNodes() }
func (h believeHost) WantsFew(channel engine.ID) bool     { return h.report.WantsFew(channel) }
func (h believeHost) Contradicted(e believe.Contradicted) { h.seams.Host.Contradicted(e) }

func (h deliverHost) Wants(channel engine.ID) (c Channel, wants bool) {
	return h.Channel(channel), h.duties.wants(channel)
}

func (h deliverHost) Witnesses(channel engine.ID, version uint64) (seen []update.Attestation, asked, awaited bool) {
	return h.believe.Seen(channel, version)
}

func (h deliverHost) Believes(u *update.Update) bool { return h.believe.Believes(u) }
func (h deliverHost) Sealed(u *update.Update) bool   { return h.believe.Sealed(u) }
func (h deliverHost) Noisy(channel engine.ID) bool   { return h.report.Noisy(channel) }
func (h deliverHost) State(channel engine.ID) State  { return h.seams.Host.State(channel) }
func (h deliverHost) Carried(e deliver.Carried)      { h.seams.Host.Carried(e) }

// gapPoller implements deliver.Poller.
type gapPoller struct {
	Poller
	m *Machine
}

func (p gapPoller) PollForGap(c Channel) bool { return p.m.report.PollForGap(c) }
