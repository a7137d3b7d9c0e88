package publish

import (
	"encoding/base64"
	"fmt"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/keyring"
	"tidings/source/announce"
	"tidings/source/feed"
)

// UsualSilence is within what time readers are promised a word where the publisher says nothing else. Shorter
// finds losses sooner, and costs a heartbeat each half of it to all readers.
const UsualSilence = time.Hour

// Announced says what was written into a feed's document.
type Announced struct {
	File        string               `json:"file"`
	Changed     bool                 `json:"changed"` // false: it said all that before
	Channel     string               `json:"channel"` // canonical URL of the feed
	Topic       string               `json:"topic"`
	Fingerprint feedtree.Fingerprint `json:"fingerprint"`
	Snippet     string               `json:"snippet"` // to paste
	Where       string               `json:"where"`   // in plain words
}

// Announce writes into the file of a feed that its items are pushed, signed with a key. It includes the key's rotations
// and revocations. It changes no other byte of the file.
func Announce(file, url string, key keyring.Key, silence time.Duration) (Announced, error) {
	channel, err := feed.Canonical(url)
	if err != nil {
		return Announced{}, tidings.Invalidf("%q is no address of a feed: %v", url, err)
	}
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(channel)), key.Fingerprint)
	a := feed.Announcement{Topic: topic, Fingerprint: key.Fingerprint, Silence: silence}
	if a.Rotations, err = wordsOf(key.Rotations); err != nil {
		return Announced{}, err
	}
	if a.Revocations, err = wordsOf(key.Revocations); err != nil {
		return Announced{}, err
	}
	done := Announced{File: file, Channel: channel, Topic: engine.ID(topic).String(), Fingerprint: key.Fingerprint}
	written, err := announce.File(file, a, feed.Default())
	if err != nil {
		return Announced{}, err
	}
	done.Changed = written.Changed
	done.Where = "behind the start of its channel or feed element"
	if written.Format == feed.JSONFeed {
		done.Where = "among its fields"
	}
	done.Snippet, err = announce.Snippet(written.Format, a)
	return done, err
}

// wordsOf returns signed words in their canonical form.
func wordsOf(texts []string) (words [][]byte, err error) {
	for _, text := range texts {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("reading a key's word: %w", err)
		}
		words = append(words, b)
	}
	return words, nil
}
