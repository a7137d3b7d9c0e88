package page

import (
	"regexp"
	"strings"
)

// lineFilter removes from lines what differs at every poll or build and has no meaning for a reader. The rules are
// narrow on purpose: a missed stamp costs a false update that can be learned or ignored, but a rule too wide hides
// news. So dates count as noise only behind words such as "last updated".
type lineFilter struct {
	left int // how much more the slow expressions may cost
}

// maxTried bounds what the slow expressions cost in a document: the bytes that they are
// tried on, each as often as the expression is slower than others. Beyond it lines keep
// their noise. The recorded page that costs most, of 1.1 MB, costs 224,000.
const maxTried = 400_000

// stampCost is how much slower the expression for stamps is than the others.
const stampCost = 4

func newLineFilter() *lineFilter { return &lineFilter{left: maxTried} }

// try reports whether an expression of that cost a byte may be tried on n bytes.
func (f *lineFilter) try(n, cost int) bool {
	if f.left <= 0 {
		return false
	}
	f.left -= n * cost
	return true
}

// without returns a line without its noise: empty if it is nothing else.
func (f *lineFilter) without(text string) string {
	if len(text) > maxNoisy {
		return text
	}
	if f.left <= 0 {
		return text
	}
	rules := noiseIn(text)
	was := text
	try := func(rule, cost int) bool { return rules&rule != 0 && f.try(len(text), cost) }
	if try(hasStamp, stampCost) {
		text = stamp.ReplaceAllString(text, "")
	}
	if try(hasAgo, 1) {
		text = ago.ReplaceAllString(text, "")
	}
	if try(hasClock, 1) && clock.MatchString(text) {
		return ""
	}
	if try(hasOpaque, 1) {
		text = opaque.ReplaceAllString(text, "")
	}
	if try(hasAddress, 1) {
		text = withoutTokens(text)
	}
	if try(hasCounter, 1) {
		text = withoutCounters(text)
	}
	if text == was {
		return text
	}
	return tidy(was, text)
}

// The rules that may concern a line.
const (
	hasStamp = 1 << iota
	hasAgo
	hasClock
	hasOpaque
	hasAddress
	hasCounter
)

// noiseIn finds quickly which rules may concern a line.
func noiseIn(text string) (rules int) {
	lower := strings.ToLower(text)
	digits := hasDigit(text)
	add := func(rule int, may bool) {
		if may {
			rules |= rule
		}
	}
	add(hasStamp, digits && (!isASCII(text) || containsAny(lower, stampWords) && containsAny(lower, stampSigns)) &&
		dated(lower))
	add(hasAgo, strings.Contains(lower, " ago"))
	add(hasClock, digits && len(text) <= maxClock && strings.Count(text, ":") >= 2)
	add(hasOpaque, digits && containsAny(lower, opaqueWords))
	add(hasAddress, strings.Contains(text, "=") &&
		(strings.Contains(text, "://") || strings.Contains(lower, "jsessionid")))
	add(hasCounter, len(text) <= maxCounted && containsAny(lower, countedWords))
	return rules
}

const (
	maxNoisy   = 300 // bytes of a line in which noise is looked for: it stands in short lines
	maxClock   = 100 // the same for a line that is a clock
	maxCounted = 200 // the same for counters
)

// stampWords are in every stamp of a language written in ASCII.
var stampWords = []string{"updat", "modif", "generat", "built", "build", "render", "compil", "refresh", "fetch",
	"check", "retriev", "crawl", "cached", "sync", "chang", "as of", "as at", "time", "edit", "loaded", "took", "revis",
	"aktualis", "stand", "mise ", "ltima", "gewijzigd", "ostatni"}

// stampSigns are more of what is in every stamp of such a language; fewer other lines have both.
var stampSigns = []string{"last ", "lastly ", "updated", "modified", "generated", "built", "rendered", "compiled",
	"refreshed", "fetched", "retrieved", "crawled", "cached", "synced", " date", " time", "time now", "as of", "as at",
	"letzte aktualis", "zuletzt aktualis", "stand", "mise a jour", "mis a jour", "ltima ac", "ltima at", "ltima mod",
	"laatst gewijzigd", "ostatnia aktual", "loaded", "processed", "served", "executed", "created", "took"}

var opaqueWords = []string{" id", "-id", "token", "csrf"}

var countedWords = []string{"view", "comment", "visit", "hit", "share", "like", "read", "repl", "reaction", "retweet",
	"repost", "online", "now", "yesterday", "today", "clap", "impression"}

// dated reports whether there may be a date, a time or a duration in a line. It is
// asked first because the expressions are slow.
func dated(lower string) bool {
	for i := 1; i < len(lower)-1; i++ {
		if !isDigit(lower[i-1]) && !isDigit(lower[i+1]) {
			continue
		}
		switch lower[i] {
		case ':', '-', '/', '.': // 12:30, 2024-05-03, 0.12 s
			return true
		}
	}
	return !isASCII(lower) || strings.Contains(lower, " ms") || strings.Contains(lower, " sec") || hasMonthDay(lower)
}

// hasMonthDay reports whether a month stands within ten bytes of a blank beside a digit: 3 May, May 3, 12 am.
func hasMonthDay(lower string) bool {
	for _, m := range months {
		for from := 0; ; from++ {
			at := strings.Index(lower[from:], m)
			if at < 0 {
				break
			}
			from += at
			for i := max(1, from+len(m)-11); i <= min(from+10, len(lower)-2); i++ {
				if lower[i] == ' ' && (isDigit(lower[i-1]) || isDigit(lower[i+1])) {
					return true
				}
			}
		}
	}
	return false
}

var months = strings.Fields("jan feb mar mär apr may mai jun jul aug sep oct okt nov dec dez am pm")

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

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
		`|\d{1,2}(?:st|nd|rd|th|\.)?[ -]` + month + `(?:,?[ -](?:19|20)\d\d)?|` + month +
		` \d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?` +
		`|\d{4}年\d{1,2}月\d{1,2}日?)`
	hour   = `(?:\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?)`
	zone   = `(?:z|utc|gmt|[ceмp]?e[sd]?t|[ecmp][sd]t|bst|jst|ist|uhr|[+-]\d{2}:?\d{2}|(?:19|20)\d\d)\b`
	moment = `(?:` + weekday + `,? )?(?:` + date + `|` + hour + `)(?:(?: |,|, | at | on | - |t| um | à )?(?:` +
		weekday + `|` + date + `|` + hour + `|` + zone + `|\((?:utc|gmt|[a-z]{3,4})\)))*`

	subject = `(?:(?:this )?(?:page|site|website|document|file|list|table|data|feed|content|report|status|information|planet|index|article|version)(?: was| is| has been)? )?`
	done    = `(?:last(?:ly)? (?:updated?|modified|modification|changed?|generated|built|build|checked|edited|revised|reviewed|refreshed|fetched|crawled|synced|sync|retrieved|rendered)` +
		`|(?:automatically |auto-?)?(?:updated|modified|generated|regenerated|built|rebuilt|rendered|compiled|refreshed|fetched|retrieved|crawled|cached|synced)` +
		`|(?:build|generation|server|current|local|update) (?:date|time)|date (?:generated|modified)|time now|generated|as (?:of|at)` +
		`|letzte (?:aktualisierung|änderung)|zuletzt (?:aktualisiert|geändert)|stand|derni[èe]re mise [àa] jour|mis [àa] jour|[úu]ltima (?:actualizaci[óo]n|modificaci[óo]n|atualiza[çc][ãa]o)` +
		`|laatst gewijzigd|ostatnia aktualizacja|обновлено|последнее обновление|最終更新日?|最后更新|更新(?:时间|日時|日)?)`
	relative = `(?:about |over |almost |less than |more than )?(?:\d+(?:[.,]\d+)?|an?|one|two|three|a few|few|several)\+? ?` +
		`(?:s|m|h|d|w|mo|y|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?)(?:,? (?:and )?\d+ (?:seconds?|minutes?|hours?|days?|weeks?|months?))? ago`
	took = `(?:page |site )?(?:generated|rendered|loaded|processed|served|executed|created|built|took)(?: in| took)? ?\d+(?:[.,]\d+)? ?(?:s|ms|µs|sec|secs|seconds?|milliseconds?)\b\.?`
)

var (
	stamp = regexp.MustCompile(`(?i)(?:^|\b|\s)(?:` + subject + done +
		`(?: by [\w.-]+)?(?: on| at| the| am| le| el)?(?: ?[:：=|–-])?(?: on| at| the| am| le| el)? ?` + moment + `|` +
		took + `)`)

	ago = regexp.MustCompile(`(?i)\(` + relative + `\)|(?:^|\s)` + relative + `\b`)

	// stampLabel and onlyMoment are a stamp that stands in two lines.
	stampLabel = regexp.MustCompile(`(?i)^` + subject + done + `(?: by [\w.-]+)?(?: on| at)? ?[:：]?$`)
	onlyMoment = regexp.MustCompile(`(?i)^` + moment + `[.]?$`)

	// clock is a line that is nothing but a time with seconds: what items show has none.
	clock = regexp.MustCompile(`(?i)^(?:` + weekday + `,? )?(?:` + date +
		`,?[ t]?)?\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[ap]m)?(?:(?: |, )?(?:` + zone + `|` + weekday + `|` + date +
		`|\([^()]{1,40}\)))*$`)

	opaque = regexp.MustCompile(`(?i)\b(?:request|ray|session|trace|correlation|incident|reference|event|build|csrf|nonce)[ -]?(?:id|token)\b ?[:#=]? ?[0-9a-z_/+-]{8,}=*`)

	number  = `(?:\d[\d.,  ]*\d|\d)(?: ?[km]| million| thousand)?\+?`
	counted = `(?:(?:page |unique |total |daily )?(?:views?|pageviews?|visits?|visitors?|hits|readers?|reads)|comments?|repl(?:y|ies)|shares?|likes?|reactions?|retweets?|reposts?|claps|impressions|(?:users? |visitors? |members? |guests? )online)`

	counter = regexp.MustCompile(`(?i)^[(\[]?(?:` + number + ` ` + counted +
		`(?: (?:today|so far|in total|yet))?|(?:total )?` + counted + `(?: today)? ?[:：] ?` + number +
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

// isStampInTwo reports whether label announces a stamp and text is one.
func (f *lineFilter) isStampInTwo(label, text string) bool {
	_, label = lineMark(label)
	_, text = lineMark(text)
	return len(label) <= 60 && len(text) <= 80 && hasDigit(text) && dated(strings.ToLower(text)) &&
		(containsAny(strings.ToLower(label), stampWords) || !isASCII(label)) &&
		f.try(len(label)+len(text), 1) &&
		stampLabel.MatchString(label) && onlyMoment.MatchString(text)
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

// tidy repairs text after parts of it were removed; was is the line before. It leaves no blanks at the end, none twice,
// and no brackets or separators around nothing. A line with nothing left is empty.
func tidy(was, text string) string {
	indent := len(was) - len(strings.TrimLeft(was, " "))
	for _, empty := range []string{"()", "[]", "( )", "[ ]"} {
		text = strings.ReplaceAll(text, empty, "")
	}
	mark, rest := lineMark(collapse(text))
	if strings.Trim(rest, " |·•∙—–-/,;:.()[]<>*") == "" {
		return ""
	}
	rest = strings.TrimLeft(strings.TrimRight(rest, " |·•∙—–/,;:("), " |·•∙,;:")
	return strings.Repeat(" ", indent) + mark + rest
}

var (
	joints = regexp.MustCompile(`([?&])&+`)
	tokens = regexp.MustCompile(`(?i)([?&;])(?:utm_[a-z]+|fbclid|gclid|s(?:ess(?:ion)?)?_?id|phpsessid|jsessionid|aspsessionid\w*|csrf\w*|nonce|cache_?bust\w*|cb|rand|rnd|_)=[^&#;?\s"'<>)]*`)
)

// withoutTokens removes session ids, tracking and cache-busting parameters from the addresses written out in a line.
func withoutTokens(text string) string {
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
