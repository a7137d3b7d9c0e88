package xmpp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/iq"
	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

// Bounds of a crew.
const (
	lead       = 2 * time.Second  // that the primary has before another node asks for a message
	outage     = time.Minute      // after which a message that finds no stream has failed
	askAgain   = 5 * time.Second  // when what another has is asked for again
	settleTime = time.Second      // in which the server says which other nodes are there
	askTimeout = 15 * time.Second // for an answer of another node

	pullTimeout = time.Minute      // for all that addresses follow, before the node joins
	pullEvery   = 10 * time.Minute // how often that is compared
)

var errNoCarbons = errors.New("the XMPP server has no message carbons (XEP-0280), without which nodes cannot share an account")

// crew is the nodes that share an account, as this one sees them: which are there, which of them sends and answers
// what, and what waits for that. Its parts ask others, answer them, and exchange what addresses follow.
type crew struct {
	account, resource string
	link              link
	log               *slog.Logger
	again             func(request) // answers a command after all
	settle            time.Duration // settleTime
	requests          *iq.Requests
	service           *service
	followings        followings
	flights           *flights
	done              tally // parts of messages that this node is done with

	mu      sync.Mutex
	state   *share.State
	ctx     context.Context // of the stream
	end     context.CancelFunc
	problem error
	strikes strikes
	watched watchers
	open    openCommands
	recent  recent
}

func newCrew(account, resource string, client link, c Config) *crew {
	w := &crew{
		account: account, resource: resource, link: client, log: c.Logger, settle: settleTime,
		requests: iq.New(account, client.Write), followings: followings{c.Shared, c.Limits.Subscriptions, c.Logger},
		flights: new(flights),
		state:   share.New(resource), strikes: make(strikes),
	}
	w.service = newService(client.Write, w, w.followings, w.flights)
	w.ctx, w.end = context.WithCancel(context.Background())
	w.end()
	return w
}

// trouble returns why nothing is sent; nil if something may be.
func (w *crew) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.problem
}

// twice reports whether a command has come before: to this node, and as a copy of what came to another.
func (w *crew) twice(e *stream.Element) bool {
	if e.Get("id") == "" {
		return false
	}
	name := partName(e.Get("from"), e.Get("id"))
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.recent.twice(name)
}

// up begins a stream.
func (w *crew) up() {
	w.down()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ctx, w.end = context.WithCancel(context.Background())
	go w.join(w.ctx)
}

// down ends what belongs to a stream.
func (w *crew) down() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
	w.state.Begin()
	w.problem = nil
	clear(w.strikes)
	w.requests.End()
}

// join learns what the others know, and keeps up with it until the stream ends.
//
// The order matters. Carbons come before presence: so whatever another node sends after it has seen this one is copied
// here. What it has sent before, it reports when it is asked.
func (w *crew) join(ctx context.Context) {
	if _, err := w.requests.Ask(ctx, askTimeout, "set", "", stream.New(nsCarbons, "enable")); err != nil {
		if ctx.Err() == nil {
			w.log.Warn("nothing is sent by XMPP", "reason", errNoCarbons, "error", err)
			w.mu.Lock()
			w.problem = errNoCarbons
			w.mu.Unlock()
		}
		return
	}
	if w.link.Write(stream.New("", "presence").With(stream.New("", "priority").Says("1"))) != nil {
		return
	}
	if _, err := w.requests.Ask(ctx, askTimeout, "get", domainOf(w.account), stream.New(nsPing, "ping")); err != nil {
		w.log.Debug("the XMPP server answers no ping", "error", err)
	}
	if !sleep(ctx, w.settle) {
		return
	}
	others := w.others()
	for _, other := range others {
		if err := w.pullSeen(ctx, other); err != nil && ctx.Err() == nil {
			w.log.Warn("another node of the XMPP account does not say what it has sent; messages may come twice",
				"node", other, "error", err)
		}
	}
	pulling, cancel := context.WithTimeout(ctx, pullTimeout)
	for _, other := range others {
		w.pullFollowings(pulling, other)
	}
	cancel()
	w.mu.Lock()
	if ctx.Err() != nil {
		w.mu.Unlock()
		return
	}
	w.state.Join()
	w.mu.Unlock()
	w.log.Info("the XMPP account is shared", "others", len(others))
	w.turn()
	for n := 0; sleep(ctx, pullEvery); n++ {
		if others := w.others(); len(others) > 0 {
			w.pullFollowings(ctx, others[n%len(others)])
		}
	}
}

func sleep(ctx context.Context, wait time.Duration) bool {
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// others are the resources of the other nodes.
func (w *crew) others() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Others()
}

// pullSeen learns what another node knows to be sent.
func (w *crew) pullSeen(ctx context.Context, other string) error {
	timeout := flightTimeout // of the first page
	return pullSeen(func(after *stream.Element) (*stream.Element, error) {
		answer, err := w.askNode(ctx, timeout, "get", other, after, "seen")
		timeout = askTimeout
		return answer, err
	}, func(keys []share.Key) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.state.Saw(keys)
	})
}

// pullFollowings learns what addresses follow by another node.
func (w *crew) pullFollowings(ctx context.Context, other string) {
	err := w.followings.pull(ctx, func(after *stream.Element) (*stream.Element, error) {
		return w.askNode(ctx, askTimeout, "get", other, after, "followings")
	})
	if err != nil && ctx.Err() == nil {
		w.log.Warn("another node of the XMPP account does not say what addresses follow; it is asked again later",
			"node", other, "error", err)
	}
}

// askNode asks another node, and returns the element of its answer. A node that never answers counts as gone.
func (w *crew) askNode(ctx context.Context, timeout time.Duration, kind, other string, content *stream.Element,
	element string) (*stream.Element, error) {
	answer, err := w.requests.Ask(ctx, timeout, kind, w.account+"/"+other, content)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	w.mu.Lock()
	gone := w.strikes.asked(other, !errors.Is(err, context.DeadlineExceeded)) && w.state.Leave(other)
	w.mu.Unlock()
	if gone {
		w.log.Warn("another node of the XMPP account does not answer; it counts as gone", "node", other)
		w.turn()
	}
	if err != nil {
		return nil, err
	}
	part := answer.Child(nsAccount, element)
	if part == nil {
		return nil, fmt.Errorf("the answer has no %s", element)
	}
	return part, nil
}

// handle receives a stanza, and reports whether it was for the crew. inner is a message that somebody sent to the
// account and another stream got.
func (w *crew) handle(e *stream.Element) (inner *stream.Element, done bool) {
	from := e.Get("from")
	if e.Local == "iq" && (e.Get("type") == "result" || e.Get("type") == "error") {
		return nil, w.requests.Receive(e)
	}
	// Carbons are from the account itself. A stranger's are no carbons (CVE-2017-5589), and are no messages to answer
	// either.
	if e.Local == "message" {
		if from == w.account {
			return w.onCarbon(e), true
		}
		return nil, false
	}
	other, own := strings.CutPrefix(from, w.account+"/")
	if !own || other == w.resource || !strings.HasPrefix(other, nodePrefix) {
		return nil, false
	}
	switch e.Local {
	case "presence":
		w.onPresence(e, other)
		return nil, true
	case "iq":
		if len(e.Children) == 1 && e.Children[0].Space == nsAccount {
			w.mu.Lock()
			ctx := w.ctx
			w.mu.Unlock()
			w.service.onRequest(ctx, e, other, e.Children[0])
			return nil, true
		}
	}
	return nil, false
}

func (w *crew) onPresence(e *stream.Element, other string) {
	changed := false
	w.mu.Lock()
	switch e.Get("type") {
	case "":
		changed = w.state.Appear(other)
		delete(w.strikes, other)
	case "unavailable", "error":
		changed = w.state.Leave(other)
	}
	w.mu.Unlock()
	if changed {
		w.log.Info("the nodes of the XMPP account have changed", "node", other, "present", e.Get("type") == "")
		w.turn()
	}
}

// turn looks again at all that waits, since primaries may have changed.
func (w *crew) turn() {
	w.mu.Lock()
	if !w.state.Joined() {
		w.mu.Unlock()
		return
	}
	wake := w.watched.removeAll()
	mine := w.open.remove(func(bare string) bool { return w.state.Primary(bare) == w.resource }, time.Now())
	w.mu.Unlock()
	for _, again := range wake {
		again()
	}
	for _, r := range mine {
		w.again(r)
	}
}

// onCarbon receives a copy of a message. It returns one that somebody sent to the account and another stream got.
func (w *crew) onCarbon(e *stream.Element) (inner *stream.Element) {
	received, sent, to := readCarbon(e, w.account)
	if sent != nil {
		w.onSent(sent, to)
	}
	return received
}

// onSent notes what another node has sent to an address.
func (w *crew) onSent(m *stream.Element, to string) {
	part := m.Child(nsAccount, "parts")
	var wake []func()
	w.mu.Lock()
	if part != nil {
		w.state.Saw(keysOf(to, readParts(part.Text)))
		wake = w.watched.remove(to)
	} else if m.Child("", "body") != nil {
		w.open.answered(to)
	}
	w.mu.Unlock()
	for _, again := range wake {
		again()
	}
}

// answers reports whether this node answers an address.
func (w *crew) answers(bare string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Joined() && w.state.Primary(bare) == w.resource
}

// leave reports whether another node answers a command. If that node ends before it has, this one does.
func (w *crew) leave(r request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.Joined() && w.state.Primary(r.bare) == w.resource {
		return false
	}
	w.open.add(r, time.Now())
	return true
}

// note sends what a command of an address has changed to the other nodes.
func (w *crew) note(ctx context.Context, address string) {
	others := w.others()
	for _, page := range w.followings.changed(ctx, address) {
		for _, other := range others {
			// A node that does not get it learns of it when it compares what addresses follow.
			_ = w.link.Write(stream.New("", "iq", "type", "set", "to", w.account+"/"+other, "id", newID()).With(page))
		}
	}
}

// page implements ledger.
func (w *crew) page(after uint64, most int) (keys []share.Key, last uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Page(after, most)
}

// grantTo implements ledger.
func (w *crew) grantTo(other, address string, keys []share.Key) (granted []int, wait bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Claim(other, address, keys, time.Now())
}

// held is why a message is not sent now.
func (w *crew) held(l load, epoch uint64, by string, after time.Duration) error {
	return &outbox.Held{By: by, After: after, Watch: func(again func()) {
		w.mu.Lock()
		if w.state.Epoch() == epoch && len(w.state.Unsent(l.keys)) > 0 {
			w.watched.add(l.target, l.address, again) // without room it is tried after the wait
			again = func() {}
		}
		w.mu.Unlock()
		again()
	}}
}

const (
	byJoining = "this node does not know yet what other nodes have sent"
	byOther   = "another node sends it"
)

// ready reports whether something is to be sent of a message now. The error is an outbox.Held.
func (w *crew) ready(l load) (todo bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	epoch := w.state.Epoch()
	switch wait := lead - time.Since(l.made); {
	case w.problem != nil:
		return false, w.problem
	case !w.state.Joined():
		if problem := w.link.Problem(); problem != nil && time.Since(l.made) > outage {
			return false, problem
		}
		return false, w.held(l, epoch, byJoining, askAgain)
	case len(w.state.Unsent(l.keys)) == 0:
		return false, nil
	case w.state.Primary(l.address) != w.resource && wait > 0:
		return false, w.held(l, epoch, byOther, wait)
	}
	return true, nil
}

// claim returns the indexes of the parts that this node is to send now; none: all are sent. It then calls landed with
// the outcome.
func (w *crew) claim(ctx context.Context, l load) (granted []int, landed func(error), err error) {
	over := w.flights.begin() // before the grant: a node that joins then waits for what comes of it
	defer func() {
		if len(granted) == 0 {
			over()
		}
	}()
	w.mu.Lock()
	epoch, primary := w.state.Epoch(), w.state.Primary(l.address)
	wait := false
	if primary == w.resource {
		granted, wait = w.state.Claim(w.resource, l.address, l.keys, time.Now())
	} else {
		w.mu.Unlock()
		granted, wait, err = w.askPrimary(ctx, primary, l)
		w.mu.Lock()
	}
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.log.Debug("the primary of an address does not answer", "error", err)
		return nil, nil, w.held(l, w.state.Epoch(), byOther, askAgain)
	case wait || w.state.Epoch() != epoch || !w.state.Joined():
		return nil, nil, w.held(l, w.state.Epoch(), byOther, askAgain)
	case len(granted) == 0:
		w.state.Saw(l.keys)
		return nil, nil, nil
	}
	return granted, func(err error) {
		defer over()
		w.mu.Lock()
		defer w.mu.Unlock()
		if err == nil {
			w.state.Saw(l.keys)
		} else {
			w.state.Release(w.resource, l.keys)
		}
	}, nil
}

// askPrimary asks the primary of an address which parts this node may send.
func (w *crew) askPrimary(ctx context.Context, primary string, l load) (granted []int, wait bool, err error) {
	answer, err := w.askNode(ctx, askTimeout, "get", primary, claimElement(l.address, "", l.parts), "claim")
	if err != nil {
		return nil, false, err
	}
	granted, wait = readGrant(answer, l.parts)
	return granted, wait, nil
}
