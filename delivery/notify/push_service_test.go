package notify

import (
	"encoding/json"
	"errors"
	"testing"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/webpush"
	"tidings/delivery/webpush/webpushtest"
)

// A push service that others wrote accepts and reads what is sent. It refuses what another node sends to a
// subscription, and it ends a subscription.
func TestPushesByAnotherImplementation(t *testing.T) {
	service := webpushtest.StartService(t, "../..")
	made, err := service.Subscribe(t.Context(), testPushKeys().Public)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := json.Marshal(made.Keys)
	if err != nil {
		t.Fatal(err)
	}
	target := tidings.Target{Name: "browser", Kind: tidings.BrowserPush, URL: made.Endpoint, Secret: string(secret)}
	for _, m := range []outbox.Message{testMessages()[0], testMessages()[2], testDigest()} {
		if err := testNotifier().Send(t.Context(), target, m); err != nil {
			t.Fatal(err)
		}
	}
	all, err := service.Messages(t.Context(), made)
	if err != nil || len(all) != 3 {
		t.Fatalf("received %q, %v", all, err)
	}
	for i, want := range []string{"One & more", "7 new items", "8 new and 3 changed items in 3 channels"} {
		var m pushMessage
		if err := json.Unmarshal([]byte(all[i]), &m); err != nil || m.Title != want {
			t.Errorf("%s: %v", all[i], err)
		}
	}

	for _, retracts := range [][]string{{"msg_1"}, {"msg_1", "msg_2"}} {
		m := outbox.Message{ID: "msg_9", Retracts: retracts, Attempt: 1}
		if err := testNotifier().Send(t.Context(), target, m); err != nil {
			t.Fatal(err)
		}
	}
	if all, err = service.Messages(t.Context(), made); err != nil || len(all) != 5 ||
		all[3] != `{"id":"msg_9","retracts":["msg_1"]}` || all[4] != `{"id":"msg_9","retracts":["msg_1","msg_2"]}` {
		t.Errorf("retracted by %q, %v", all, err)
	}

	other, err := webpush.NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	stranger := testNotifier()
	stranger.c.PushKeys = other
	if err := stranger.Send(t.Context(), target, testMessages()[0]); err == nil {
		t.Error("a message of another node is accepted")
	}
	if err := service.Expire(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	err = testNotifier().Send(t.Context(), target, testMessages()[0])
	if r, ok := errors.AsType[*outbox.Refusal](err); !ok || !r.Gone {
		t.Errorf("to a subscription that has ended: %v", err)
	}
}
