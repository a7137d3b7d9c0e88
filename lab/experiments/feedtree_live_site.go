package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node"
	"tidings/source/announce"
	"tidings/source/feed"
)

const (
	oldStories = 3  // that a site has before it is edited
	listed     = 20 // stories of a site that its feed lists at most
)

// pushSite is a static site whose feed announces its publisher's key. It is edited by hand.
type pushSite struct {
	name, url string
	file      string // of the feed
	announced string
	origin    *origin.Origin
	edits     int
}

// pushSilence is what publishers promise.
const pushSilence = node.UsualSilence

// newPushSite puts a site into a folder, and has the origin serve it.
func newPushSite(t *pushTown, name string, key node.PublisherKey) (*pushSite, error) {
	s := &pushSite{name: name, url: t.base + name, file: filepath.Join(t.dir, name+".xml"), origin: t.origin}
	a := feed.Announcement{
		Topic:       feedtree.TopicOf(engine.ID(tidings.IDOf(s.url)), key.Fingerprint),
		Fingerprint: key.Fingerprint, Silence: pushSilence,
	}
	var err error
	if s.announced, err = announce.Snippet(feed.RSS, a); err != nil {
		return nil, err
	}
	return s, errors.Join(s.write(), t.origin.AddMade(name, s.document, origin.Options{}))
}

// story names the story that an edit adds; edits count from 1.
func (s *pushSite) story(edit int) string { return fmt.Sprint(s.name, "-", edit) }

// document is the feed after so many edits, the newest story first.
func (s *pushSite) document(edits int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<rss version=\"2.0\"><channel>%s<title>%s</title><link>http://site.example/</link>\n", s.announced, s.name)
	for i := edits; i > max(-oldStories, edits-listed); i-- {
		fmt.Fprintf(&b, "<item><guid isPermaLink=\"false\">%[1]s</guid><title>Story %[2]d</title><description>%[3]s</description></item>\n",
			s.story(i), i, strings.Repeat(fmt.Sprint("What story ", i, " tells. "), 40))
	}
	return []byte(b.String() + "</channel></rss>\n")
}

// edit adds a story to the file, as site generators do: a new file takes the old one's place. It returns
// the story's name, and when the file was there.
func (s *pushSite) edit() (story string, at time.Time, err error) {
	s.edits++
	if err := s.write(); err != nil {
		return "", at, err
	}
	at = time.Now()
	_, err = s.origin.Step(s.name)
	return s.story(s.edits), at, err
}

func (s *pushSite) write() error {
	whole := s.file + ".new"
	if err := errors.Join(os.WriteFile(whole, s.document(s.edits), 0o600), os.Rename(whole, s.file)); err != nil {
		return fmt.Errorf("editing a site: %w", err)
	}
	return nil
}
