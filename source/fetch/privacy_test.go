package fetch

import (
	"testing"

	"tidings"
)

func TestClassify(t *testing.T) {
	for url, want := range map[string]tidings.Privacy{
		"https://user:pass@example.org/feed": tidings.Credentialed,
		"https://user@example.org/feed":      tidings.Credentialed,

		"https://example.org/": tidings.Public,
		"https://blog.example.org/2024/01/15/the-quick-brown-fox-jumps-over-the-lazy-dog.html":    tidings.Public,
		"https://example.org/thequickbrownfoxjumpsoverthelazydog/feed.xml":                        tidings.Public,
		"https://www.youtube.com/feeds/videos.xml?channel_id=UCXuqSBlHAE6Xw-yeJA0Tunw":            tidings.Public,
		"https://www.youtube.com/feeds/videos.xml?playlist_id=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf": tidings.Public,
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ":                                             tidings.Public,
		"https://github.com/golang/go/commits/9f3c1b1c0a5d4e6f7a8b9c0d1e2f3a4b5c6d7e8f.atom":      tidings.Public,
		"https://github.com/golang/go/releases.atom":                                              tidings.Public,
		"https://feeds.megaphone.fm/GLT1412515089":                                                tidings.Public,
		"https://www.omnycontent.com/d/playlist/e73c998e-6e60-432f-8610-ae210140c5b1/a91018a4-ea4f-4130-bf55-ae270180c327/44710ecc-10bb-48d1-93c7-ae270180c33e/podcast.rss": tidings.Public,
		"https://podcasts.files.bbci.co.uk/p02nq0gn.rss":                                              tidings.Public,
		"https://anchor.fm/s/1e4a0eac/podcast/rss":                                                    tidings.Public,
		"https://rss.nytimes.com/services/xml/rss/nyt/HomePage.xml":                                   tidings.Public,
		"https://www.theguardian.com/world/rss":                                                       tidings.Public,
		"https://www.spiegel.de/schlagzeilen/tops/index.rss":                                          tidings.Public,
		"https://www.reddit.com/r/golang/comments/1abcde2/go_127_release_notes_discussion/.rss":       tidings.Public,
		"https://stackoverflow.com/feeds/tag?tagnames=go&sort=newest":                                 tidings.Public,
		"https://news.ycombinator.com/rss":                                                            tidings.Public,
		"https://medium.com/feed/@somebody-with-a-long-name":                                          tidings.Public,
		"https://medium.com/@a/why-we-moved-to-postgres-3f2a9c1b7d4e":                                 tidings.Public,
		"https://www.amazon.com/dp/B08N5WRWNW/ref=sr_1_1":                                             tidings.Public,
		"https://bsky.app/profile/did:plc:z72i7hdynmk6r22z27h6tvur/rss":                               tidings.Public,
		"https://mastodon.social/@Gargron.rss":                                                        tidings.Public,
		"https://mastodon.social/@Gargron/112345678901234567":                                         tidings.Public,
		"https://export.arxiv.org/rss/cs.DC":                                                          tidings.Public,
		"https://example.org/search?q=distributed+systems+conference+2026&author=knuth&keyword=x":     tidings.Public,
		"https://example.org/rss?category=InternationalPoliticsAndEconomics":                          tidings.Public,
		"https://example.org/ProductsAndServicesAnnouncements/LatestNewsAndUpdates.aspx":              tidings.Public,
		"https://example.org/2024-01-15T10-30-00Z/changes-2024-01-15-to-2024-02-20":                   tidings.Public,
		"https://example.org/releases/v1.24.0-rc.1-linux-amd64-20240115T103000":                       tidings.Public,
		"https://example.org/iphone-15-pro-max-a17-chip-review-ios17-beta3-hands-on":                  tidings.Public,
		"https://ja.wikipedia.org/wiki/%E3%83%A1%E3%82%A4%E3%83%B3%E3%83%9A%E3%83%BC%E3%82%B8":        tidings.Public,
		"https://www.donaudampfschifffahrtsgesellschaft.example/kraftfahrzeughaftpflichtversicherung": tidings.Public,
		"https://example.org/?p=123&feed=rss2":                                                        tidings.Public,
		"https://example.org/index.php?option=com_content&view=category&format=feed&type=rss":         tidings.Public,

		"https://example.org/feed?token=abc":                                                             tidings.Unlisted,
		"https://example.org/feed?key=1":                                                                 tidings.Unlisted,
		"https://example.org/feed?feed_token=xyz":                                                        tidings.Unlisted,
		"https://example.org/feed?X-Amz-Signature=00":                                                    tidings.Unlisted,
		"https://github.com/somebody.private.atom?token=AAAB":                                            tidings.Unlisted,
		"https://www.patreon.com/rss/somebody?auth=Zk3jd9s0aB4x":                                         tidings.Unlisted,
		"https://feeds.pinboard.in/rss/secret:0a1b2c/u:somebody/":                                        tidings.Unlisted,
		"https://kill-the-newsletter.com/feeds/p9qh3wzb1u8k2x7m5t4c.xml":                                 tidings.Unlisted,
		"https://calendar.google.com/calendar/ical/a/private-0123456789abcdef0123456789abcdef/basic.ics": tidings.Unlisted,
		"https://api.substack.com/feed/podcast/12/private/0d1c6c1e-8d6a-4b9d-9f0a-3f6e8a1b2c3d.rss":      tidings.Unlisted,
		"https://example.org/feed/0d1c6c1e-8d6a-4b9d-9f0a-3f6e8a1b2c3d":                                  tidings.Unlisted,
		"https://example.org/u/6f1ed002ab5595859014ebf0951522d9/rss":                                     tidings.Unlisted,
		"https://www.google.com/alerts/feeds/01234567890123456789/1234567890123456789":                   tidings.Unlisted,
		"https://example.org/f/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9":                                     tidings.Unlisted,
		"https://example.org/f/dGhpcyBpcyBh-c2VjcmV0IHRv_a2VuIGZvciB5b3U":                                tidings.Unlisted,
		"https://docs.example.org/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/pub":                    tidings.Unlisted,
		"https://example.org/feed?u=h7Gk2Lq9Zx4Vb8Nm3Rt6":                                                tidings.Unlisted,
		"https://example.org/f/qzxvkjwpfhgbtrqmzxcvpl":                                                   tidings.Unlisted,

		"http://127.0.0.1/feed":            tidings.Unlisted,
		"http://2130706433/feed":           tidings.Unlisted,
		"http://[::1]:8080/feed":           tidings.Unlisted,
		"http://192.168.1.4/feed":          tidings.Unlisted,
		"http://localhost:1200/rss":        tidings.Unlisted,
		"http://nas/rss":                   tidings.Unlisted,
		"http://printer.local/status":      tidings.Unlisted,
		"http://wiki.corp.internal/recent": tidings.Unlisted,
		"http://router.lan/log":            tidings.Unlisted,
		"http://8.8.8.8/feed":              tidings.Public,
		"::nonsense":                       tidings.Unlisted,
		"":                                 tidings.Unlisted,
	} {
		if got := Classify(url, false); got != want {
			t.Errorf("%s is %s, want %s", url, got, want)
		}
	}
}

func TestPrivateAddressesArePublicInALab(t *testing.T) {
	for url, want := range map[string]tidings.Privacy{
		"http://127.0.0.1:8123/feed.xml":           tidings.Public,
		"http://localhost:8123/feed.xml":           tidings.Public,
		"http://127.0.0.1:8123/feed.xml?token=abc": tidings.Unlisted,
		"http://a:b@127.0.0.1:8123/feed.xml":       tidings.Credentialed,
	} {
		if got := Classify(url, true); got != want {
			t.Errorf("%s is %s, want %s", url, got, want)
		}
	}
}
