package shell

import (
	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/web/wording"
)

// ChannelIcons has the paths of the icons of channels, by the channels' URLs. A channel without one has a letter in its
// place.
type ChannelIcons map[string]string

// beside is what a page shows of all that the requester follows. It is read once for a page, which may need it for its
// lines, for what stands beside it, and for more.
type beside struct {
	read     bool
	channels []tidings.Subscription
	icons    ChannelIcons
}

// Anew returns a request whose answer goes on for long: it keeps nothing of what it has read, which may change.
func (r Request) Anew() Request {
	r.beside = nil
	return r
}

// Held returns how many bytes the answer holds of what stands beside the page.
func (r Request) Held() int64 {
	if r.beside == nil {
		return 0
	}
	return memory.OfChannels(r.beside.channels)
}

// besideOf returns what the requester follows, with the icons that are shown as somebody has chosen to see pictures.
func (s Shell) besideOf(r Request, chosen tidings.Preferences) (b beside, err error) {
	if r.beside != nil && r.beside.read {
		return *r.beside, nil
	}
	if b.channels, err = s.Followed(r.Context(), r.Account); err != nil {
		return b, err
	}
	b.read, b.icons = true, s.iconsOf(b.channels, chosen)
	if r.beside != nil {
		*r.beside = b
	}
	return b, nil
}

// ChannelIcons returns the icons that are shown to the requester: those of followed channels with pictures shown.
func (s Shell) ChannelIcons(r Request) ChannelIcons {
	if s.Icon == nil {
		return nil
	}
	chosen, err := s.Preferences(r)
	if err != nil {
		s.unanswered(r, "preferences for icons", err)
		return nil
	}
	b, err := s.besideOf(r, chosen)
	if err != nil {
		s.unanswered(r, "channels with icons", err)
	}
	return b.icons
}

// iconsOf returns the icons of channels as somebody has chosen to see pictures.
func (s Shell) iconsOf(channels []tidings.Subscription, chosen tidings.Preferences) ChannelIcons {
	if s.Icon == nil {
		return nil
	}
	icons := make(ChannelIcons)
	for i := range channels {
		if c := &channels[i]; c.ShowsPictures(chosen) {
			if path := s.Icon(c.Channel); path != "" {
				icons[c.URL] = path
			}
		}
	}
	return icons
}

// Badge returns what stands for a channel.
func (i ChannelIcons) Badge(label, channel string) wording.Badge {
	badge := wording.BadgeOf(label, channel)
	badge.Icon = i[channel]
	return badge
}
