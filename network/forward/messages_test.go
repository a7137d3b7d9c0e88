package forward

import (
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(Vocabulary)) }

func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(Vocabulary)) }

// A signature holds for one purpose, and for nothing but what was signed.
func TestWhatIsSigned(t *testing.T) {
	from, other := engine.Peer{ID: engine.ID{1}, Address: "1"}, engine.Peer{ID: engine.ID{2}, Address: "1"}
	all := []interface{ words() []byte }{
		&Open{From: from, To: other.ID, Number: 1},
		&Open{From: other, To: other.ID, Number: 1},
		&Open{From: engine.Peer{ID: from.ID, Address: "12"}, To: other.ID, Number: 1},
		&Open{From: from, To: from.ID, Number: 1},
		&Open{From: from, To: other.ID, Number: 2},
		&Open{From: from, To: other.ID, Number: 1, Answers: 1},
		&Message{From: from, To: other.ID, Number: 1},
		&Message{From: from, To: other.ID, Number: 2},
		&Message{From: from, To: other.ID, Number: 1, Count: 1},
		&Message{From: from, To: other.ID, Number: 1, Ask: true},
		&Message{From: from, To: other.ID, Number: 1, Payload: []byte{0}},
		&Message{From: from, To: other.ID, Number: 1, Payload: []byte{1}},
	}
	seen := make(map[string]int)
	for i, m := range all {
		if j, is := seen[string(m.words())]; is {
			t.Errorf("the same words are signed for %+v and %+v", all[j], m)
		}
		seen[string(m.words())] = i
	}
}

func TestConfig(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for i, change := range []func(*Config){
		func(c *Config) { c.Hedge = 0 }, func(c *Config) { c.Within = 0 }, func(c *Config) { c.Stagger = 0 },
		func(c *Config) { c.Silence = 0 },
		func(c *Config) { c.Answer = 0 }, func(c *Config) { c.Retry = 0 }, func(c *Config) { c.Idle = 0 },
		func(c *Config) { c.RetryMax = c.Retry - 1 },
		func(c *Config) { c.MaxIntroduced = 0 }, func(c *Config) { c.MaxRoutes = 0 }, func(c *Config) { c.MaxHeld = 0 },
		func(c *Config) { c.Senders = 0 },
		func(c *Config) { c.MaxPayload = 0 }, func(c *Config) { c.MaxPayload = MaxPayload + 1 },
		func(c *Config) { c.Messages = 0 }, func(c *Config) { c.Bytes = 0 }, func(c *Config) { c.TotalBytes = 0 },
		func(c *Config) { c.Names = 0 }, func(c *Config) { c.Burst = 0 },
	} {
		c := Default()
		if change(&c); c.Validate() == nil {
			t.Errorf("change %d is valid: %+v", i, c)
		}
	}
}
