package zones

import (
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/view"
)

// People are warned before a certificate ends. An ended one is shown as a problem.
func TestCertificateEnds(t *testing.T) {
	self := engine.IDOf([]byte("self"))
	public, authority, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := cert.Certificate{Zone: "/eu", Member: self, NotAfter: uint64(time.Now().Add(time.Hour).Unix())}
	c.Sign(authority)
	file := cert.File{Authority: cert.Authority{Zone: zone.Root, Key: public}, Chain: cert.Chain{c}}
	p, err := place{home: zone.Root}.with(view.ZoneOrder{Path: "/eu", Certificate: string(file.Text()), Closed: true})
	if err != nil {
		t.Fatal(err)
	}
	end := p.until()
	for _, test := range []struct {
		at      time.Time
		problem string
		soon    bool
	}{
		{end.Add(-soonExpired - time.Minute), "", false},
		{end.Add(-soonExpired + time.Minute), "expires on", true},
		{end.Add(time.Minute), "expires on", true}, // others' clocks may differ
		{end.Add(time.Hour), "has expired on", false},
	} {
		m := p.shown(self, test.at)
		if !strings.Contains(m.Problem, test.problem) || (m.Problem == "") != (test.problem == "") ||
			m.Soon != test.soon {
			t.Errorf("%v from its end: %q, soon %v", test.at.Sub(end), m.Problem, m.Soon)
		}
	}
	text, err := p.text(map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	back, says, err := recallPlace(text)
	if err != nil || back.home != "/eu" || !back.closed || !back.chosen || len(back.file.Chain) != 1 ||
		says["a"] != "b" {
		t.Errorf("it is remembered as %+v, %v, %v", back, says, err)
	}
}
