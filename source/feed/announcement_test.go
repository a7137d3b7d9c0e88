package feed

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	aTopic = `topic="0102030000000000000000000000000000000000"`
	aPrint = `fingerprint="0908070000000000000000000000000000000000000000000000000000000000"`
	aSpace = `xmlns:tidings="urn:tidings:feedtree:1"`
)

func TestAnnouncement(t *testing.T) {
	want := "&{[1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0] [9 8 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0] 1h0m0s [[1 2 3 4]] [[5 6]]}"
	for name, doc := range map[string]string{
		"rss": `<rss><channel><title>T</title><tidings:push ` + aSpace + ` ` + aTopic + ` ` + aPrint +
			` silence="3600"><tidings:rotation> AQIDBA== </tidings:rotation><tidings:revocation>BQY=</tidings:revocation></tidings:push></channel></rss>`,
		"atom": `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:p="urn:tidings:feedtree:1"><p:push ` +
			aTopic + ` ` + aPrint +
			` silence="3600"><p:rotation>AQIDBA==</p:rotation><p:revocation>BQY=</p:revocation></p:push></feed>`,
		"default space": `<rss><channel><push xmlns="urn:tidings:feedtree:1" ` + aTopic + ` ` + aPrint +
			` silence="3600"><rotation>AQIDBA==</rotation><revocation>BQY=</revocation></push></channel></rss>`,
		"the first of two": `<rss><channel><tidings:push ` + aTopic + ` ` + aPrint +
			` silence="3600"><tidings:rotation>AQIDBA==</tidings:rotation><tidings:revocation>BQY=</tidings:revocation></tidings:push><tidings:push ` + strings.Replace(aTopic, "01", "ff", 1) + ` ` + aPrint + ` silence="1"><tidings:rotation>AAAA</tidings:rotation></tidings:push></channel></rss>`,
		"json": `{"version":"https://jsonfeed.org/version/1.1","items":[],"_tidings_push":{"topic":"0102030000000000000000000000000000000000","fingerprint":"0908070000000000000000000000000000000000000000000000000000000000","silence":3600,"rotations":["AQIDBA=="],"revocations":["BQY="]}}`,
	} {
		if got := fmt.Sprint(mustParse(t, doc).Announcement); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What cannot be an announcement, or stands where an item's author could have put it, is none.
func TestAnnouncementOfHostileDocuments(t *testing.T) {
	good := `<tidings:push ` + aSpace + ` ` + aTopic + ` ` + aPrint + ` silence="60"/>`
	for name, inside := range map[string]string{
		"within an item":        `<item><guid>1</guid>` + good + `</item>`,
		"within a text":         `<description>` + good + `</description>`,
		"within another":        `<x:y xmlns:x="urn:x">` + good + `</x:y>`,
		"within the image":      `<image>` + good + `</image>`,
		"in a text":             `<description><![CDATA[` + good + `]]></description>`,
		"in a comment":          `<!-- ` + good + ` -->`,
		"of another namespace":  strings.Replace(good, "feedtree:1", "feedtree:2", 1),
		"a short topic":         strings.Replace(good, `"01`, `"1`, 1),
		"a long topic":          strings.Replace(good, `"01`, `"0101`, 1),
		"a topic of no digits":  strings.Replace(good, `"01`, `"0x`, 1),
		"no fingerprint":        strings.Replace(good, aPrint, "", 1),
		"no silence":            strings.Replace(good, `"60"`, `""`, 1),
		"a negative silence":    strings.Replace(good, `"60"`, `"-60"`, 1),
		"a silence of 32 days":  strings.Replace(good, `"60"`, `"2764800"`, 1),
		"a silence of an aeon":  strings.Replace(good, `"60"`, `"99999999999999999999"`, 1),
		"a silence with a unit": strings.Replace(good, `"60"`, `"60s"`, 1),
	} {
		d := mustParse(t, "<rss><channel><title>T</title>"+inside+"<item><guid>2</guid></item></channel></rss>")
		if d.Announcement != nil {
			t.Errorf("%s: %+v", name, d.Announcement)
		}
	}
	for _, value := range []string{`1`, `"x"`, `[]`, `{}`, `{"topic":[],"fingerprint":{},"silence":null}`} {
		d := mustParse(t, `{"version":"https://jsonfeed.org/version/1.1","_tidings_push":`+value+
			`,"items":[{"id":"1"}]}`)
		if d.Announcement != nil {
			t.Errorf("%s: %+v", value, d.Announcement)
		}
	}
}

// A document cannot make a reader keep more of an announcement than its bounds.
func TestAnnouncementIsBounded(t *testing.T) {
	many := strings.Repeat("<tidings:rotation>AQID</tidings:rotation>", 1000) +
		"<tidings:revocation>" + strings.Repeat("AAAA", MaxStatement) + "</tidings:revocation>" +
		"<tidings:revocation>no base64</tidings:revocation><tidings:x><tidings:revocation>AAAA</tidings:revocation></tidings:x>"
	for name, doc := range map[string]string{
		"rss": `<rss><channel><tidings:push ` + aTopic + ` ` + aPrint + ` silence="2678400">` + many +
			`</tidings:push></channel></rss>`,
		"json": `{"version":"https://jsonfeed.org/version/1.1","items":[],"_tidings_push":{"topic":"0102030000000000000000000000000000000000","fingerprint":"0908070000000000000000000000000000000000000000000000000000000000","silence":2678400,"rotations":[` +
			strings.Repeat(`"AQID",`, 999) + `"AQID"],"revocations":["` + strings.Repeat("AAAA", MaxStatement) +
			`", "no base64", 7, {}]}}`,
	} {
		a := mustParse(t, doc).Announcement
		if a == nil || a.Silence != 31*24*time.Hour || len(a.Rotations) != MaxStatements || len(a.Revocations) != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
