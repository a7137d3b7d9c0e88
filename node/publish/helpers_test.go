package publish

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings/source/feed"
)

const ownFeed = "https://blog.example/feed.xml"

func mustParse(t *testing.T, doc string) *feed.Document {
	t.Helper()
	d, err := feed.Parse([]byte(doc), "", ownFeed, feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// story is an item of a feed.
type story struct{ title, text string }

// feedOf is a feed in which the newest story stands first, as usual.
func feedOf(stories ...story) string {
	var b strings.Builder
	b.WriteString("<rss version=\"2.0\"><channel><title>A blog</title><link>https://blog.example/</link>\n")
	for i := len(stories) - 1; i >= 0; i-- {
		fmt.Fprintf(&b,
			"<item><guid>%d</guid><link>https://blog.example/posts/%d/</link><title>%s</title><description>%s</description></item>\n",
			i, i, stories[i].title, stories[i].text)
	}
	return b.String() + "</channel></rss>\n"
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
