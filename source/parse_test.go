package source

import (
	"errors"
	"testing"

	"tidings/source/feed"
	"tidings/source/news"
)

// A document is a feed where it can be one, news where it says so, and else what package feed says of it.
func TestParse(t *testing.T) {
	const (
		rss      = `<rss version="2.0"><channel><title>T</title><item><guid>1</guid><title>H</title></item></channel></rss>`
		jsonFeed = `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","uri":"x","headline":"H","title":"H"}]}`
		list     = `[{"id":"1","title":"One","url":"https://a.example/1","byline":"A"},{"id":"2","title":"Two","url":"https://a.example/2","byline":"A"}]`
		madeUp   = `[{"uri":"","title":"One","url":"https://a.example/1","byline":"A"},{"uri":"","title":"Two","url":"https://a.example/2","byline":"A"}]`
		ninjs    = `{"uri":"urn:1","headline":"H"}`
		bare     = `{"uri":"urn:1"}`
		nitf     = `<nitf><head><docdata><doc-id id-string="urn:1"/></docdata></head><body/></nitf>`
		broken   = "<nitf>\n<head></nitf>"
		page     = `<html><body>x</body></html>`
	)
	for name, c := range map[string]struct {
		doc       string
		want, own feed.Format // Unknown: it fails
		err       error       // as which Parse fails
	}{
		"RSS":                         {rss, feed.RSS, feed.RSS, nil},
		"JSON Feed":                   {jsonFeed, feed.JSONFeed, feed.JSONFeed, nil},
		"a list":                      {list, feed.JSONList, feed.JSONList, nil},
		"a list that is nearly ninjs": {madeUp, feed.JSONList, feed.JSONList, nil},
		"ninjs":                       {ninjs, feed.Format(news.Ninjs), feed.Format(news.Ninjs), nil},
		"NITF":                        {nitf, feed.Format(news.NITF), feed.Format(news.NITF), nil},
		"what only its owner knows":   {bare, feed.Unknown, feed.Format(news.Ninjs), feed.ErrNotFeed},
		"broken":                      {broken, feed.Unknown, feed.Unknown, news.ErrMalformed},
		"a page":                      {page, feed.Unknown, feed.Unknown, feed.ErrNotFeed},
	} {
		for how, parse := range map[string]func([]byte, string, string,
			feed.Config) (*feed.Document, error){"Parse": Parse, "ParseOwn": ParseOwn} {
			want := c.want
			if how == "ParseOwn" {
				want = c.own
			}
			d, err := parse([]byte(c.doc), "", "https://a.example/", feed.Default())
			switch {
			case want == feed.Unknown && (err == nil || how == "Parse" && !errors.Is(err, c.err)):
				t.Errorf("%s by %s: %+v, %v", name, how, d, err)
			case want != feed.Unknown && (err != nil || d.Format != want || len(d.Items) == 0):
				t.Errorf("%s by %s: %+v, %v", name, how, d, err)
			}
		}
		if _, err := Parse([]byte(c.doc), "", "", feed.Default()); isWrongNews(err) != errors.Is(c.err,
			news.ErrMalformed) {
			t.Errorf("%s: wrong news: %v", name, err)
		}
	}
}
