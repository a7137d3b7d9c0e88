package scribe

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// A parent can send again what it has sent last, as far back as resendable, however much it has sent.
func TestTheLastDownsAreRemembered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d downlink
		for range rapid.IntRange(1, 3*resendable).Draw(t, "sent") {
			d.sent++
			d.remember(sentDown{event: &Event{Number: d.sent}})
			for back := range min(d.sent, resendable) {
				if got := d.sentAt(d.sent - back).event.Number; got != d.sent-back {
					t.Fatalf("after %d Downs, %d is remembered as %d", d.sent, d.sent-back, got)
				}
			}
		}
		if len(d.last) > resendable {
			t.Fatalf("%d Downs are kept", len(d.last))
		}
	})
}

// Only an acknowledgement of the present numbering, up to the latest Disseminate, ends its repetition. One of the
// numbering before may arrive late, and may have come further.
func TestAnAcknowledgementIsOfItsNumbering(t *testing.T) {
	for _, c := range []struct {
		name  string
		heard func(d *downlink, before uint32)
		ends  bool
	}{
		{"none", func(*downlink, uint32) {}, false},
		{"of the numbering before", func(d *downlink, before uint32) { d.receiveHeard(before, d.sent+10) }, false},
		{"of an earlier one", func(d *downlink, _ uint32) { d.receiveHeard(d.line, d.sent-1) }, false},
		{"of the latest", func(d *downlink, _ uint32) { d.receiveHeard(d.line, d.sent) }, true},
	} {
		env := enginetest.NewEnv(enginetest.NewPeer("10"))
		d := downlink{env: env, to: enginetest.NewPeer("20")}
		d.measured(0)
		d.start()
		before := d.line
		d.start()
		for number := range uint64(2) {
			d.send(engine.ID{}, &Event{Number: number + 1})
		}
		env.Sent()
		c.heard(&d, before)
		env.Advance(time.Minute)
		if ends := len(sentOf[*Disseminate](env.Sent())) == 0; ends != c.ends {
			t.Errorf("after an acknowledgement %s the latest Disseminate is repeated: %v; want %v", c.name, !ends,
				!c.ends)
		}
	}
}
