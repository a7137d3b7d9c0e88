package websub

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
)

// maxProven bounds the domains and machines that are remembered.
const maxProven = 50_000

// errUnproven says that a connection for deliveries would lead to a machine that has accepted nothing for its domain.
var errUnproven = errors.New("nothing was accepted for the domain at that address")

// proven remembers which machines have accepted something for which domains. A callback is confirmed once, and its name
// may lead elsewhere later: to a machine that wants none of what is delivered. The zero value remembers nothing. Its
// methods may be called by many goroutines at once.
type proven struct {
	mu    sync.Mutex
	known map[[2]string]bool // by domain and machineOf
}

// attemptKey is where a context has its attempt.
type attemptKey struct{}

// attempt is a delivery to a callback of a domain.
type attempt struct {
	domain  string
	refused atomic.Bool // an address of its name
}

// isUnproven reports whether an error of the delivery means two things: nothing was sent, and an address was left out
// that might have accepted it.
func (a *attempt) isUnproven(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, errUnproven) || a.refused.Load() && ok && dial.Op == "dial"
}

// add notes that a machine has accepted something for a domain. Beyond the bound all is forgotten: the next delivery to
// each counts as an unproven one.
func (p *proven) add(domain, machine string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= maxProven {
		p.known = make(map[[2]string]bool)
	}
	p.known[[2]string{domain, machine}] = true
}

// connect is the function Also of a guard. It returns errUnproven for a machine that has accepted nothing for the
// domain of the attempt in ctx.
func (p *proven) connect(ctx context.Context, to netip.AddrPort) error {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return errUnproven
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[[2]string{a.domain, machineOf(to.Addr())}] {
		return nil
	}
	a.refused.Store(true)
	return errUnproven
}
