package api

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"tidings"
	"tidings/view"
)

// Where a node is in the zones, and what it says there, its owner alone decides, by the socket.
func TestZonesByTheSocket(t *testing.T) {
	f := newFakeNetwork()
	config := networked(f)
	config.Local = true
	c, ctx := Dial(serve(t, as(tidings.Owner, New(config)))), t.Context()
	defer c.Close()
	m, err := c.JoinZone(ctx, view.ZoneOrder{Path: "/eu", Certificate: "certificate", Authority: "authority",
		Closed: true})
	if err != nil ||
		!reflect.DeepEqual(m, view.ZoneMembership{Home: "/eu", Closed: true, Problem: "certificate",
			Hint: "authority"}) {
		t.Errorf("joined: %+v, %v", m, err)
	}
	if _, err := c.JoinZone(ctx, view.ZoneOrder{Path: "eu"}); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("what is no zone: %v", err)
	}
	if err := c.SetZoneAttribute(ctx, "load", "0.5"); err != nil || f.says != "load=0.5" {
		t.Errorf("it says %q: %v", f.says, err)
	}
	if err := c.SetZoneAttribute(ctx, "load", ""); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("what was not said: %v", err)
	}
	i := view.ZoneInstallation{Zone: "/eu", Name: "peak", SQL: "SELECT 1 AS x FROM children", Time: 7, Certificate: "c",
		Signature: []byte{1, 255}}
	if err := c.SpreadFunction(ctx, i); err != nil || !reflect.DeepEqual(f.installed, i) {
		t.Errorf("it spread %+v: %v", f.installed, err)
	}
	config.Local = false
	sending := view.ZoneSending{Zone: "/eu", Where: "load < 0.5", Document: []byte("<nitf/>")}
	if sent, err := c.SendToZone(ctx, sending); err != nil || !reflect.DeepEqual(f.sent, sending) ||
		sent.Sender != "abc" || len(sent.Items) != 1 {
		t.Errorf("sent was %+v as %+v, %v", f.sent, sent, err)
	}
	if _, err := c.SendToZone(ctx, view.ZoneSending{Zone: "/eu"}); err == nil ||
		!strings.Contains(err.Error(), "source") {
		t.Errorf("sending nothing: %v", err)
	}
	for body, want := range map[string]int{
		`{"zone":"/eu","where":"load < 0.5","document":"PG5pdGYvPg=="}`:         200,
		`{"zone":"/eu","source":"/etc/passwd"}`:                                 400,
		`{"zone":"/eu","source":"http://127.0.0.1/","document":"PG5pdGYvPg=="}`: 400, `{"zone":"/eu"}`: 400,
	} {
		f.sent = view.ZoneSending{}
		w := ask(as(tidings.Owner, New(config)), "POST", "zone/items", body)
		if was := reflect.DeepEqual(f.sent, sending); w.Code != want || was != (want == 200) {
			t.Errorf("sending %s from elsewhere: %d, %v", body, w.Code, f.sent)
		}
	}
	if w := ask(as(tidings.Owner, New(config)), "PUT", "zone", "{}"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("from elsewhere: %d", w.Code)
	}
}
