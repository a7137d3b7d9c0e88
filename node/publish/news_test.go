package publish

import (
	"testing"

	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/view"
)

// Published items name the channel only if the feed does. The provider of a news document, which each names, is not the
// channel.
func TestANewsDocumentDoesNotNameTheChannel(t *testing.T) {
	const ninjs = `[{"uri":"urn:agency:1","type":"text","headlines":[{"value":"Harbour reopens"}],"infoSources":[{"name":"Agency"}]}]`
	const newsML = `<newsItem xmlns="http://iptc.org/std/nar/2006-10-01/" guid="urn:agency:2" version="1" standard="NewsML-G2" standardversion="2.30">
		<itemMeta><provider literal="agency"><name>Agency</name></provider><itemClass qcode="ninat:text"/></itemMeta>
		<contentMeta><headline>Rain</headline></contentMeta><contentSet><inlineData>It rains.</inlineData></contentSet></newsItem>`
	const nitf = `<nitf><head><docdata><doc-id id-string="urn:agency:3" regsrc="Agency"/></docdata></head><body><body.head><hedline><hl1>Snow</hl1></hedline></body.head></body></nitf>`
	p, around := newPublisher(t)
	run(t, p)
	for _, c := range []struct{ doc, title string }{{ninjs, ""}, {newsML, ""}, {nitf, ""},
		{feedOf(story{"One", "1"}), "A blog"}} {
		issued, err := p.Publish(t.Context(), view.PublishOrder{Document: []byte(c.doc), Channel: ownFeed})
		if err != nil || len(issued.Items) != 1 {
			t.Fatalf("%s: %+v, %v", c.doc, issued, err)
		}
		for item := (*feedtree.Item)(nil); item == nil || item.Number < issued.Items[0].Number; {
			item, _ = next(t, around.said).(*feedtree.Item)
			if item == nil || item.Number < issued.Items[0].Number {
				continue
			}
			set, err := changeset.Decode(item.Entry, feed.Default())
			if err != nil || set.Title != c.title || c.title == "" && set.Site != "" {
				t.Errorf("the channel of %s is called %q, at %q: %v", c.doc, set.Title, set.Site, err)
			}
		}
	}
}
