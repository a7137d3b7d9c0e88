package news

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
)

func TestOf(t *testing.T) {
	published := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	item := tidings.Item{ID: "tag:1", Title: "A\nheadline", Author: "Ann", Published: published,
		Categories: []string{"Sport", "sport", "Boats"}}
	n := Of("https://WWW.Example.org:8080/feed", "Title", item)
	want := tidings.News{GUID: "tag:1", Version: 1, Publisher: "example.org", Status: tidings.Usable, Urgency: 5,
		Headline: "A headline", Byline: "Ann",
		Subjects: []tidings.Subject{{Name: "Sport"}, {Name: "Boats"}}, Created: published.UTC(),
		Revised: published.UTC()}
	if fmt.Sprintf("%+v", n) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", n, want)
	}
	item.Updated = published.Add(time.Hour)
	if n := Of("", "Title", item); n.Publisher != "Title" || !n.Revised.Equal(item.Updated) ||
		!n.Created.Equal(published) {
		t.Errorf("%+v", n)
	}
}

func TestTopics(t *testing.T) {
	n := tidings.News{GUID: "urn:X", Publisher: "Reuters.com", Urgency: 3, Language: "en-gb", Genre: "Interview",
		Signal: tidings.Corrected, Status: tidings.Canceled,
		Subjects: []tidings.Subject{{Code: "20000849", Scheme: "medtop", Name: "Baseball"}, {Name: "Boats"},
			{Code: "15054001", Scheme: "subj"}},
		Places: []tidings.Subject{{Code: "DE", Scheme: "iso3166-1a2", Name: "Germany"}}}
	want := `any guid:urn:x publisher:reuters.com status:canceled signal:correction urgency:3 language:en-gb language:en genre:interview
		subject:medtop:15000000 subject:15000000 subject:subj:15054000 subject:15054000 subject:medtop:20000849 subject:20000849
		subject:subj:15054001 subject:15054001 place:iso3166-1a2:de place:de
		subject:sport subject:baseball subject:boats place:germany`
	if got := Topics(n); !slices.Equal(got, strings.Fields(want)) {
		t.Errorf("got %q", got)
	}
	if got := Topics(tidings.News{}); !slices.Equal(got, []string{"any", "status:usable", "urgency:5"}) {
		t.Errorf("got %q", got)
	}
	for i := range 100 {
		n.Subjects = append(n.Subjects, tidings.Subject{Code: fmt.Sprint(i), Scheme: "s", Name: fmt.Sprint("name ", i)})
	}
	if got := Topics(n); len(got) != MaxTopics || !slices.Contains(got, "subject:medtop:15000000") ||
		slices.Contains(got, "subject:boats") {
		t.Errorf("%d topics: %q", len(got), got)
	}
}

// The places of a few media topics and subject codes, as IPTC publishes them.
func TestAncestors(t *testing.T) {
	for _, c := range []struct{ scheme, code, want string }{
		{"medtop", "20000849", "medtop:15000000"}, // baseball
		{"medtop", "20000350", "medtop:04000000"}, // central bank
		{"medtop", "20000523", "medtop:09000000"}, // labour market
		{"medtop", "20000002", "medtop:01000000"}, // the ends of blocks
		{"medtop", "20001131", "medtop:17000000"},
		{"medtop", "20000001", ""},
		{"medtop", "20000052", ""},
		{"medtop", "20000120", ""}, // moved
		{"medtop", "20001132", ""}, // added later
		{"medtop", "15000000", ""}, // the top
		{"subj", "15054001", "subj:15054000 medtop:15000000"},
		{"subj", "15054000", "medtop:15000000"},
		{"subj", "15000001", "medtop:15000000"},
		{"subj", "99000001", ""},
		{"subj", "1505400", ""},
		{"other", "15054001", ""},
		{"", "20000849", ""},
	} {
		var got []string
		for _, s := range Ancestors(tidings.Subject{Scheme: c.scheme, Code: c.code}) {
			got = append(got, s.Scheme+":"+s.Code)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:%s: %q, want %q", c.scheme, c.code, got, c.want)
		}
	}
	for i, b := range blocks {
		if b.first > b.last || i > 0 && blocks[i-1].last >= b.first || topMediaTopics[b.top] == "" {
			t.Errorf("block %+v", b)
		}
	}
	if len(topMediaTopics) != 17 {
		t.Errorf("%d top-level topics", len(topMediaTopics))
	}
}

func TestParseDate(t *testing.T) {
	for _, c := range [][2]string{
		{"20020225T143000-0500", "2002-02-25T19:30:00Z"},
		{"20020225T143000-05:00", "2002-02-25T19:30:00Z"},
		{"20020225T143000Z", "2002-02-25T14:30:00Z"},
		{"20020225T143000", "2002-02-25T14:30:00Z"},
		{"20020225T1430+0100", "2002-02-25T13:30:00Z"},
		{"20020225T1430", "2002-02-25T14:30:00Z"},
		{"20020225", "2002-02-25T00:00:00Z"},
		{"2002-02-25", "2002-02-25T00:00:00Z"},
		{"2002-02-25+01:00", "2002-02-24T23:00:00Z"},
		{"2002-02", "2002-02-01T00:00:00Z"},
		{"2002", "2002-01-01T00:00:00Z"},
		{" 2002-02-25T14:30:00-05:00\n", "2002-02-25T19:30:00Z"},
		{"2002-02-25T14:30:00-0500", "2002-02-25T19:30:00Z"},
		{"2002-02-25T14:30Z", "2002-02-25T14:30:00Z"},
		{"2002-02-25 14:30:00", "2002-02-25T14:30:00Z"},
		{"2010-01-01T12:34:56.0000000000000000000000Z", "2010-01-01T12:34:56Z"},
		{"2010-01-01T12:34:56.25", "2010-01-01T12:34:56.25Z"},
		{"2024-02-29", "2024-02-29T00:00:00Z"},
		{"2023-02-29", ""}, {"20230230T000000Z", ""}, {"2023-13-01", ""}, {"20230101T250000Z", ""}, {"0000", ""},
		{"9999-12-31T23:59:59-01:00", ""},
		{"February 29th 2024", ""}, {"", ""}, {strings.Repeat("0", 65), ""},
	} {
		got, ok := parseDate(c[0])
		if ok != (c[1] != "") || ok && formatDate(got) != c[1] {
			t.Errorf("%q: %v, want %s", c[0], got, c[1])
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want Format
	}{
		{`<?xml version="1.0"?><!-- x --><!DOCTYPE nitf SYSTEM "x"><nitf>`, NITF},
		{`<n:newsItem xmlns:n="http://iptc.org/std/nar/2006-10-01/">`, NewsMLG2},
		{`<conceptItem/>`, NewsMLG2}, {`<contentSet/>`, NewsMLG2},
		{`<rss/>`, Unknown}, {`<feed/>`, Unknown}, {`<html>`, Unknown}, {``, Unknown}, {`<`, Unknown},
		{`text`, Unknown},
		{`{"uri":"x","versionCreated":"y"`, Ninjs}, {`[{"type":"text","headline":{"uri":1},"uri":"x"`, Ninjs},
		{`{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"uri":"x","headline":"y"}]}`, Unknown},
		{`{"uri":"x"}`, Unknown}, {`{"headline":"x"}`, Unknown}, {`{}`, Unknown}, {`[7]`, Unknown}, {`{"a":`, Unknown},
	} {
		if got := Sniff([]byte(c.doc), ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.doc, got, c.want)
		}
	}
}

// A subject is named once. Codes of two schemes are two subjects, and so are two names without a code.
func TestSubjectsAreNamedOnce(t *testing.T) {
	p := parser{cfg: Default(), doc: &Document{}}
	var list []tidings.Subject
	for _, s := range []tidings.Subject{
		{Code: "1", Scheme: "a"}, {Code: "1", Scheme: "b"}, {Code: "2", Scheme: "a"},
		{Code: "1", Scheme: "a", Name: "One"}, {Code: "1", Scheme: "a", Name: "Two"},
		{Name: "one"}, {Name: "ONE"}, {Name: "two"}, {},
	} {
		p.add(&list, s)
	}
	want := []tidings.Subject{{Code: "1", Scheme: "a", Name: "One"}, {Code: "1", Scheme: "b"}, {Code: "2", Scheme: "a"},
		{Name: "one"}, {Name: "two"}}
	if !slices.Equal(list, want) {
		t.Errorf("named are %+v, want %+v", list, want)
	}
}
