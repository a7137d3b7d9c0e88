package astrolabe_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// keys sign as the simulator's do.
type keys struct{ self engine.ID }

func (k keys) Sign(data []byte) []byte {
	h := sha256.Sum256(append(k.self[:len(k.self):len(k.self)], data...))
	return append(h[:], h[:]...)
}

func (keys) Signed(p engine.Peer, data, signature []byte) bool {
	return bytes.Equal(signature, keys{p.ID}.Sign(data))
}

// one is a node that is alone in its zone, in a world that a test plays.
type one struct {
	*astrolabe.Node
	*enginetest.Env
	t testing.TB
}

var (
	self     = enginetest.NewPeer("aa01")
	puppet   = enginetest.NewPeer("bb02")
	stranger = enginetest.NewPeer("cc03")
)

func newOne(t testing.TB, home zone.Path, change func(*astrolabe.Seams)) *one {
	o := &one{Env: enginetest.NewEnv(self), t: t}
	s := astrolabe.Seams{Keys: keys{self.ID}, Home: home}
	if change != nil {
		change(&s)
	}
	o.Node = astrolabe.New(o.Env, astrolabe.Default(), s)
	if p, ok := o.Path(); !ok || p != home {
		t.Fatalf("the node is in %q", p)
	}
	o.Env.Traced()
	o.Env.Sent()
	return o
}

// now returns the time of the calendar at which the node started, for stamps.
func (o *one) now() uint32 { return uint32(o.Wall().Unix()) }

// memberRow is what the row of a member says.
func memberRow(p engine.Peer, z zone.Path, more ...attr.Attribute) *table.Content {
	return &table.Content{Zone: z, Label: zone.Member(p.ID), Issuer: p,
		Attributes: astrolabe.MemberAttributes(p, more, 0)}
}

// zoneRow is what the row of a zone says that a member of it has written.
func zoneRow(p engine.Peer, z zone.Path) *table.Content {
	return &table.Content{Zone: z.Parent(), Label: z.Label(), Issuer: p,
		Attributes: astrolabe.MemberAttributes(p, nil, 0)}
}

// update stamps a content as its issuer does.
func update(c *table.Content, at uint32, lifetime uint16) astrolabe.Update {
	s := &table.Stamp{Time: at, Lifetime: lifetime, Content: c.Digest()}
	return sign(astrolabe.Update{Depth: uint8(c.Zone.Depth()), Label: c.Label, Content: c, Stamp: s}, c.Issuer)
}

// sign signs an update's stamp again, after it has been changed.
func sign(u astrolabe.Update, by engine.Peer) astrolabe.Update {
	s := *u.Stamp.(*table.Stamp)
	copy(s.Signature[:], keys{by.ID}.Sign(s.Words()))
	u.Stamp = &s
	return u
}

// give has the puppet send rows.
func (o *one) give(z zone.Path, updates ...astrolabe.Update) {
	o.Receive(puppet, &astrolabe.Rows{Zone: z, Rows: updates})
}

// has reports whether a row stands in a table.
func (o *one) has(u astrolabe.Update) bool {
	p, _ := o.Path()
	r, ok := o.Table(p.At(int(u.Depth))).Get(u.Label)
	return ok && r.Stamp.Content == u.Stamp.(*table.Stamp).Content && r.Time == u.Stamp.(*table.Stamp).Time
}

// refusal returns why the node has refused rows since the last call, the last time; "": it has not.
func (o *one) refusal() (why string) {
	for _, e := range o.Traced() {
		if r, ok := e.(astrolabe.Refused); ok {
			why = r.Err.Error()
		}
	}
	return why
}

// answers returns how many messages of a kind the node has sent to a peer since the last call.
func (o *one) answers(to engine.Peer, like engine.Message) (n int) {
	for _, s := range o.Env.Sent() {
		if s.To.ID == to.ID && s.Message.Kind() == like.Kind() {
			n++
		}
	}
	return n
}

// authority returns the key of one that is called by a number.
func authority(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(slices.Repeat([]byte{n}, ed25519.SeedSize))
}

// trust is that authority 1 is trusted everywhere.
func trust() []cert.Authority {
	return []cert.Authority{{Zone: zone.Root, Key: authority(1).Public().(ed25519.PublicKey)}}
}

// trustedFor is that an authority is trusted for a zone.
func trustedFor(n byte, z zone.Path) cert.Authority {
	return cert.Authority{Zone: z, Key: authority(n).Public().(ed25519.PublicKey)}
}

// certify returns a member's certificate for a zone, which an authority has signed.
func certify(by byte, id engine.ID, z zone.Path, until time.Time) cert.Chain {
	c := cert.Certificate{Zone: z, Member: id, NotAfter: uint64(until.Unix())}
	c.Sign(authority(by))
	return cert.Chain{c}
}
