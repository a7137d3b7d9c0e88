package push

import (
	"context"
	"fmt"
	"strconv"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
)

// forgive relies again on a channel's publisher that has signed two items for one number. It remembers up to which
// number that is forgiven, as others go on reporting it. The caller holds the host's lock of the channel.
func (p *Pushes) forgive(ctx context.Context, id engine.ID) error {
	p.mu.Lock()
	c := p.channels[id]
	if c == nil || c.state != tidings.PushDoubled {
		p.mu.Unlock()
		return nil
	}
	topic := c.topic()
	delete(p.doubling, topic)
	p.mu.Unlock()
	var upTo uint64
	var s feedtree.Status
	p.host.InLoop(ctx, func() {
		upTo = p.trees.Forgive(topic)
		s, _ = p.trees.Status(topic)
	})
	if err := p.config.Settings.SetSetting(ctx, forgivenSetting(topic), strconv.FormatUint(upTo, 10)); err != nil {
		return err
	}
	if err := p.setDoubled(ctx, topic, false); err != nil {
		return err
	}
	p.mu.Lock()
	c.state = stateOf(s)
	p.mu.Unlock()
	p.entrust(id, c)
	p.config.Scheduler.Check(c.Channel, "what its publisher has pushed in the meantime was not shown")
	return nil
}

// stateOf returns how a channel with an undoubted key is pushed.
func stateOf(s feedtree.Status) tidings.PushState {
	switch {
	case !s.Heard:
		return tidings.PushJoining
	case s.Overdue:
		return tidings.PushOverdue
	case s.Silence <= 0:
		return tidings.PushEnded
	}
	return tidings.PushGood
}

// forgiven returns up to which number a topic's publisher was forgiven; 0: it never was.
func (p *Pushes) forgiven(ctx context.Context, topic engine.ID) (upTo uint64, err error) {
	text, err := p.config.Settings.Setting(ctx, forgivenSetting(topic))
	if err != nil || text == "" {
		return 0, err
	}
	if upTo, err = strconv.ParseUint(text, 10, 64); err != nil {
		return 0, fmt.Errorf("what topic %s was forgiven: %w", topic.Short(), err)
	}
	return upTo, nil
}

func forgivenSetting(topic engine.ID) string { return "forgiven " + topic.String() }
