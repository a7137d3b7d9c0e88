package scene

import (
	"path"
	"strings"
)

// filter says which messages and trace events are printed, by their names.
type filter struct {
	off        bool
	only, hide []string // patterns; only nil: all
}

// everything is the filter that a scene begins with.
func everything() filter { return filter{} }

func (f *filter) wants(name string) bool {
	return !f.off && (f.only == nil || matchesAny(f.only, name)) && !matchesAny(f.hide, name)
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if matches(p, name) {
			return true
		}
	}
	return false
}

// matches reports whether a name such as "pastry.Join" has the pattern, as a whole or behind
// its dot.
func matches(pattern, name string) bool {
	short := name[strings.LastIndexByte(name, '.')+1:]
	for _, n := range []string{name, short} {
		if ok, err := path.Match(pattern, n); err == nil && ok {
			return true
		}
	}
	return false
}

// logCommand sets what is printed.
//
//	log on|off                          everything, or nothing
//	log only=(Join, Welcome)            these alone
//	log hide=(Ping, Pong)               all but these
func logCommand(c *Call) {
	c.log = everything()
	c.log.only, c.log.hide = c.Values("only"), c.Values("hide")
	if len(c.plain) == 0 {
		return
	}
	switch c.Word(0) {
	case "on":
	case "off":
		c.log.off = true
	default:
		c.Fatalf("on or off?")
	}
}
