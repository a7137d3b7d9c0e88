package update

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

type keys struct{ engine.Keys }

// The signature on a report of just now counts if the clocks differ by at most five minutes, either way (hostile 34).
func TestReportsHoldWithFiveMinutesOfDifference(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("51"))
	b := &machine.Base{Env: env, Keys: keys{}}
	for ahead, want := range map[time.Duration]bool{
		0: true, 5 * time.Minute: true, -5 * time.Minute: true, 5*time.Minute + time.Second: false,
		-5*time.Minute - time.Second: false, -24 * time.Hour: false,
	} {
		if got := Vouched(b, &Update{FoundAt: env.Wall().Add(ahead).UnixMilli()}); got != want {
			t.Errorf("%v ahead: a report of just now is believed: %v", ahead, got)
		}
	}
}

// What is signed begins with its purpose, so that one signature is never taken for another, and holds each field at its
// place. Nodes of all releases have to agree on that.
func TestSignedWords(t *testing.T) {
	t.Parallel()
	channel, finder := engine.PrefixID("c1"), enginetest.NewPeer("f1")
	u := &Update{Channel: channel, Version: 0x0102030405060708, Base: Hash{9}, Hash: Hash{1: 7}, FoundBy: finder.ID,
		FoundAt: 0x11, Modified: 0x22, Size: 5, Payload: []byte("text")}
	u.Seal = Seal{Finder: finder.Address, Found: bytes.Repeat([]byte{3}, engine.SignatureLength)}
	report := fmt.Sprintf(
		"tidings corona found\n%s%s\x00\x00\x00\x00\x00\x00\x00\x11\x00\x00\x00\x00\x00\x00\x00\x22%s%s",
		channel[:], u.Hash[:], finder.ID[:], finder.Address)
	if got := string(u.ReportWords()); got != report {
		t.Errorf("a finder signs %q, want %q", got, report)
	}
	h := u.Header()
	digest := sha256.Sum256([]byte(report + string(u.Seal.Found)))
	given := fmt.Sprintf("tidings corona given\n%s\x01\x02\x03\x04\x05\x06\x07\x08%s%s", channel[:], u.Hash[:],
		digest[:])
	if string(h.Words()) != given {
		t.Errorf("a giver signs %q, want %q", h.Words(), given)
	}
	a := &Attestation{Place: 4, At: 0x33, By: finder}
	if got, want := string(AttestationWords(channel, u.Version, u.Hash, a)), fmt.Sprintf("tidings corona seen\n%s%s"+
		"\x01\x02\x03\x04\x05\x06\x07\x08\x04\x00\x00\x00\x00\x00\x00\x00\x33%s%s", channel[:], u.Hash[:], finder.ID[:],
		finder.Address); got != want {
		t.Errorf("a witness signs %q, want %q", got, want)
	}
	if u.Seal.Found = nil; u.Header().Report != (Hash{}) {
		t.Error("a header names a report that nobody has signed")
	}
}

// strict signs by a hash of the words and the signer.
type strict struct{ self engine.ID }

func (k strict) Sign(data []byte) []byte {
	sum := sha256.Sum256(append(k.self[:len(k.self):len(k.self)], data...))
	return append(sum[:], sum[:]...)
}

func (k strict) Signed(p engine.Peer, data, signature []byte) bool {
	sum := strict{p.ID}.Sign(data)
	return bytes.HasPrefix(signature, sum) // too long ones are the caller's to refuse
}

// A report is its finder's, whose signature has to be there in its length. Without a finder nothing may be claimed.
func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	env := enginetest.NewEnv(enginetest.NewPeer("51"))
	b := &machine.Base{Env: env, Keys: strict{env.Self().ID}}
	other := enginetest.NewPeer("52")
	for what, c := range map[string]struct {
		change func(u *Update)
		found  bool
	}{
		"signed":             {func(*Update) {}, true},
		"another finder":     {func(u *Update) { u.FoundBy = other.ID }, false},
		"another address":    {func(u *Update) { u.Seal.Finder = "x" }, false},
		"a longer signature": {func(u *Update) { u.Seal.Found = append(u.Seal.Found, 0) }, false},
		"no signature":       {func(u *Update) { u.Seal.Found = nil }, false},
		"nobody":             {func(u *Update) { u.ForgetFinder() }, true},
		"nobody, at a time":  {func(u *Update) { u.ForgetFinder(); u.FoundAt = 1 }, false},
		"nobody, modified":   {func(u *Update) { u.ForgetFinder(); u.Modified = 1 }, false},
		"nobody has signed it": {func(u *Update) { found := u.Seal.Found; u.ForgetFinder(); u.Seal.Found = found },
			false},
	} {
		u := &Update{Hash: Hash{1}, Modified: 7}
		SignFound(b, u)
		if u.FoundBy != env.Self().ID || u.FoundAt != env.Wall().UnixMilli() || u.Seal.Finder != env.Self().Address {
			t.Fatalf("%s: found is %+v", what, u)
		}
		if c.change(u); IsFound(b.Keys, u) != c.found {
			t.Errorf("%s: it is found: %v", what, !c.found)
		}
	}
	theirs := &Update{Hash: Hash{1}, FoundBy: other.ID, FoundAt: 3, Seal: Seal{Finder: other.Address, Found: []byte{1}}}
	if SignFound(b, theirs); theirs.FoundBy != other.ID || theirs.FoundAt != 3 || len(theirs.Seal.Found) != 1 {
		t.Errorf("what another node has found becomes %+v", theirs)
	}
}

// library has one content with a number, and one without.
type library struct{ held, now Hash }

func (l library) Held(engine.ID) (uint64, Hash) { return 7, l.held }
func (l library) Content(engine.ID) Hash        { return l.now }

// An update leads on from a content that is here, or from none, if it has a payload. One of a content that is here is a
// number alone. An empty document needs no payload.
func TestWhatFits(t *testing.T) {
	t.Parallel()
	l := library{Hash{1}, Hash{2}}
	for what, c := range map[string]struct {
		u    Update
		fits bool
	}{
		"from the version":          {Update{Base: l.held, Hash: Hash{3}, Payload: []byte("x"), Size: 1}, true},
		"from the content":          {Update{Base: l.now, Hash: Hash{3}, Payload: []byte("x"), Size: 1}, true},
		"whole":                     {Update{Hash: Hash{3}, Payload: []byte("x"), Size: 1}, true},
		"from another":              {Update{Base: Hash{4}, Hash: Hash{3}, Payload: []byte("x"), Size: 1}, false},
		"bare":                      {Update{Base: l.held, Hash: Hash{3}, Size: 1}, false},
		"empty":                     {Update{Base: l.held, Hash: Hash{3}}, true},
		"a number of the version":   {Update{Base: Hash{4}, Hash: l.held, Size: 1}, true},
		"a number of the content":   {Update{Base: Hash{4}, Hash: l.now, Size: 1}, true},
		"empty, but from elsewhere": {Update{Base: Hash{4}, Hash: Hash{3}}, false},
	} {
		if c.u.Fits(l) != c.fits {
			t.Errorf("%s: it fits: %v", what, !c.fits)
		}
	}
}

// A version that this node's poll shows has the poll's change in place of the sender's, or none if the content is here.
// All else stays.
func TestAVersionAsAPollShowsIt(t *testing.T) {
	t.Parallel()
	u := Update{Version: 9, Base: Hash{8}, Hash: Hash{1}, FoundAt: 5, Size: 3, Payload: []byte("sent"),
		Seal: Seal{Finder: "x"}}
	got := SeenAs(u, &PollResult{Hash: Hash{1}, Size: 4, Update: &Update{Base: Hash{2}, Hash: Hash{1}, Size: 6,
		Payload: []byte("seen"), FoundAt: 77}})
	if got.Version != 9 || got.FoundAt != 5 || got.Seal.Finder != "x" || got.Base != (Hash{2}) ||
		got.Hash != (Hash{1}) ||
		string(got.Payload) != "seen" || got.Size != 6 {
		t.Errorf("seen as %+v", got)
	}
	got = SeenAs(u, &PollResult{Hash: Hash{1}, Size: 4})
	if got.Base != (Hash{1}) || got.Payload != nil || got.Size != 4 || got.Version != 9 {
		t.Errorf("here already it is %+v", got)
	}
}

// A payload that fits into a message stays; a longer one is omitted, and then the update is bare.
func TestPayloadsThatAreTooLong(t *testing.T) {
	t.Parallel()
	for size, bare := range map[int]bool{0: true, 1: false, MaxPayload: false, MaxPayload + 1: true} {
		u := &Update{Size: 1, Payload: make([]byte, size)}
		if u.Trim(); u.IsBare() != bare {
			t.Errorf("%d bytes: it is bare: %v", size, !bare)
		}
	}
	if (&Update{}).IsBare() {
		t.Error("an empty document is bare")
	}
}
