package xmpp

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// verb is what a command asks for.
type verb string

const (
	subscribe   verb = "subscribe"
	unsubscribe verb = "unsubscribe"
	list        verb = "list"
	latest      verb = "latest"
	pause       verb = "pause"
	resume      verb = "resume"
	digest      verb = "digest"
	quiet       verb = "quiet"
	zone        verb = "zone"
	forget      verb = "forget"
	help        verb = "help"
)

// words are what people write for each verb.
var words = map[string]verb{
	"subscribe": subscribe, "sub": subscribe, "add": subscribe, "follow": subscribe, "+": subscribe,
	"unsubscribe": unsubscribe, "unsub": unsubscribe, "remove": unsubscribe, "delete": unsubscribe, "del": unsubscribe,
	"unfollow": unsubscribe,
	"-":        unsubscribe, "list": list, "ls": list, "channels": list, "feeds": list,
	"latest": latest, "last": latest, "show": latest, "history": latest,
	"pause": pause, "mute": pause, "snooze": pause, "resume": resume, "unpause": resume, "unmute": resume,
	"start":  resume,
	"digest": digest, "quiet": quiet, "zone": zone, "timezone": zone,
	"forget": forget, "help": help, "?": help, "hi": help, "hello": help, "commands": help,
}

// command is what a message says.
type command struct {
	verb verb

	url    string // of subscribe, unsubscribe and latest
	number int    // instead of url: the number in the list; 0: url says it
	count  int    // of latest

	pause time.Duration      // of pause; 0: until resume
	at    *tidings.TimeOfDay // of digest; nil: no digest
	hours *tidings.Hours     // of quiet; nil: no quiet hours
	zone  string             // of digest, quiet and zone; "": the present one
}

// Bounds on pauses.
const (
	maxPause    = 366 * 24 * time.Hour
	withoutEnd  = 100 * 366 * 24 * time.Hour // what a pause without a time lasts
	digestAt    = tidings.TimeOfDay(8 * 60)  // what digest daily means
	latestCount = 3
	maxURL      = 2000 // bytes
	maxZoneName = 60   // bytes
)

var errConfused = tidings.Invalidf("that is no command: write help for those that there are")

// parse reads a message. It forgives case, brackets and quotes around URLs, and a missing scheme. The error is
// errConfused, or says what is wrong with the command.
func parse(text string) (command, error) {
	if len(text) > MaxCommand {
		return command{}, tidings.Invalidf("a command has at most %d bytes", MaxCommand)
	}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return command{}, errConfused
	}
	first := strings.ToLower(strings.Trim(fields[0], "/!.,:"))
	if first == "" {
		first = fields[0]
	}
	v, known := words[first]
	args := fields[1:]
	if !known {
		if len(fields[0]) > 1 && (fields[0][0] == '+' || fields[0][0] == '-') { // +https://…
			v, known, args = words[fields[0][:1]], true, append([]string{fields[0][1:]}, args...)
		} else if len(fields) == 1 && looksLikeURL(fields[0]) {
			v, known, args = subscribe, true, fields
		}
	}
	if !known {
		return command{}, errConfused
	}
	c := command{verb: v}
	err := c.read(args)
	return c, err
}

// read reads what follows the verb.
func (c *command) read(args []string) error {
	switch c.verb {
	case subscribe, unsubscribe, latest:
		return c.readChannel(args)
	case pause:
		return c.readPause(args)
	case digest:
		return c.readDigest(args)
	case quiet:
		return c.readQuiet(args)
	case zone:
		if len(args) != 1 {
			return tidings.Invalidf("write your time zone behind it: zone Europe/Berlin")
		}
		return c.readZone(args)
	case forget:
		if len(args) != 1 || strings.ToLower(strings.Trim(args[0], ".!")) != "me" {
			return tidings.Invalidf("write forget me to end all of your subscriptions, and to have nothing kept of you")
		}
	}
	return nil
}

func looksLikeURL(text string) bool {
	lower := strings.ToLower(strings.Trim(text, "<>\"'"))
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

func (c *command) readChannel(args []string) error {
	if len(args) > 0 && strings.EqualFold(args[0], "to") || len(args) > 1 && strings.EqualFold(args[0], "from") {
		args = args[1:]
	}
	if c.verb == latest {
		c.count = latestCount
		if len(args) == 2 {
			n, err := strconv.Atoi(args[1])
			if err != nil || n < 1 || n > MaxLatest {
				return tidings.Invalidf("latest shows 1 to %d items: latest URL 5", MaxLatest)
			}
			c.count, args = n, args[:1]
		}
	}
	if len(args) != 1 {
		return tidings.Invalidf("write one URL behind it: %s https://example.org/feed", c.verb)
	}
	if n, err := strconv.Atoi(args[0]); err == nil && c.verb != subscribe {
		if n < 1 || n > 1_000_000 {
			return tidings.Invalidf("there is no channel %s: list shows the numbers", tidings.Quote(args[0]))
		}
		c.number = n
		return nil
	}
	var err error
	c.url, err = readURL(args[0])
	return err
}

// schemed is the beginning of an address that has a scheme. A host with a port has none.
var schemed = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:([^0-9]|$)`)

// readURL returns the URL that somebody means.
func readURL(text string) (string, error) {
	given := tidings.Quote(text)
	text = strings.Trim(text, "<>\"'`()[]")
	text = strings.TrimRight(text, ",;")
	if rest, ok := strings.CutPrefix(text, "feed:"); ok {
		text = strings.TrimPrefix(rest, "//")
	}
	if !schemed.MatchString(text) {
		text = "https://" + strings.TrimPrefix(text, "//")
	}
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return "", tidings.Invalidf("that URL is too long")
	case err != nil:
		return "", tidings.Invalidf("%s is no URL: write it as https://example.org/feed", given)
	case strings.ToLower(u.Scheme) != "http" && strings.ToLower(u.Scheme) != "https":
		return "", tidings.Invalidf("%s cannot be followed: the URL of a feed or page begins with https:// or http://",
			given)
	case u.Host == "" || !strings.ContainsAny(u.Hostname(), ".:") && u.Hostname() != "localhost":
		return "", tidings.Invalidf("%s is no URL: write it as https://example.org/feed", given)
	case u.User != nil:
		return "", tidings.Invalidf("a URL with a password cannot be followed by chat")
	}
	return text, nil
}

// units are those of pauses.
var units = map[string]time.Duration{
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour,
	"days": 24 * time.Hour,
	"w":    7 * 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

var span = regexp.MustCompile(`^([0-9]{1,5}) ?([a-z]+)$`)

func (c *command) readPause(args []string) error {
	if len(args) > 0 && strings.EqualFold(args[0], "for") {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	parts := span.FindStringSubmatch(strings.ToLower(strings.Join(args, " ")))
	if parts != nil && units[parts[2]] > 0 {
		n, _ := strconv.Atoi(parts[1])
		if c.pause = time.Duration(n) * units[parts[2]]; c.pause > 0 && c.pause <= maxPause {
			return nil
		}
	}
	return tidings.Invalidf("a pause lasts up to a year: pause 8h, pause 2d, or pause until you write resume")
}

func (c *command) readDigest(args []string) error {
	const hint = "write digest daily, digest 7:30, or digest off"
	if len(args) == 0 {
		return tidings.Invalidf(hint)
	}
	switch word := strings.ToLower(args[0]); word {
	case "off", "no", "none", "stop":
		if len(args) > 1 {
			return tidings.Invalidf(hint)
		}
		return nil
	case "daily", "on":
		c.at, args = new(digestAt), args[1:]
	case "at":
	default:
		if _, err := tidings.ParseTimeOfDay(word); err != nil {
			return tidings.Invalidf(hint)
		}
	}
	if len(args) > 0 && strings.EqualFold(args[0], "at") {
		args = args[1:]
		if len(args) == 0 {
			return tidings.Invalidf(hint)
		}
	}
	if len(args) > 0 {
		if at, err := tidings.ParseTimeOfDay(strings.ToLower(args[0])); err == nil {
			c.at, args = &at, args[1:]
		}
	}
	if c.at == nil {
		return tidings.Invalidf(hint)
	}
	return c.readZone(args)
}

var hourSpan = regexp.MustCompile(`^([0-9:apm]{1,7})(?:-|–| to | )([0-9:apm]{1,7})(?: (\S+))?$`)

func (c *command) readQuiet(args []string) error {
	text := strings.Join(args, " ")
	switch strings.ToLower(text) {
	case "off", "no", "none":
		return nil
	}
	if parts := hourSpan.FindStringSubmatch(text); parts != nil {
		from, err := readTime(parts[1])
		to, err2 := readTime(parts[2])
		if err == nil && err2 == nil && from != to {
			c.hours = &tidings.Hours{From: from, To: to}
			if parts[3] == "" {
				return nil
			}
			return c.readZone(parts[3:])
		}
	}
	return tidings.Invalidf("write quiet 22:00-7:00, or quiet off")
}

// readTime reads a time of day; a number alone is a full hour.
func readTime(text string) (tidings.TimeOfDay, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 24 {
		return tidings.TimeOfDay(n * 60), nil
	}
	return tidings.ParseTimeOfDay(text)
}

func (c *command) readZone(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if len(args) > 1 || len(args[0]) > maxZoneName {
		return tidings.Invalidf("a time zone is one word, such as Europe/Berlin")
	}
	c.zone = args[0]
	return tidings.Schedule{Zone: c.zone}.Validate()
}
