package news

import (
	"errors"
	"strings"
	"testing"

	"tidings"
	"tidings/source/feed"
)

// An item that has nothing to show is not published; one that withdraws another may be.
func TestComplete(t *testing.T) {
	for _, test := range []struct {
		what, inside string
		refused      bool
	}{
		{"nothing", "", true},
		{"a status", "<itemMeta><pubStatus qcode='stat:usable'/></itemMeta>", true},
		{"an empty content", "<contentMeta><headline> </headline></contentMeta><contentSet><inlineXML/></contentSet>",
			true},
		{"a headline", "<contentMeta><headline>News</headline></contentMeta>", false},
		{"a text", "<contentSet><inlineXML contenttype='application/xhtml+xml'><html xmlns='http://www.w3.org/1999/xhtml'><body><p>Text.</p></body></html></inlineXML></contentSet>", false},
		{"a withdrawal", "<itemMeta><pubStatus qcode='stat:canceled'/></itemMeta>", false},
	} {
		text := "<newsItem xmlns='http://iptc.org/std/nar/2006-10-01/' guid='urn:newsml:example.org:1' version='1'>" +
			test.inside + "</newsItem>"
		d, err := Parse([]byte(text), "", Default())
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		err = Complete(d.Feed(feed.Default()))
		if refused := errors.Is(err, tidings.ErrInvalid) &&
			strings.Contains(err.Error(), "neither a headline nor content"); refused != test.refused {
			t.Errorf("%s: %v", test.what, err)
		}
	}
}
