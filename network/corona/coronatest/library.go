package coronatest

import (
	"encoding/json"
	"fmt"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// keeping is how long a library needs to keep an update.
const keeping = 5 * time.Millisecond

// memory is how many contents of a channel a library can lead on from.
const memory = 8

// Library keeps the versions of channels at one node, on its disk. A delta is the whole new content, and still fits
// nothing but its base.
type Library struct {
	env      engine.Env
	node     *corona.Node
	disk     *sim.Disk
	keeps    func(engine.ID) bool // whether a channel is polled or subscribed to here
	relayed  map[engine.ID]bool
	channels map[engine.ID][]Version // while the library lives
	shown    map[engine.ID]string    // the last content received or seen
	atOnce   bool                    // see Settings.KeepAtOnce
	whole    int                     // contents that were received whole
}

// Whole returns how many contents were received whole, and not as a change.
func (l *Library) Whole() int { return l.whole }

// Version is a version that a library has kept.
type Version struct {
	Number  uint64
	Content string
	At      time.Duration // since the node started
	// News says that the content differs from that of the version before.
	News bool
}

// newLibrary returns the library with what is on a disk.
func newLibrary(env engine.Env, disk *sim.Disk, atOnce bool) *Library {
	return &Library{
		env: env, disk: disk, channels: make(map[engine.ID][]Version), shown: make(map[engine.ID]string),
		relayed: make(map[engine.ID]bool), atOnce: atOnce,
	}
}

// History returns the versions of a channel, the oldest first. Of an earlier life it has only some of the latest.
func (l *Library) History(channel engine.ID) []Version {
	if history, ok := l.channels[channel]; ok {
		return history
	}
	var history []Version
	if data, ok := l.disk.Get(channel.String()); ok {
		if err := json.Unmarshal(data, &history); err != nil {
			panic(fmt.Sprintf("coronatest: reading a library's own file: %v", err))
		}
	}
	l.channels[channel] = history
	return history
}

// Latest returns the latest version of a channel; the zero Version if there is none.
func (l *Library) Latest(channel engine.ID) Version {
	history := l.History(channel)
	if len(history) == 0 {
		return Version{}
	}
	return history[len(history)-1]
}

// Held returns the number and the hash of the latest version.
func (l *Library) Held(channel engine.ID) (version uint64, hash corona.Hash) {
	v := l.Latest(channel)
	if v.Number == 0 {
		return 0, corona.Hash{}
	}
	return v.Number, HashOf(v.Content)
}

// Content returns the hash of the last content received or seen.
func (l *Library) Content(channel engine.ID) corona.Hash {
	if shown, ok := l.shown[channel]; ok {
		return HashOf(shown)
	}
	_, hash := l.Held(channel)
	return hash
}

// Shows returns the last content received or seen.
func (l *Library) Shows(channel engine.ID) string {
	if shown, ok := l.shown[channel]; ok {
		return shown
	}
	return l.Latest(channel).Content
}

// Relay keeps a channel that is neither polled nor subscribed to.
func (l *Library) Relay(c corona.Channel) { l.relayed[c.ID] = true }

// Release ends what Relay began.
func (l *Library) Release(channel engine.ID) {
	if delete(l.relayed, channel); !l.keeps(channel) {
		delete(l.shown, channel)
	}
}

// Relays reports whether a channel is kept because the node makes its versions, or is a witness.
func (l *Library) Relays(channel engine.ID) bool { return l.relayed[channel] }

// has reports whether a channel is kept here.
func (l *Library) has(channel engine.ID) bool { return l.relayed[channel] || l.keeps(channel) }

// Store keeps an update, if it fits and its channel is kept here, as in package node.
func (l *Library) Store(u *corona.Update) {
	if u.Base == (corona.Hash{}) && len(u.Payload) > 0 {
		l.whole++
	}
	keep := func() { l.node.Stored(u.Channel, u.Version, l.has(u.Channel) && l.keep(u)) }
	if l.atOnce {
		keep()
		return
	}
	l.env.After(keeping, keep)
}

func (l *Library) keep(u *corona.Update) bool {
	number, hash := l.Held(u.Channel)
	now := l.Content(u.Channel)
	v := Version{Number: u.Version, At: l.env.Now()}
	switch {
	case u.Version <= number:
		return false
	case u.Hash == hash:
		v.Content = l.Latest(u.Channel).Content
	case u.Hash == now:
		v.Content, v.News = l.Shows(u.Channel), true
	case u.Base != hash && u.Base != now && u.Base != corona.Hash{}, HashOf(string(u.Payload)) != u.Hash:
		return false
	default:
		v.Content, v.News = string(u.Payload), true
	}
	history := append(l.History(u.Channel), v)
	l.channels[u.Channel] = history
	l.shown[u.Channel] = v.Content
	data, err := json.Marshal(history[max(0, len(history)-memory):])
	if err != nil {
		panic(fmt.Sprintf("coronatest: writing a library's file: %v", err))
	}
	l.disk.Put(u.Channel.String(), data)
	return true
}

// Lend passes found the change from a content to the latest.
func (l *Library) Lend(channel engine.ID, base corona.Hash, found func(*corona.Update)) {
	l.env.After(keeping, func() { found(l.lead(channel, base)) })
}

func (l *Library) lead(channel engine.ID, base corona.Hash) *corona.Update {
	latest := l.Latest(channel)
	if latest.Number == 0 {
		return nil
	}
	u := &corona.Update{
		Channel: channel, Version: latest.Number, Base: base, Hash: HashOf(latest.Content),
		Size: uint32(len(latest.Content)), Payload: []byte(latest.Content),
	}
	history := l.History(channel)
	for _, v := range history[max(0, len(history)-memory):] {
		if HashOf(v.Content) == base {
			return u
		}
	}
	u.Base = corona.Hash{} // the whole content fits all
	return u
}
