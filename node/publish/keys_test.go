package publish

import (
	"errors"
	"testing"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
)

// A passphrase is needed once; a wrong one opens nothing and is not remembered.
func TestPassphrasesAreRemembered(t *testing.T) {
	keys := keyring.In(t.TempDir())
	if _, err := keys.New("me", "correct horse"); err != nil {
		t.Fatal(err)
	}
	s := newSecrets(keys, "")
	for _, step := range []struct {
		passphrase string
		want       error
	}{
		{"", keyring.ErrLocked}, {"wrong horse", keyring.ErrPassphrase}, {"", keyring.ErrLocked},
		{"correct horse", nil}, {"", nil}, {"wrong horse", keyring.ErrPassphrase}, {"", nil},
	} {
		if _, err := s.unlock("me", step.passphrase); !errors.Is(err, step.want) {
			t.Errorf("with %q: %v, want %v", step.passphrase, err, step.want)
		}
	}
	if _, err := s.private("me"); err != nil {
		t.Error(err)
	}
	if _, err := newSecrets(keys, "correct horse").unlock("", ""); err != nil {
		t.Errorf("with the usual passphrase: %v", err)
	}
}

// A key signs on its own topic alone, and not when it was revoked or another is in its place.
func TestWhatAKeySigns(t *testing.T) {
	keys := keyring.In(t.TempDir())
	topicOf := func(key keyring.Key) engine.ID {
		return feedtree.TopicOf(engine.ID(tidings.IDOf(ownFeed)), key.Fingerprint)
	}
	first, err := keys.New("me", "")
	if err != nil {
		t.Fatal(err)
	}
	read := func(topic engine.ID) error {
		_, err := (&signer{secrets: newSecrets(keys, ""), key: "me", topic: topic}).read()
		return err
	}
	if err := read(topicOf(first)); err != nil {
		t.Error(err)
	}
	second, err := keys.Rotate("me", "")
	if err != nil {
		t.Fatal(err)
	}
	if read(topicOf(first)) == nil {
		t.Error("another key signs on a topic")
	}
	if err := read(topicOf(second)); err != nil {
		t.Error(err)
	}
	if _, err := keys.Revoke("me", ""); err != nil {
		t.Fatal(err)
	}
	if err := read(topicOf(second)); !errors.Is(err, keyring.ErrRevoked) {
		t.Errorf("a revoked key: %v", err)
	}
	if _, err := newSecrets(keys, "").unlock("me", ""); !errors.Is(err, keyring.ErrRevoked) {
		t.Errorf("a revoked key is picked: %v", err)
	}
}

// While it is known that a key cannot sign, nothing is promised with it.
func TestNothingIsPromisedInTrouble(t *testing.T) {
	p, _ := newPublisher(t)
	run(t, p)
	if _, err := p.PublishEntry(t.Context(), ownFeed, "", tidings.PublishedEntry{ID: "1", Title: "One"}); err != nil {
		t.Fatal(err)
	}
	c := p.all()[0]
	last, _ := c.said()
	c.gave(last)
	if c.word(time.Hour) == nil {
		t.Fatal("nothing is promised")
	}
	c.note(&c.wrong, keyring.ErrRevoked)
	if c.word(time.Hour) != nil {
		t.Error("a revoked key promises something")
	}
}
