package corona

import (
	"tidings/network"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// What tests need besides of package version and those below it.
type (
	Header       = update.Header
	Heard        = report.Heard
	Verify       = update.Verify
	Verified     = update.Verified
	Commit       = deliver.Commit
	Routed       = deliver.Routed
	Missing      = deliver.Missing
	Equivocation = believe.Equivocation
	Found        = report.Found
	Dropped      = report.Dropped
	FalseReport  = report.FalseReport
	Refused      = update.Refused
	Missed       = deliver.Missed
	Why          = update.Why
)

// Values of the types above.
const (
	Equivocal = update.Equivocal
	Stranger  = update.Stranger
)

// SealAs signs an update as its finder and its giver, with the given keys.
func SealAs(u *Update, keys engine.Keys, self engine.Peer) *Update {
	sealed := *u
	sealed.FoundBy, sealed.Seal = self.ID, Seal{Finder: self.Address, Giver: self}
	sealed.Seal.Found = keys.Sign(sealed.ReportWords())
	h := sealed.Header()
	sealed.Seal.Given = keys.Sign(h.Words())
	return &sealed
}

// NameFinder names a finder in an update, with a signature that may be another's, and signs the update as its giver.
func NameFinder(u *Update, finder engine.Peer, found []byte, keys engine.Keys, giver engine.Peer) *Update {
	sealed := *u
	sealed.FoundBy, sealed.Seal = finder.ID, Seal{Finder: finder.Address, Found: found, Giver: giver}
	h := sealed.Header()
	sealed.Seal.Given = keys.Sign(h.Words())
	return &sealed
}

// HeaderAs returns a version's header, signed with the given keys.
func HeaderAs(channel engine.ID, version uint64, hash Hash, keys engine.Keys, giver engine.Peer) Header {
	h := Header{Channel: channel, Version: version, Hash: hash, Giver: giver}
	h.Given = keys.Sign(h.Words())
	return h
}

// KnownEquivocator reports whether a node is known here to equivocate.
func (n *Node) KnownEquivocator(id engine.ID) bool { return n.version.IsEquivocator(id) }

// GoBy has a node go by another router, as if those around it did.
func (n *Node) GoBy(r network.RouterName) error {
	a, _ := n.settle.Params()
	a.Router = r
	return paramsHost{n}.Adopt(a)
}
