package news

import (
	"errors"
	"strings"
	"testing"
)

// What cannot be used gives an error that says where it is wrong and what is missing.
func TestErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		kind      error
		want      string
	}{
		{"nothing", "", ErrNotNews, "document: is empty"},
		{"text", "hello", ErrNotNews, "document, line 1, column 1: is neither XML nor JSON"},
		{"feed", "<rss version='2.0'/>", ErrNotNews,
			"document, line 1, column 1, rss: is XML of another kind: news begins with nitf, newsItem, packageItem or newsMessage"},
		{"concept", "\n <conceptItem guid='x'/>", ErrNotNews,
			"NewsML-G2, line 2, column 2, conceptItem: describes a concept, not news"},
		{"knowledge", "<knowledgeItem/>", ErrNotNews,
			"NewsML-G2, line 1, column 1, knowledgeItem: describes a set of concepts, not news"},
		{"planning", "<planningItem/>", ErrNotNews,
			"NewsML-G2, line 1, column 1, planningItem: says what is planned, and is not news yet"},
		{"catalog", "<catalogItem/>", ErrNotNews,
			"NewsML-G2, line 1, column 1, catalogItem: lists vocabularies, not news"},
		{"fragment", "<contentSet/>", ErrIncomplete,
			"NewsML-G2, line 1, column 1, contentSet: is a part of an item: the root element newsItem, with its guid, is missing"},
		{"no guid", "<newsItem>\n</newsItem>", ErrIncomplete, "NewsML-G2, line 1, column 1, newsItem: has no guid"},
		{"blank guid", "<newsItem guid=' '/>", ErrIncomplete, "NewsML-G2, line 1, column 1, newsItem: has no guid"},
		{"guid too long", "<newsItem guid='" + strings.Repeat("x", 2049) + "'/>", ErrLimit,
			"NewsML-G2, line 1, column 1, newsItem: its guid is longer than 2048 bytes"},
		{"no id in NITF", "<nitf><head><docdata><doc-id/></docdata></head></nitf>", ErrIncomplete,
			"NITF, line 1, column 1, nitf: has no doc-id with an id-string in head/docdata"},
		{"id too long in NITF", "<nitf><head><docdata><doc-id id-string='" + strings.Repeat("x", 2049) +
			"'/></docdata></head></nitf>", ErrLimit,
			"NITF, line 1, column 22, doc-id: its id-string is longer than 2048 bytes"},
		{"empty message", "<newsMessage><itemSet><conceptItem/></itemSet></newsMessage>", ErrIncomplete,
			"NewsML-G2, line 1, column 1, newsMessage: has no newsItem or packageItem in its itemSet"},
		{"message of broken items", "<newsMessage><itemSet>\n<newsItem/></itemSet></newsMessage>", ErrIncomplete,
			"NewsML-G2, line 2, column 1, newsItem: has no guid"},
		{"cut off", "<newsItem guid='x'>\n<itemMeta>", ErrMalformed,
			"NewsML-G2, line 2, column 11, itemMeta: breaks off: the document ends before its elements do"},
		{"cut off in a tag", "<newsItem guid='x", ErrMalformed,
			"document, line 1, column 18: breaks off: the document ends before its elements do"},
		{"crossed tags", "<nitf><head><body></head></nitf>", ErrMalformed,
			"NITF, line 1, column 26, body: is not well-formed: element <body> closed by </head>"},
		{"two roots", "<nitf/><nitf/>", ErrMalformed, "NITF, line 1, column 15: has a second root element, nitf"},
		{"text after the root", "<nitf/>x", ErrMalformed,
			"NITF, line 1, column 9: has text outside of its root element"},
		{"comment alone", "<!-- x -->", ErrMalformed, "document, line 1, column 11: has no root element"},
		{"declared entity", "<!DOCTYPE nitf [<!ENTITY a 'b'>]>\n<nitf>&a;</nitf>", ErrMalformed,
			"NITF, line 2, column 10, nitf: uses the entity &a;, which XML and HTML do not know; entities that a document declares are not expanded"},
		{"external entity", "<!DOCTYPE nitf [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><nitf>&a;</nitf>", ErrMalformed,
			"NITF, line 1, column 67, nitf: uses the entity &a;, which XML and HTML do not know; entities that a document declares are not expanded"},
		{"no uri", "{}", ErrIncomplete, "ninjs, $: has no uri"},
		{"null uri", `{"uri": null}`, ErrIncomplete, "ninjs, $: has no uri"},
		{"uri of a wrong type", `{"uri": ["x"]}`, ErrMalformed, "ninjs, $.uri: want a string, found a list"},
		{"uri too long", `{"uri": "` + strings.Repeat("x", 2049) + `"}`, ErrLimit,
			"ninjs, $: its uri is longer than 2048 bytes"},
		{"version of a wrong type", `{"uri": "x", "version": {}}`, ErrMalformed,
			"ninjs, $.version: want a string, found an object"},
		{"status of a wrong type", `{"uri": "x", "pubstatus": true}`, ErrMalformed,
			"ninjs, $.pubstatus: want a string, found true or false"},
		{"embargo of a wrong type", `[{"uri": "x", "embargoedUntil": []}]`, ErrMalformed,
			"ninjs, $[0].embargoedUntil: want a string, found a list"},
		{"no object", `[7]`, ErrNotNews, "ninjs, $[0]: want an object, found a string or number"},
		{"empty list", `[]`, ErrIncomplete, "ninjs, line 1, column 1, $: is an empty list"},
		{"JSON cut off", "{\n\"uri\": \"x\"", ErrMalformed,
			"ninjs, line 2, column 11: breaks off: the document ends before its objects and lists do"},
		{"JSON with a fault", "{\n\"uri\" 7}", ErrMalformed,
			"ninjs, line 2, column 7: is not well-formed JSON: invalid character '7' after object key"},
		{"JSON that goes on", "{\"uri\": \"x\"}\n }", ErrMalformed,
			"ninjs, line 2, column 2: goes on after the end of its object or list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Parse([]byte(c.doc), "", Default())
			if err == nil {
				t.Fatalf("got %+v", d)
			}
			checkError(t, c.name, err)
			if !errors.Is(err, c.kind) || err.Error() != "reading news: "+c.want {
				t.Errorf("got  %v\nwant %s (%v)", err, c.want, c.kind)
			}
		})
	}
}

// What is missing or cannot be read gets its default, and a note says so; but an embargo that cannot be read withholds
// the item.
func TestNotesAndDefaults(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      func(Item) bool
		note      string
	}{
		{"defaults", "<newsItem guid='x'/>", func(it Item) bool {
			return it.News.Version == 1 && it.News.Urgency == 5 && it.News.Status == "usable"
		}, ""},
		{"version 0", "<newsItem guid='x' version='0'/>", func(it Item) bool { return it.News.Version == 1 }, ""},
		{"version", "<newsItem guid='x' version='2.1'/>", func(it Item) bool { return it.News.Version == 1 },
			`newsItem@version: "2.1" is not a number from 0 to 2147483647: left out`},
		{"urgency 9", `{"uri": "x", "urgency": 9}`, func(it Item) bool { return it.News.Urgency == 9 }, ""},
		{"urgency 10", `{"uri": "x", "urgency": 10}`, func(it Item) bool { return it.News.Urgency == 5 },
			`$.urgency: "10" is not a number from 1 to 9: left out`},
		{"urgency 0", `{"uri": "x", "urgency": 0}`, func(it Item) bool { return it.News.Urgency == 5 },
			`$.urgency: "0" is not a number from 1 to 9: left out`},
		{"date", `{"uri": "x", "versioncreated": "yesterday"}`, func(it Item) bool { return it.News.Revised.IsZero() },
			`$.versioncreated: cannot read the date "yesterday": left out`},
		{"embargo in ninjs", `{"uri": "x", "embargoed": "noon"}`, func(it Item) bool {
			return it.News.Status == "withheld"
		}, `$.embargoed: the item is withheld, since its embargo cannot be read`},
		{"embargo in NewsML-G2", `<newsItem guid="x"><itemMeta><embargoed>noon</embargoed><pubStatus qcode="stat:usable"/></itemMeta></newsItem>`,
			func(it Item) bool { return it.News.Status == "withheld" },
			`embargoed: the item is withheld, since its embargo cannot be read`},
		{"embargo of what is canceled", `{"uri": "x", "embargoed": "noon", "pubstatus": "canceled"}`,
			func(it Item) bool { return it.News.Status == "canceled" }, ""},
		{"embargo without a date",
			`<nitf><head><docdata management-status="embargoed"><doc-id id-string="x"/></docdata></head></nitf>`,
			func(it Item) bool { return it.News.Status == "withheld" },
			`the item is withheld, since it is embargoed without a date.release`},
		{"embargo with a date", `<nitf><head><docdata management-status="embargoed"><doc-id id-string="x"/><date.release norm="20260101"/></docdata></head></nitf>`,
			func(it Item) bool { return it.News.Status == "usable" && !it.News.Embargo.IsZero() }, ""},
		{"British spelling", `{"uri": "x", "pubstatus": "Cancelled"}`,
			func(it Item) bool { return it.News.Status == "canceled" }, ""},
		{"status", `{"uri": "x", "pubstatus": "replaced"}`, func(it Item) bool { return it.News.Status == "usable" },
			`$.pubstatus: unknown status "replaced": taken for usable`},
		{"language", `{"uri": "x", "language": "the King's"}`, func(it Item) bool { return it.News.Language == "" },
			`$.language: "the king's" is not a language tag: left out`},
		{"headline of a wrong type", `{"uri": "x", "headline": {}}`, func(it Item) bool { return it.Title == "" },
			`$.headline: want a string, found an object: left out`},
		{"association with another item", `{"uri": "x", "associations": [{"name": "update", "uri": "y"}]}`,
			func(it Item) bool { return it.News.Signal == "" }, ""},
		{"NITF kill of itself", `<nitf><head><docdata management-status="canceled" management-doc-idref="x" management-idref-status="canceled"><doc-id id-string="x"/></docdata></head></nitf>`,
			func(it Item) bool { return it.News.Status == "canceled" }, ""},
		{"generation alone",
			`<nitf><head><docdata><doc-id id-string="x"/><du-key generation="3"/></docdata></head></nitf>`,
			func(it Item) bool { return it.News.Version == 3 }, ""},
		{"largest generation", `<nitf><head><docdata><doc-id id-string="x"/><du-key generation="2147483647" version="7"/></docdata></head></nitf>`, func(it Item) bool { return it.News.Version == maxVersion }, ""},
		{"second line of a headline",
			"<newsItem guid='x'><contentMeta><headline>a\n  b</headline></contentMeta></newsItem>",
			func(it Item) bool { return it.Title == "a b" }, ""},
		{"other XML in the content", `<newsItem guid="x"><contentSet><inlineXML contenttype="application/sportsml+xml"><sports>1:0</sports></inlineXML></contentSet></newsItem>`,
			func(it Item) bool { return it.Content == "" }, ""},
		{"latin 1", "<?xml version='1.0' encoding='ISO-8859-1'?><newsItem guid='x'><contentMeta><headline>\xe9t\xe9</headline></contentMeta></newsItem>", func(it Item) bool { return it.Title == "été" }, ""},
		{"UTF-16", "\xff\xfe{\x00\"\x00u\x00r\x00i\x00\"\x00:\x00\"\x00x\x00\"\x00}\x00",
			func(it Item) bool { return it.ID == "x" }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Parse([]byte(c.doc), "", Default())
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Items) != 1 || !c.want(d.Items[0]) {
				t.Errorf("got %+v", d.Items)
			}
			if c.note != "" && !strings.Contains(strings.Join(d.Notes, "\n"), c.note) {
				t.Errorf("notes %q lack %q", d.Notes, c.note)
			}
			if c.note == "" && !strings.Contains(c.name, "canceled") && len(d.Notes) > 0 {
				t.Errorf("notes %q", d.Notes)
			}
			checkDocument(t, d)
		})
	}
}
