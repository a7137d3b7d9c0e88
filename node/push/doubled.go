package push

import (
	"context"

	"tidings/network/engine"
)

// If a publisher has signed two items for one number, that is remembered until a person trusts its key again. After a
// restart the proof may exist nowhere any more.

func doubledSetting(topic engine.ID) string { return "doubled " + topic.String() }

// isDoubled reports whether two items of a topic are signed for one number, and no person has trusted the key since.
func (p *Pushes) isDoubled(ctx context.Context, topic engine.ID) (bool, error) {
	text, err := p.config.Settings.Setting(ctx, doubledSetting(topic))
	return text != "", err
}

// noteDoubled stores that a topic's publisher has signed two items for one number, unless a person has forgiven it
// meanwhile. Else it would be doubted again from the next start.
func (p *Pushes) noteDoubled(ctx context.Context, channel, topic engine.ID) error {
	defer p.host.Lock(channel)()
	p.mu.Lock()
	doubled := p.doubling[topic]
	delete(p.doubling, topic)
	p.mu.Unlock()
	if !doubled {
		return nil
	}
	return p.setDoubled(ctx, topic, true)
}

func (p *Pushes) setDoubled(ctx context.Context, topic engine.ID, doubled bool) error {
	text := ""
	if doubled {
		text = "yes"
	}
	return p.config.Settings.SetSetting(ctx, doubledSetting(topic), text)
}
