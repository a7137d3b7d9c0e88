package page

import (
	"regexp"
	"strings"
)

// withoutNoise returns a line without what differs at every look or build and tells a
// reader nothing: empty if the line is nothing else. The rules are narrow on purpose:
// a missed stamp costs a false update that can be learned or ignored, a rule too wide
// hides news. So dates count as noise only behind words such as "last updated".
func withoutNoise(text string) string {
	if len(text) > maxNoisy {
		return text
	}
	was := text
	lower := strings.ToLower(text)
	digits := hasDigit(text)
	if digits && (containsAny(lower, stampWords) || !isASCII(text)) {
		text = stamp.ReplaceAllString(text, "")
	}
	if strings.Contains(lower, " ago") {
		text = ago.ReplaceAllString(text, "")
	}
	if digits && strings.Contains(text, ":") && clock.MatchString(text) {
		return ""
	}
	if digits && containsAny(lower, opaqueWords) && opaque.MatchString(text) {
		text = opaque.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "://") || strings.Contains(lower, "jsessionid") {
		text = withoutTokens(text)
	}
	if len(text) <= maxCounted && containsAny(lower, countedWords) {
		text = withoutCounters(text)
	}
	if text == was {
		return text
	}
	return tidy(text)
}

const (
	maxNoisy   = 300 // bytes of a line in which noise is looked for: it stands in short lines
	maxCounted = 200 // the same for counters
)

// stampWords are in every stamp of a language written in ASCII.
var stampWords = []string{"updat", "modif", "generat", "built", "build", "render", "compil", "refresh", "fetch",
	"check", "retriev", "crawl", "cached", "sync", "chang", "as of", "as at", "time", "edit", "loaded", "took", "revis",
	"aktualis", "stand", "mise ", "ltima", "gewijzigd", "ostatni"}

var opaqueWords = []string{" id", "-id", "token", "csrf"}

var countedWords = []string{"view", "comment", "visit", "hit", "share", "like", "read", "reaction", "retweet",
	"repost", "online", "now", "yesterday", "today", "clap", "impression"}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

const (
	month   = `(?:jan|feb|m[aä]r|apr|ma[iy]|june?|july?|aug|sep|o[ck]t|nov|de[cz])[a-zé]*\.?`
	weekday = `(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?`
	date    = `(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:t\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}` +
		`|\d{1,2}(?:st|nd|rd|th|\.)?[ -]` + month + `(?:,?[ -](?:19|20)\d\d)?|` + month + ` \d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?` +
		`|\d{4}年\d{1,2}月\d{1,2}日?)`
	hour   = `(?:\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?)`
	zone   = `(?:z|utc|gmt|[ceмp]?e[sd]?t|[ecmp][sd]t|bst|jst|ist|uhr|[+-]\d{2}:?\d{2}|(?:19|20)\d\d)\b`
	moment = `(?:` + weekday + `,? )?(?:` + date + `|` + hour + `)(?:(?: |,|, | at | on | - |t| um | à )?(?:` + weekday + `|` + date + `|` + hour + `|` + zone + `|\((?:utc|gmt|[a-z]{3,4})\)))*`

	subject = `(?:(?:this )?(?:page|site|website|document|file|list|table|data|feed|content|report|status|information|planet|index|article|version)(?: was| is| has been)? )?`
	done    = `(?:last(?:ly)? (?:updated?|modified|modification|changed?|generated|built|build|checked|edited|revised|reviewed|refreshed|fetched|crawled|synced|sync|retrieved|rendered)` +
		`|(?:automatically |auto-?)?(?:updated|modified|generated|regenerated|built|rebuilt|rendered|compiled|refreshed|fetched|retrieved|crawled|cached|synced)` +
		`|(?:build|generation|server|current|local|update) (?:date|time)|date (?:generated|modified)|time now|generated|as (?:of|at)` +
		`|letzte (?:aktualisierung|änderung)|zuletzt (?:aktualisiert|geändert)|stand|derni[èe]re mise [àa] jour|mis [àa] jour|[úu]ltima (?:actualizaci[óo]n|modificaci[óo]n|atualiza[çc][ãa]o)` +
		`|laatst gewijzigd|ostatnia aktualizacja|обновлено|последнее обновление|最終更新日?|最后更新|更新(?:时间|日時|日)?)`
	took = `(?:page |site )?(?:generated|rendered|loaded|processed|served|executed|created|built|took)(?: in| took)? ?\d+(?:[.,]\d+)? ?(?:s|ms|µs|sec|secs|seconds?|milliseconds?)\b\.?`
)

var (
	stamp = regexp.MustCompile(`(?i)(?:^|\b|\s)(?:` + subject + done + `(?: by [\w.-]+)?(?: on| at| the| am| le| el)?(?: ?[:：=|–-])?(?: on| at| the| am| le| el)? ?` + moment + `|` + took + `)`)

	ago = regexp.MustCompile(`(?i)\b(?:about |over |almost |less than |more than )?(?:\d+|an?|one|two|three|a few|few|several)\+? ?` +
		`(?:s|m|h|d|w|mo|y|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?)(?:,? (?:and )?\d+ (?:seconds?|minutes?|hours?|days?|weeks?|months?))? ago\b`)

	// stampLabel and onlyMoment are a stamp that stands in two lines.
	stampLabel = regexp.MustCompile(`(?i)^` + subject + done + `(?: by [\w.-]+)?(?: on| at)? ?[:：]?$`)
	onlyMoment = regexp.MustCompile(`(?i)^` + moment + `[.]?$`)

	// clock is a line that is nothing but a time with seconds: what items show has none.
	clock = regexp.MustCompile(`(?i)^(?:` + weekday + `,? )?(?:` + date + `,?[ t]?)?\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[ap]m)?(?:(?: |, )?(?:` + zone + `|` + weekday + `|` + date + `|\([^()]{1,40}\)))*$`)

	opaque = regexp.MustCompile(`(?i)\b(?:request|ray|session|trace|correlation|incident|reference|event|build|csrf|nonce)[ -]?(?:id|token)\b ?[:#=]? ?[0-9a-z_/+-]{8,}=*`)

	number  = `(?:\d[\d.,  ]*\d|\d)(?: ?[km]| million| thousand)?\+?`
	counted = `(?:(?:page |unique |total |daily )?(?:views?|pageviews?|visits?|visitors?|hits|readers?|reads)|comments?|repl(?:y|ies)|shares?|likes?|reactions?|retweets?|reposts?|claps|impressions|(?:users? |visitors? |members? |guests? )online)`

	counter = regexp.MustCompile(`(?i)^[(\[]?(?:` + number + ` ` + counted + `(?: (?:today|so far|in total|yet))?|(?:total )?` + counted + `(?: today)? ?[:：] ?` + number +
		`|no comments(?: yet)?|just now|moments ago|a moment ago|(?:today|yesterday)(?: at)? ` + hour + `)[)\]]?[.!]?$`)
)

// withoutCounters drops those parts of a line that are counters: the whole line, or
// what stands between separators.
func withoutCounters(text string) string {
	mark, rest := lineMark(text)
	var b strings.Builder
	changed := false
	for rest != "" {
		part, sep, after := cutSeparator(rest)
		if counter.MatchString(strings.TrimSpace(part)) {
			changed = true
		} else {
			b.WriteString(part)
			b.WriteString(sep)
		}
		rest = after
	}
	if !changed {
		return text
	}
	return mark + b.String()
}

// isStampLabel reports whether a line announces that the next is a stamp.
func isStampLabel(text string) bool {
	_, text = lineMark(text)
	return len(text) <= 60 && stampLabel.MatchString(text)
}

func isMoment(text string) bool {
	_, text = lineMark(text)
	return len(text) <= 80 && hasDigit(text) && onlyMoment.MatchString(text)
}

// separators stand between the parts of a line such as "by Ann | 12 comments".
var separators = []string{" | ", " · ", " • ", " — ", " – ", " - ", " / ", ", ", " ∙ ", "; "}

// cutSeparator cuts text behind its first separator.
func cutSeparator(text string) (part, sep, rest string) {
	at, found := len(text), ""
	for _, s := range separators {
		if i := strings.Index(text, s); i >= 0 && i < at {
			at, found = i, s
		}
	}
	return text[:at], found, text[at+len(found):]
}

// lineMark splits "- " or "## " off a line.
func lineMark(text string) (mark, rest string) {
	rest = strings.TrimLeft(text, "#")
	if text != "" && text[0] == '-' {
		rest = text[1:]
	}
	if strings.HasPrefix(rest, " ") && len(rest) < len(text) {
		rest = rest[1:]
	} else {
		rest = text
	}
	return text[:len(text)-len(rest)], rest
}

// tidy repairs a line of which something was taken: no blanks at its end, none twice,
// no brackets or separators around nothing. A line with nothing left is empty.
func tidy(text string) string {
	indent := len(text) - len(strings.TrimLeft(text, " "))
	for _, empty := range []string{"()", "[]", "( )", "[ ]"} {
		text = strings.ReplaceAll(text, empty, "")
	}
	if _, rest := lineMark(strings.TrimSpace(text)); strings.Trim(rest, " |·•∙—–-/,;:.()[]<>*") == "" {
		return ""
	}
	rest := strings.TrimRight(collapse(text), " |·•∙—–/,;:(")
	return strings.Repeat(" ", min(indent, len(text))) + rest
}

var (
	joints = regexp.MustCompile(`([?&])&+`)
	tokens = regexp.MustCompile(`(?i)([?&;])(?:utm_[a-z]+|fbclid|gclid|s(?:ess(?:ion)?)?_?id|phpsessid|jsessionid|aspsessionid\w*|csrf\w*|nonce|cache_?bust\w*|cb|rand|rnd|_)=[^&#;\s"'<>)]*`)
)

// withoutTokens takes session ids, tracking and cache-busting parameters off the
// addresses that are written out in a line.
func withoutTokens(text string) string {
	if !strings.Contains(text, "=") {
		return text
	}
	text = tokens.ReplaceAllString(text, "$1")
	text = joints.ReplaceAllString(text, "$1")
	text = strings.ReplaceAll(text, ";?", "?")
	words := strings.Split(text, " ")
	for i, w := range words {
		if strings.Contains(w, "://") {
			words[i] = strings.TrimRight(w, "?&;")
		}
	}
	return strings.Join(words, " ")
}
