package proxy

import "tidings"

// Shown returns how readers are shown an entry of a channel: its title, which is never empty, its link, and its HTML.
// Of a page that is what changed; what turned out to be false is marked so.
func Shown(channel tidings.Subscription, e tidings.Entry) (title, link, content string) {
	shown := newEntry(channel, e)
	shown.withdraw(e.Withdrawn)
	return shown.title, shown.link, shown.content
}
