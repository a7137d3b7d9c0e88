package source

import (
	"testing"

	"tidings"
)

// What is for a channel's own origin is sent nowhere else, though the channel is fetched elsewhere since a permanent
// redirect held. Its proxy is used there, too.
func TestAccessStaysWhereAChannelBegan(t *testing.T) {
	secret := tidings.Access{User: "u", Password: "p", Headers: []string{"X-Key: k"}, Cookies: []string{"a=b"},
		Proxy: "http://p.example"}
	const own = "https://o.example/feed#~0123456789abcdef0123456789abcdef"
	for _, url := range []string{"https://o.example/feed", own} {
		for moved, whole := range map[string]bool{
			"": true, "https://o.example/new": true, "https://thief.example/feed": false,
			"http://o.example/feed": false, "https://o.example:8443/feed": false,
		} {
			address := tidings.PublicURL(url)
			if moved != "" {
				address = moved
			}
			w := at(map[string]answer{address: rss(item(1, "one"))})
			w.poller(&shelf{}).Poll(t.Context(),
				Job{Channel: tidings.Channel{URL: url, Moved: moved, Kind: tidings.KindFeed,
					Privacy: tidings.Credentialed}, Access: secret}, "a test")
			asked := w[address].requests
			if len(asked) != 1 || asked[0].Access.Identifies() != whole || asked[0].Access.Proxy != secret.Proxy ||
				!whole && asked[0].Access.Headers != nil {
				t.Errorf("%s, moved to %q: asked as %+v", url, moved, asked)
			}
		}
	}
}
