package channels

import (
	"strings"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
)

// split returns the canonical form of an address, and the credentials that stood in it.
func (c *Channels) split(address string) (clean, user, password string, err error) {
	clean, user, password, err = fetch.SplitCredentials(address)
	if err != nil {
		clean = address // one without a scheme can be canonical all the same; another is told what is wrong with it
	}
	clean, err = feed.Canonical(clean)
	if err != nil {
		return "", "", "", err
	}
	return clean, user, password, nil
}

// classify gives a channel its privacy class, before it is fetched by plan.
func (c *Channels) classify(address, user, password string) tidings.Privacy {
	if user != "" || password != "" {
		return tidings.Credentialed
	}
	return fetch.Classify(address, c.config.Lab)
}

func validPrivacy(p tidings.Privacy) error {
	switch p {
	case tidings.Public, tidings.Unlisted, tidings.Credentialed:
		return nil
	}
	return tidings.Invalidf("the privacy class %q is none of public, unlisted, credentialed", p)
}

// optionsKey writes options so that equal ones give equal texts.
func optionsKey(o tidings.PageOptions) string {
	var b strings.Builder
	for _, list := range [][]string{o.Select, o.Ignore, o.Keep} {
		for _, option := range list {
			b.WriteString(option)
			b.WriteByte(0)
		}
		b.WriteByte(1)
	}
	return b.String()
}
