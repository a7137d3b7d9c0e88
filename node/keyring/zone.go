package keyring

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/view"
)

// zoneKeyName is what the keys of zones' authorities are called: "zone" that of all zones, "zone.eu.de" that of /eu/de.
const zoneKeyName = "zone"

// ZoneKeyName returns the name of the key of the authority over a zone. No zone's name has a dot.
func ZoneKeyName(p zone.Path) string {
	return strings.TrimSuffix(zoneKeyName+strings.ReplaceAll(string(p), "/", "."), ".")
}

func isZoneKey(name string) bool {
	return name == zoneKeyName || strings.HasPrefix(name, zoneKeyName+".")
}

// Errors of authorities' keys.
var (
	ErrZoneAuto  = errors.New("a zone that made itself has no authority of its own: it goes as it came")
	ErrZoneLong  = errors.New("the zone's path is too long to name a key by: at most 58 letters")
	ErrNoZoneKey = errors.New("there is no authority's key for it here, nor for a zone above")
	ErrZoneScope = errors.New("it lies outside of what the authority rules")
	ErrZoneTime  = errors.New("a certificate holds for a minute to ten years")
	ErrZoneChain = errors.New("the certificate is not this key's")
)

// NewZone makes the key of the authority over a zone.
func (k *Keyring) NewZone(p zone.Path, passphrase string) (Key, error) {
	name := ZoneKeyName(p)
	switch {
	case strings.Contains(string(p), zone.AutoMark):
		return Key{}, fmt.Errorf("the zone %s: %w", p, ErrZoneAuto)
	case !keyName.MatchString(name):
		return Key{}, fmt.Errorf("the zone %s: %w", p, ErrZoneLong)
	}
	return k.New(name, passphrase)
}

// ZoneKey returns the key of the authority over a zone or, if there is none, of the nearest above. over is the zone of
// that authority.
func (k *Keyring) ZoneKey(p zone.Path) (key Key, over zone.Path, err error) {
	for over = p; ; over = over.Parent() {
		key, err = k.Get(ZoneKeyName(over))
		if err == nil || !errors.Is(err, ErrNoKey) && !errors.Is(err, ErrName) {
			return key, over, err
		}
		if over == zone.Root {
			return key, over, fmt.Errorf("the zone %s: %w", p, ErrNoZoneKey)
		}
	}
}

// Authority returns what everybody may know of an authority.
func (p Key) Authority(over zone.Path) cert.File {
	return cert.File{Authority: cert.Authority{Zone: over, Key: ed25519.PublicKey(p.key[:])}}
}

// ZoneSigner signs for an authority.
type ZoneSigner struct {
	over zone.Path
	key  ed25519.PrivateKey
	file cert.File // the authority that nodes trust, and the chain from it to the key
}

// ZoneSigner returns one that signs with the key of the authority over a zone. If nodes only trust the key of a zone
// above, given is the certificate that this has written for the key. nil: they trust the key itself.
func (k *Keyring) ZoneSigner(over zone.Path, passphrase string, given *cert.File) (*ZoneSigner, error) {
	name := ZoneKeyName(over)
	private, err := k.Unlock(name, passphrase)
	if err != nil {
		return nil, err
	}
	s := &ZoneSigner{over: over, key: private,
		file: cert.File{Authority: cert.Authority{Zone: over, Key: private.Public().(ed25519.PublicKey)}}}
	if given == nil {
		return s, nil
	}
	last, err := given.Chain.Verify([]cert.Authority{given.Authority}, time.Now())
	if err != nil {
		return nil, fmt.Errorf("the certificate of key %s: %w", name, err)
	}
	if last.Key != feedtree.KeyOf(private) {
		return nil, fmt.Errorf("key %s: %w", name, ErrZoneChain)
	}
	s.over, s.file = last.Zone, *given
	return s, nil
}

// Bounds of the time for which certificates hold.
const (
	minZoneTime = time.Minute
	maxZoneTime = 10 * 366 * 24 * time.Hour
)

// CertifyNode returns a certificate by which a node may be in a zone or in one below, and with publish may publish
// there. It is valid for the time holds from now on.
func (s *ZoneSigner) CertifyNode(p zone.Path, id engine.ID, publish bool, holds time.Duration) (cert.File, error) {
	c := cert.Certificate{Zone: p, Member: id}
	if publish {
		c.Rights = cert.MayPublish
	}
	return s.certify(c, holds)
}

// CertifyKey returns a certificate by which the key of another authority rules a zone and those below. It is valid for
// the time holds from now on.
func (s *ZoneSigner) CertifyKey(p zone.Path, key ed25519.PublicKey, holds time.Duration) (cert.File, error) {
	c := cert.Certificate{Zone: p}
	copy(c.Key[:], key)
	return s.certify(c, holds)
}

func (s *ZoneSigner) certify(c cert.Certificate, holds time.Duration) (cert.File, error) {
	switch {
	case !s.over.Contains(c.Zone):
		return cert.File{}, fmt.Errorf("the zone %s: %w, which is %s", c.Zone, ErrZoneScope, s.over)
	case holds < minZoneTime || holds > maxZoneTime:
		return cert.File{}, ErrZoneTime
	case len(s.file.Chain) == cert.MaxChain:
		return cert.File{}, fmt.Errorf("a chain of more than %d certificates: %w", cert.MaxChain, cert.ErrForm)
	}
	c.NotAfter = uint64(time.Now().Add(holds).Unix())
	c.Sign(s.key)
	f := s.file
	f.Chain = append(f.Chain[:len(f.Chain):len(f.Chain)], c)
	return f, nil
}

// Function signs an aggregation function for a zone and all below; an empty text revokes it. What is wrong with the
// text is an [sql.Error], which says where.
func (s *ZoneSigner) Function(p zone.Path, name, text string) (view.ZoneInstallation, error) {
	if !s.over.Contains(p) {
		return view.ZoneInstallation{}, fmt.Errorf("the zone %s: %w, which is %s", p, ErrZoneScope, s.over)
	}
	if text != "" {
		f, err := sql.Compile(text)
		if err != nil {
			return view.ZoneInstallation{}, err
		}
		f.Close()
	}
	at := uint32(time.Now().Unix())
	r, err := astrolabe.Install(p, name, text, s.key, s.file.Chain, at)
	if err != nil {
		return view.ZoneInstallation{}, tidings.Invalidf("%v", err)
	}
	i := view.ZoneInstallation{Zone: string(p), Name: name, SQL: text, Time: at, Signature: r.Signature[:]}
	if len(s.file.Chain) > 0 {
		i.Certificate = string(s.file.Text())
	}
	return i, nil
}
