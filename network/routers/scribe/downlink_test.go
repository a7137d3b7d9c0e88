package scribe

import (
	"testing"

	"pgregory.net/rapid"
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
