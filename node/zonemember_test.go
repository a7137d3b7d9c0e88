package node

import (
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/node/doctor"
	"tidings/node/keyring"
	"tidings/view"
)

// office is an authority over all zones, with its keys.
type office struct {
	t *testing.T
	*keyring.ZoneSigner
	key     keyring.Key
	private ed25519.PrivateKey // its other half
}

func newOffice(t *testing.T) *office {
	t.Helper()
	keys := keyring.In(t.TempDir())
	key, err := keys.NewZone(zone.Root, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := keys.ZoneSigner(zone.Root, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	private, err := keys.Unlock(key.Name, "")
	if err != nil {
		t.Fatal(err)
	}
	return &office{t, s, key, private}
}

// certificate returns the text of one for a node.
func (o *office) certificate(p zone.Path, id string) string {
	o.t.Helper()
	node, err := engine.ParseID(id)
	if err != nil {
		o.t.Fatal(err)
	}
	f, err := o.CertifyNode(p, node, false, time.Hour)
	if err != nil {
		o.t.Fatal(err)
	}
	return string(f.Text())
}

// expired returns the text of a certificate that does not hold any more.
func (o *office) expired(p zone.Path, id string) string {
	node, _ := engine.ParseID(id)
	c := cert.Certificate{Zone: p, Member: node, NotAfter: uint64(time.Now().Add(-time.Hour).Unix())}
	c.Sign(o.private)
	return string(cert.File{Authority: o.key.Authority(zone.Root).Authority, Chain: cert.Chain{c}}.Text())
}

func (o *office) spread(by *restartable, p zone.Path, name, text string) {
	o.t.Helper()
	i, err := o.Function(p, name, text)
	if err != nil {
		o.t.Fatal(err)
	}
	if err := by.client.SpreadFunction(o.t.Context(), i); err != nil {
		o.t.Fatal(err)
	}
}

// zoneTable returns the table of a zone that a node has; empty where it has none.
func (r *restartable) zoneTable(path string) view.Zone {
	r.t.Helper()
	z, err := r.client.Zone(r.t.Context(), path)
	if err != nil && !errors.Is(err, tidings.ErrNotFound) {
		r.t.Fatal(err)
	}
	return z
}

func (r *restartable) row(path, label string) (view.ZoneRow, bool) {
	rows := r.zoneTable(path).Rows
	i := slices.IndexFunc(rows, func(z view.ZoneRow) bool {
		return z.Label == label || z.Kind == view.ZoneMember && z.Issuer == label
	})
	if i < 0 {
		return view.ZoneRow{}, false
	}
	return rows[i], true
}

func (r *restartable) membership() view.ZoneMembership {
	if z := r.view().Zones; z != nil {
		return *z
	}
	return view.ZoneMembership{}
}

// In a closed network of whole nodes, those with certificates know each other. They compute what an authority installs,
// until that is revoked. Others get nothing, and learn why.
func TestClosedNetwork(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first := newRestartable(t)
	nodes := []*restartable{first}
	for range 3 {
		nodes = append(nodes, newRestartable(t, joiningBy(first.address())))
	}
	await(t, "they are one ring", func() bool {
		return !slices.ContainsFunc(nodes, func(r *restartable) bool { return len(r.view().Neighbours) < len(nodes)-1 })
	})
	homes := []zone.Path{"/eu", "/eu", "/us", "/us"}
	for i, r := range nodes {
		m, err := r.client.JoinZone(t.Context(), view.ZoneOrder{
			Path: string(homes[i]), Certificate: o.certificate(homes[i], r.id), Authority: o.key.Fingerprint.String(),
			Closed: true,
		})
		if err != nil || !m.Closed || m.Certificate.Zone != string(homes[i]) ||
			m.Authority.Fingerprint != o.key.Fingerprint.String() {
			t.Fatalf("it joined as %+v, %v", m, err)
		}
	}
	stranger := newRestartable(t, joiningBy(first.address()))
	late := newRestartable(t, joiningBy(first.address()))
	knows := func(r *restartable, path string, who ...*restartable) bool {
		return !slices.ContainsFunc(who, func(w *restartable) bool { _, ok := r.row(path, w.id); return !ok })
	}
	await(t, "members know each other", func() bool {
		return knows(nodes[0], "/eu", nodes[:2]...) && knows(nodes[1], "/eu", nodes[:2]...) &&
			knows(nodes[2], "/us", nodes[2:]...) && knows(nodes[3], "/us", nodes[2:]...)
	})
	all := func(holds func(eu, us view.ZoneRow) bool) bool {
		return !slices.ContainsFunc(nodes, func(r *restartable) bool {
			eu, inEU := r.row("/", "eu")
			us, inUS := r.row("/", "us")
			return !inEU || !inUS || !holds(eu, us)
		})
	}
	await(t, "all have both zones in the root's table", func() bool {
		return all(func(eu, us view.ZoneRow) bool { return eu.Members == 2 && us.Members == 2 })
	})

	// What a node says of itself, and what a function makes of it, stands in the root's table at others.
	if err := nodes[1].client.SetZoneAttribute(t.Context(), "shelf", "7"); err != nil {
		t.Fatal(err)
	}
	o.spread(nodes[3], "/", "shelves", "SELECT SUM(shelf) AS shelves FROM children WHERE shelf > 0")
	await(t, "the function's attribute is known to all", func() bool {
		return all(func(eu, us view.ZoneRow) bool {
			return eu.Attributes["shelves"] == "7" && us.Attributes["shelves"] == ""
		})
	})
	if f, ok := nodes[2].row("/", "&shelves"); !ok || f.Kind != view.ZoneFunction ||
		!slices.Equal(f.Computes, []string{"shelves"}) {
		t.Errorf("the function is shown as %+v, %v", f, ok)
	}

	// It comes back with its settings.
	nodes[1].stop()
	nodes[1].start()
	await(t, "a node that was restarted is in its zone again", func() bool {
		m := nodes[1].membership()
		return m.Own == "/eu" && m.Closed && m.Attributes["shelf"] == "7" && knows(nodes[0], "/eu", nodes[1])
	})

	o.spread(nodes[0], "/", "shelves", "")
	await(t, "the attribute is gone", func() bool {
		return all(func(eu, us view.ZoneRow) bool { _, ok := eu.Attributes["shelves"]; return !ok })
	})
	await(t, "a revoked function is not shown", func() bool { _, ok := nodes[2].row("/", "&shelves"); return !ok })

	// A node without a certificate, or with an expired one, gets nothing and learns why.
	if _, err := stranger.client.JoinZone(t.Context(), view.ZoneOrder{Path: "/eu"}); err != nil {
		t.Fatal(err)
	}
	await(t, "the stranger hears that it is not let in", func() bool {
		m := stranger.membership()
		return strings.Contains(m.Problem, "it has shown no certificate") && strings.Contains(m.Hint, stranger.id)
	})
	if _, err := late.client.JoinZone(t.Context(), view.ZoneOrder{Path: "/eu", Certificate: o.expired("/eu", late.id),
		Closed: true}); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("an expired certificate: %v", err)
	}
	file := filepath.Join(t.TempDir(), "late.txt")
	if err := os.WriteFile(file, []byte(o.expired("/eu", late.id)), 0o600); err != nil {
		t.Fatal(err)
	}
	late.stop()
	late.config.Zone, late.config.ZoneCertificate, late.config.ZoneClosed = "/eu", file, true
	late.start()
	if p := late.membership().Problem; !strings.Contains(p, "has expired on") {
		t.Errorf("the late one is told %q", p)
	}
	examined := late.config.Examination()
	// no time limit
	examined.Status = func(context.Context) (view.Status, error) { return late.client.Status(t.Context()) }
	found := doctor.Examine(t.Context(), examined)
	if !slices.ContainsFunc(found, func(d doctor.Diagnosis) bool {
		return d.Level == doctor.LevelProblem && strings.Contains(d.Text, "has expired on")
	}) {
		t.Error("the doctor has found nothing")
	}
	asked := func(r *restartable) bool {
		return slices.ContainsFunc(r.view().Traffic, func(k view.Traffic) bool {
			return k.Kind == "astrolabe.Gossip" && k.Sent > 0
		})
	}
	await(t, "both have asked", func() bool { return asked(stranger) && asked(late) })
	for _, r := range []*restartable{stranger, late} {
		for _, path := range []string{"/", "/eu"} {
			for _, row := range r.zoneTable(path).Rows {
				if row.Issuer != r.id && row.Issuer != stranger.id {
					t.Errorf("it has the row %q of %s", row.Label, path)
				}
			}
		}
		for _, member := range nodes {
			if _, ok := member.row("/eu", r.id); ok {
				t.Error("a member knows it")
			}
		}
	}
}

// What is wrong with an order to join is said, and nothing has changed.
func TestJoinZoneRefused(t *testing.T) {
	t.Parallel()
	o, other := newOffice(t), newOffice(t)
	r := newRestartable(t)
	good := o.certificate("/eu", r.id)
	for what, test := range map[string]struct {
		order view.ZoneOrder
		want  string
	}{
		"no zone":                    {view.ZoneOrder{Path: "eu"}, "slash at the start"},
		"closed without certificate": {view.ZoneOrder{Path: "/eu", Closed: true}, "has no certificate"},
		"another zone":               {view.ZoneOrder{Path: "/us", Certificate: good}, "is for /eu, not for /us"},
		"another node": {view.ZoneOrder{Path: "/eu",
			Certificate: o.certificate("/eu", strings.Repeat("ab", 20))}, "for the node abab"},
		"another authority": {view.ZoneOrder{Path: "/eu", Certificate: good,
			Authority: other.key.Fingerprint.String()}, "not by the one that was given"},
		"open and closed":       {view.ZoneOrder{Path: "/eu", Open: true, Closed: true}, "open or closed"},
		"no certificate at all": {view.ZoneOrder{Path: "/eu", Certificate: "x"}, "cannot be used"},
		"no authority":          {view.ZoneOrder{Path: "/eu", Authority: "x"}, "cannot be used"},
		"a fingerprint alone": {view.ZoneOrder{Path: "/eu", Authority: o.key.Fingerprint.String()},
			"nothing but the fingerprint"},
	} {
		if _, err := r.client.JoinZone(t.Context(), test.order); !errors.Is(err, tidings.ErrInvalid) ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if m := r.membership(); m.Home != "" {
		t.Errorf("it has joined %+v", m)
	}
	if _, err := r.client.JoinZone(t.Context(),
		view.ZoneOrder{Path: "/eu", Certificate: good, Closed: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.client.JoinZone(t.Context(),
		view.ZoneOrder{Path: "/eu", Certificate: other.certificate("/eu", r.id)}); err == nil {
		t.Error("another authority took over by a certificate alone")
	}
	i, err := other.Function("/", "f", "SELECT 1 AS one FROM children")
	if err != nil {
		t.Fatal(err)
	}
	await(t, "it is in its zone", func() bool { return r.membership().Own == "/eu" })
	if err := r.client.SpreadFunction(t.Context(), i); !errors.Is(err, tidings.ErrInvalid) ||
		!strings.Contains(err.Error(), "trusted") {
		t.Errorf("a function by another authority: %v", err)
	}
	i, _ = o.Function("/", "f", "SELECT 1 AS one FROM children")
	i.SQL = "SELECT 2 AS one FROM children"
	if err := r.client.SpreadFunction(t.Context(), i); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("a function that was changed afterwards: %v", err)
	}
}
