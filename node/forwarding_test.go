package node

import (
	"testing"
	"time"

	router "tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/routers/newswire"
	"tidings/store/shared"
)

// When a node restarts, it drops the unsigned ones of the items left to forward.
func TestWhatNobodyHasSignedIsNotForwardedLater(t *testing.T) {
	t.Parallel()
	n := newRestartable(t, func(c *Config) { c.Router, c.Zone = router.NewsWire, "/eu" })
	item := newswire.Item{ID: 2, Bits: []uint16{1, 2}, Zone: zone.Root,
		Event: &corona.Update{URL: "https://example.org/feed", Payload: make([]byte, 1000)}}
	message, err := Codec().Append(nil, &item)
	if err != nil {
		t.Fatal(err)
	}
	err = n.store.Shared.LogForwarding(t.Context(),
		[]shared.Forwarding{{Item: item.Name(), Zone: "/eu", Published: time.Now(), Message: message}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n.stop()
	n.start()
	await(t, "what nobody has signed is gone", func() bool {
		left, err := n.store.Shared.Forwarding(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(left) == 0
	})
}
