package history

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/feedtree"
)

// An item is judged by its number, its topic and its signature, alike by all.
func TestTheVerifierOfTheArchive(t *testing.T) {
	t.Parallel()
	key := keyFrom("judged")
	topic := feedtree.TopicOf(engine.IDOf([]byte("https://blog.example/feed")), feedtree.KeyOf(key).Fingerprint())
	name := archive.Name{Topic: topic, Number: 1}
	item := &feedtree.Item{Number: 1, Time: time.Now().UnixMilli(), Entry: []byte("entry")}
	item.Sign(topic, key)
	bytesOf := func(change func(i *feedtree.Item)) []byte {
		other := *item
		change(&other)
		b, err := other.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := bytesOf(func(*feedtree.Item) {})
	if !(verifier{}).Genuine(name, good) {
		t.Error("a genuine item is refused")
	}
	ahead := &feedtree.Item{Number: 1, Time: time.Now().Add(1000 * time.Hour).UnixMilli(), Entry: []byte("later")}
	ahead.Sign(topic, key)
	later, err := ahead.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if !(verifier{}).Genuine(name, later) {
		t.Error("an item is held against the clock")
	}
	other := archive.Name{Topic: name.Topic, Number: 2}
	foreign := archive.Name{Topic: engine.IDOf([]byte("other")), Number: 1}
	for what, lie := range map[string]struct {
		name  archive.Name
		bytes []byte
	}{
		"another number":   {other, good},
		"another topic":    {foreign, good},
		"another entry":    {name, bytesOf(func(i *feedtree.Item) { i.Entry = []byte("altered") })},
		"another time":     {name, bytesOf(func(i *feedtree.Item) { i.Time++ })},
		"a changed number": {other, bytesOf(func(i *feedtree.Item) { i.Number++ })},
		"another key":      {name, bytesOf(func(i *feedtree.Item) { i.Sign(name.Topic, keyFrom("foreign")) })},
		"too few bytes":    {name, good[:40]},
		"no bytes":         {name, nil},
	} {
		if (verifier{}).Genuine(lie.name, lie.bytes) {
			t.Errorf("%s is taken for genuine", what)
		}
	}
}

func keyFrom(seed string) ed25519.PrivateKey {
	sum := sha256.Sum256([]byte(seed))
	return ed25519.NewKeyFromSeed(sum[:])
}

// What its publisher has withdrawn is replaced by what the publisher has signed, for that number and topic; another
// cannot.
func TestTheVerifierTakesWithdrawals(t *testing.T) {
	t.Parallel()
	key, thief := keyFrom("judged"), keyFrom("thief")
	topic := feedtree.TopicOf(engine.IDOf([]byte("https://blog.example/feed")), feedtree.KeyOf(key).Fingerprint())
	name := archive.Name{Topic: topic, Number: 3}
	w := &feedtree.Withdrawal{Number: 3}
	w.Sign(topic, key)
	void := voidOf(w)
	if !(verifier{}).Genuine(name, void) || archive.PrintOf(void) != 0 {
		t.Error("a withdrawal is refused, or does not count as the least")
	}
	stolen := &feedtree.Withdrawal{Number: 3}
	stolen.Sign(topic, thief)
	renamed := &feedtree.Withdrawal{Number: 4, Key: w.Key, Signature: w.Signature}
	for what, c := range map[string]struct {
		name   archive.Name
		bytes  []byte
		forged bool
	}{
		"another number":  {archive.Name{Topic: topic, Number: 4}, void, false},
		"another's key":   {name, voidOf(stolen), true},
		"number replaced": {archive.Name{Topic: topic, Number: 4}, voidOf(renamed), true},
		"cut":             {name, void[:len(void)-1], false},
		"longer":          {name, append(void[:len(void):len(void)], 0), false},
		"mark alone":      {name, []byte(archive.VoidMark), false},
	} {
		if v := (verifier{}); v.Genuine(c.name, c.bytes) || v.Forged(c.name, c.bytes) != c.forged {
			t.Errorf("%s: genuine %v, forged %v", what, v.Genuine(c.name, c.bytes), v.Forged(c.name, c.bytes))
		}
	}
}
