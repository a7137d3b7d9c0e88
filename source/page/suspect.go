package page

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxReplaced = 80  // lines of a page that stands in for another: they are short
	maxShared   = 0.1 // share of the new lines that the old page had too
)

// marksOfReplacement are what login, error and challenge pages say of themselves, in
// their title or in one of their first lines.
var marksOfReplacement = []struct {
	reason string
	mark   *regexp.Regexp
}{
	{reason: "a check for robots",
		mark: regexp.MustCompile(`(?i)^(?:just a moment|attention required|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|are you a (?:robot|human)|please (?:complete|solve) the (?:captcha|security check)|one more step|ddos protection)|captcha`)},
	{reason: "a login page",
		mark: regexp.MustCompile(`(?i)^(?:please )?(?:log ?in|sign ?in|login required|authentication required|you (?:must|need to) (?:be logged|log|sign) in|your session has expired|session expired)\b`)},
	{reason: "an error page",
		mark: regexp.MustCompile(`(?i)^(?:error )?(?:4\d\d|5\d\d)(?:\b.{0,40})?$|^(?:http )?error\b|(?:page )?not found$|^(?:access denied|forbidden|bad gateway|gateway time-?out|service (?:temporarily )?unavailable|internal server error|too many requests|something went wrong|an? (?:unexpected )?error (?:has )?occurred|application error|database error|error establishing)`)},
	{reason: "a maintenance page",
		mark: regexp.MustCompile(`(?i)^(?:(?:site |scheduled |planned |down for |under )+maintenance|we(?:'|’)ll be (?:right )?back|(?:this (?:site|page) is )?temporarily (?:unavailable|offline|down)|be right back)`)},
	{reason: "a page without its script",
		mark: regexp.MustCompile(`(?i)^(?:please )?(?:enable|turn on) java ?script|^java ?script is (?:required|disabled)|you need to enable java ?script`)},
	{reason: "a parked domain",
		mark: regexp.MustCompile(`(?i)\bdomain (?:name )?(?:is|may be) for sale\b|^this domain (?:is parked|has expired)|^index of /$|^welcome to nginx|^apache2 .{0,20}default page|^it works!?$`)},
}

// SuspectReplaced returns what now seems to stand in place of a page whose lines were
// old: "a login page", "an error page" and so on, or "" if nothing suggests it. Such a
// document is no new version of the page; the poll failed.
//
// It is conservative. The new document must be short, must have next to nothing in
// common with the old one, and must say what it is; and the old one must not have said
// the same. A first document (old is empty) must have less than 20 lines.
func SuspectReplaced(old []string, doc Document) (reason string) {
	lines := doc.Lines
	most := maxReplaced
	if len(old) == 0 {
		most = 19
	}
	if len(lines) > most || shareOf(lines, old) > maxShared {
		return ""
	}
	first := append([]string{doc.Title}, lines[:min(len(lines), 10)]...)
	for _, m := range marksOfReplacement {
		if says(first, m.mark) && !says(old, m.mark) {
			return m.reason
		}
	}
	if doc.password && len(old) > 0 {
		return "a login page"
	}
	return ""
}

func says(lines []string, mark *regexp.Regexp) bool {
	for _, l := range lines {
		l = strings.TrimLeft(l, "#- ")
		if len(l) <= 200 && mark.MatchString(l) {
			return true
		}
	}
	return false
}

// shareOf returns the share of lines that stand in old too.
func shareOf(lines, old []string) float64 {
	if len(lines) == 0 {
		return 0
	}
	have := make(map[string]bool, len(old))
	for _, l := range old {
		have[l] = true
	}
	shared := 0
	for _, l := range lines {
		if have[l] {
			shared++
		}
	}
	return float64(shared) / float64(len(lines))
}

func isPasswordField(n *html.Node) bool {
	return n.DataAtom == atom.Input && strings.EqualFold(attr(n, "type"), "password")
}
