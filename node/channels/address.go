package channels

import (
	"strings"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
)

// split returns the canonical form of an order's address, and what its origin is to be sent. That is the credentials in
// the address, and what else the order says.
func (c *Channels) split(o tidings.SubscribeRequest) (clean string, access tidings.Access, err error) {
	address := o.URL
	clean, access.User, access.Password, err = fetch.SplitCredentials(address)
	if err != nil {
		clean = address // one without a scheme can be canonical nevertheless; for another, an error says what is wrong
	}
	clean, err = feed.Canonical(clean)
	if err != nil {
		return "", tidings.Access{}, tidings.WithHint(err, inAddressBar)
	}
	access, err = fetch.Alter(access, o.Access)
	return clean, access, err
}

// classify gives a channel its privacy class, before it is fetched by plan.
func (c *Channels) classify(address string, access tidings.Access) tidings.Privacy {
	if !access.IsZero() {
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
	for _, list := range [][]string{o.Select, o.Ignore, o.Keep, o.NotifyIf} {
		for _, option := range list {
			b.WriteString(option)
			b.WriteByte(0)
		}
		b.WriteByte(1)
	}
	if o.Prices {
		b.WriteByte('p')
	}
	if o.Entries {
		b.WriteByte('e')
	}
	return b.String()
}

// accessKey writes a change of an access so that equal ones give equal texts.
func accessKey(c tidings.AccessChange) string {
	proxy := "-"
	if c.Proxy != nil {
		proxy = "+" + *c.Proxy
	}
	return strings.Join(c.Headers, "\x00") + "\x01" + strings.Join(c.Cookies, "\x00") + "\x01" + proxy
}
