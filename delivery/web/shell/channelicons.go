package shell

import (
	"tidings"
	"tidings/delivery/web/wording"
)

// ChannelIcons has the paths of the icons of channels, by the channels' URLs. A channel without one has a letter in its
// place.
type ChannelIcons map[string]string

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
	channels, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		s.unanswered(r, "channels with icons", err)
	}
	return s.iconsOf(channels, chosen)
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
