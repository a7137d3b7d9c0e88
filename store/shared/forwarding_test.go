package shared_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"tidings/store/db"
	"tidings/store/shared"
	"tidings/store/storetest"
)

// What is forwarded is there again after the store was closed, in the order in which it came, until it has ended; what
// ends and begins at once has begun.
func TestForwardingIsKept(t *testing.T) {
	t.Parallel()
	config := storetest.Config(t)
	s := storetest.Open(t, config)
	at := time.UnixMicro(1_700_000_000_123_456).UTC()
	var want []shared.Forwarding
	for i := range uint64(5) {
		f := shared.Forwarding{1<<64 - 1 - i, "/eu", at.Add(time.Duration(i)),
			bytes.Repeat([]byte{byte(i)}, int(i)*10_000)}
		f.Published = f.Published.Truncate(time.Microsecond)
		want = append(want, f)
	}
	want = append(want, shared.Forwarding{1<<64 - 1, "/us", at, []byte("the same item")})
	ctx := t.Context()
	if err := s.Shared.LogForwarding(ctx, want, nil); err != nil {
		t.Fatal(err)
	}
	again := shared.Forwarding{want[1].Item, "/eu", at.Add(time.Minute), []byte("again")}
	if err := s.Shared.LogForwarding(ctx, []shared.Forwarding{again},
		[]shared.Forwarding{{Item: want[0].Item, Zone: "/eu"}, {Item: 7, Zone: "/"}, again}); err != nil {
		t.Fatal(err)
	}
	want = append(slices.Delete(want, 0, 2), again)
	for range 2 {
		got, err := s.Shared.Forwarding(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Published = got[i].Published.UTC()
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v is kept, not %v", got, want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = storetest.Open(t, config)
	}
	defer func() { storetest.Close(t, s, config) }()
	// What cannot be read keeps nobody from the rest.
	if err := s.DB.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `UPDATE forwarding SET message = x'ff01' WHERE zone = '/us'`)
	}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Shared.Forwarding(ctx)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d entries, %v", len(got), err)
	}
	for _, f := range got {
		if (f.Message == nil) != (f.Zone == "/us") {
			t.Errorf("of the entry for %s the message has %d bytes", f.Zone, len(f.Message))
		}
	}
}
