package livenet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Play lets a phase happen. It returns an error if an event is not possible, or if a node reports what no node may
// report: updates or versions out of their order.
func (n *Net) Play(p Phase) error {
	if err := n.work.check(p); err != nil {
		return fmt.Errorf("playing a phase: %w", err)
	}
	begin := time.Now()
	lanes := make(map[int][]Event)
	for _, e := range p.Events {
		lanes[e.Node] = append(lanes[e.Node], e)
	}
	all, ctx := errgroup.WithContext(n.ctx)
	for _, events := range lanes { // their order is of no account: each has a goroutine of its own
		all.Go(func() error {
			for _, e := range events {
				if err := sleep(ctx, begin.Add(e.At)); err != nil {
					return err
				}
				if e.Do == Publish {
					all.Go(func() error { return n.do(ctx, e) })
				} else if err := n.do(ctx, e); err != nil {
					return err
				}
			}
			return nil
		})
	}
	all.Go(func() error { return n.pass(ctx, begin, p.For) })
	if err := all.Wait(); err != nil {
		return err
	}
	if p.Await {
		if err := n.awaitNotifications(); err != nil {
			return err
		}
	}
	return n.unheard()
}

// unheard returns why some nodes are listened to no more; nil: all are.
func (n *Net) unheard() error {
	var errs []error
	for _, node := range n.Nodes {
		errs = append(errs, node.err())
	}
	return errors.Join(errs...)
}

// pass lets time pass until so much of it has since a phase began, if all nodes can be listened to.
func (n *Net) pass(ctx context.Context, begin time.Time, d time.Duration) error {
	for passed := time.Since(begin); passed < d; passed = time.Since(begin) {
		if n.options.Progress != nil {
			n.options.Progress(int(passed/time.Millisecond), int(d/time.Millisecond))
		}
		if err := n.unheard(); err != nil {
			return err
		}
		if err := sleep(ctx, begin.Add(min(passed+time.Second, d))); err != nil {
			return err
		}
	}
	return nil
}

// do lets an event happen.
func (n *Net) do(ctx context.Context, e Event) (err error) {
	switch e.Do {
	case Subscribe:
		err = n.Nodes[e.Node].subscribe(ctx, e.Channels)
	case Unsubscribe:
		err = n.Nodes[e.Node].unsubscribe(ctx, e.Channels)
	case Start:
		err = n.Nodes[e.Node].start(ctx)
	case Stop, Kill:
		err = n.Nodes[e.Node].end()
	case Edit:
		for _, c := range e.Channels {
			err = errors.Join(err, n.sites[c].edit())
		}
	case Send:
		for _, c := range e.Channels {
			err = errors.Join(err, n.send(ctx, n.Nodes[e.Node], c, e.Desk))
		}
	case Publish, Revise, Withdraw:
		for _, c := range e.Channels {
			err = errors.Join(err, n.sites[c].publish(ctx, n.Nodes[e.Node], n.URL(c), e))
		}
	default:
		err = errors.New("there is no such action")
	}
	if err != nil {
		return fmt.Errorf("%s by node %d: %w", e.Do, e.Node, err)
	}
	return nil
}

// Until asks again and again whether something has happened, until it has. That patience is over before is an error.
func (n *Net) Until(what string, happened func() (bool, error)) error {
	ok, err := n.within(Patience, pause, happened)
	if err == nil && !ok {
		err = fmt.Errorf("after %s this is not so: %s", Patience, what)
	}
	return err
}

// awaitNotifications waits until the subscribers that are up have reported all that was edited and published, or
// patience is over. The judge finds what is missing then.
func (n *Net) awaitNotifications() error {
	deadline := time.Now().Add(Patience)
	for i, s := range n.sites {
		if s == nil {
			continue
		}
		facts := n.Facts(i)
		for f := s.awaited; f < len(facts); f++ {
			for _, node := range n.subscribers(i) {
				_, err := n.within(time.Until(deadline), 5*time.Millisecond, func() (bool, error) {
					return node.notified(i, int32(f), facts[f]), node.err()
				})
				if err != nil {
					return err
				}
			}
		}
		s.awaited = len(facts)
	}
	return nil
}

// subscribers returns the nodes that are up and follow a channel.
func (n *Net) subscribers(channel int) (all []*Node) {
	for _, node := range n.Nodes {
		node.mu.Lock()
		s := node.follows[channel]
		node.mu.Unlock()
		if up := node.Up; len(s) > 0 && s[len(s)-1].Until == Endless && len(up) > 0 && up[len(up)-1].To == Endless {
			all = append(all, node)
		}
	}
	return all
}
