package feed

import (
	"net/url"
	"regexp"
	"strings"

	"tidings"
)

// place is a kind of page whose feed follows from its address.
type place struct {
	host  *regexp.Regexp // of the page; its groups are $1 ...
	path  *regexp.Regexp // of the page, without its final slash; its groups follow
	feeds []tidings.Choice
}

// WellKnown returns the feeds of a page that are known from its address alone, best first. It is for sites that
// announce no feed, or hide it from programs that are not browsers.
func WellKnown(pageURL string) []tidings.Choice {
	u, err := url.Parse(pageURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if list := u.Query().Get("list"); youTube.MatchString(host) && list != "" {
		return []tidings.Choice{{URL: "https://www.youtube.com/feeds/videos.xml?playlist_id=" + url.QueryEscape(list),
			Title: "Playlist", Type: "application/atom+xml"}}
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	for _, p := range places {
		h, m := p.host.FindStringSubmatch(host), p.path.FindStringSubmatch(path)
		if h == nil || m == nil {
			continue
		}
		groups := append(h[1:], m[1:]...)
		out := make([]tidings.Choice, 0, len(p.feeds))
		for _, f := range p.feeds {
			for i, g := range groups {
				f.URL = strings.ReplaceAll(f.URL, "$"+string(rune('1'+i)), g)
			}
			if link, err := Canonical(f.URL); err == nil && link != pageURL {
				f.URL = link
				out = append(out, f)
			}
		}
		return out
	}
	return nil
}

var youTube = regexp.MustCompile(`^(?:m\.)?youtube\.com$`)

// at compiles a place; host and path must match whole.
func at(host, path string, feeds ...tidings.Choice) place {
	return place{regexp.MustCompile("^" + host + "$"), regexp.MustCompile("^" + path + "$"), feeds}
}

func atom(title, url string) tidings.Choice {
	return tidings.Choice{URL: url, Title: title, Type: "application/atom+xml"}
}

func rss(title, url string) tidings.Choice {
	return tidings.Choice{URL: url, Title: title, Type: "application/rss+xml"}
}

// places are looked through in order; the first that fits counts.
var places = []place{
	at(`(?:m\.)?youtube\.com`, `/channel/(UC[\w-]{22})(?:/\w+)?`,
		atom("Videos", "https://www.youtube.com/feeds/videos.xml?channel_id=$1")),
	at(`(?:m\.)?youtube\.com`, `/user/([\w.-]+)(?:/\w+)?`,
		atom("Videos", "https://www.youtube.com/feeds/videos.xml?user=$1")),
	at(`github\.com`, `/([\w.-]+)/([\w.-]+)(?:/(?:releases|tags))?`,
		atom("Releases", "https://github.com/$1/$2/releases.atom"),
		atom("Tags", "https://github.com/$1/$2/tags.atom"),
		atom("Commits", "https://github.com/$1/$2/commits.atom")),
	at(`github\.com`, `/([\w.-]+)/([\w.-]+)/commits(?:/([\w./-]+))?`,
		atom("Commits", "https://github.com/$1/$2/commits/$3.atom")),
	at(`gitlab\.com`, `/([\w.-]+)/([\w.-]+)`, atom("Tags", "https://gitlab.com/$1/$2/-/tags?format=atom")),
	at(`codeberg\.org`, `/([\w.-]+)/([\w.-]+)(?:/releases)?`,
		rss("Releases", "https://codeberg.org/$1/$2/releases.rss")),
	at(`(?:old\.|new\.)?reddit\.com`, `/(r|user|u)/([\w-]+)`, atom("Posts", "https://www.reddit.com/$1/$2/.rss")),
	at(`medium\.com`, `/(@?[\w.-]+)`, rss("Stories", "https://medium.com/feed/$1")),
	at(`([\w-]+)\.substack\.com`, `.*`, rss("Posts", "https://$1.substack.com/feed")),
	at(`([\w-]+)\.wordpress\.com`, ``, rss("Posts", "https://$1.wordpress.com/feed/")),
	at(`([\w-]+)\.blogspot\.com`, ``, atom("Posts", "https://$1.blogspot.com/feeds/posts/default")),
	at(`([\w-]+)\.tumblr\.com`, ``, rss("Posts", "https://$1.tumblr.com/rss")),
	at(`bsky\.app`, `/profile/([\w.:-]+)`, rss("Posts", "https://bsky.app/profile/$1/rss")),
	at(`stackoverflow\.com`, `/questions/tagged/([\w.%+-]+)`,
		atom("Questions", "https://stackoverflow.com/feeds/tag/$1")),
	at(`news\.ycombinator\.com`, `(?:/news)?`, rss("Front page", "https://news.ycombinator.com/rss")),
	at(`pypi\.org`, `/project/([\w.-]+)`, rss("Releases", "https://pypi.org/rss/project/$1/releases.xml")),
	at(`arxiv\.org`, `/list/([\w.-]+)/\w+`, rss("New papers", "https://rss.arxiv.org/rss/$1")),
	// Mastodon and its kin; hosts where such a path means something else come before or are left out.
	at(`((?:[\w-]+\.)*(?:social|online|town|club|art|mastodon\.[a-z]+|fosstodon\.org|hachyderm\.io|infosec\.exchange|mstdn\.[a-z]+))`,
		`/(@\w+)`, rss("Posts", "https://$1/$2.rss")),
}
