package charset

import (
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

const (
	utf8Name = "utf-8"
	maxLabel = 64 // bytes of a name; a longer one is none
)

// labels is what the names say that a document is declared to be in.
type labels struct {
	known   []encoding.Encoding // neither UTF-8 nor UTF-16 nor UTF-32, each once
	utf8    bool
	wide    bool // UTF-16 or UTF-32, which the bytes would have shown
	unknown bool
}

// eightBit returns the encodings that use bytes beyond ASCII.
func (l labels) eightBit() []encoding.Encoding {
	return slices.DeleteFunc(slices.Clone(l.known), func(enc encoding.Encoding) bool {
		return enc == japanese.ISO2022JP || enc == simplifiedchinese.HZGB2312
	})
}

func lookUp(names []string) (l labels) {
	for _, name := range names {
		name = strings.ToLower(strings.Trim(strings.TrimSpace(name), `"'`))
		if name == "" || len(name) > maxLabel {
			continue
		}
		enc, err := htmlindex.Get(name)
		if err != nil {
			enc, _ = ianaindex.IANA.Encoding(name)
		}
		switch {
		// browsers refuse it, since it hides markup from filters before them; here markup is filtered behind this
		case name == "hz-gb-2312":
			enc = simplifiedchinese.HZGB2312
		case enc == simplifiedchinese.GBK:
			enc = simplifiedchinese.GB18030 // has all of GBK, and feeds that say GBK have more
		case name == "utf8" || enc == unicode.UTF8:
			l.utf8 = true
			continue
		case strings.HasPrefix(name, "utf-16"), strings.HasPrefix(name, "utf-32"):
			l.wide = true
			continue
		case enc == nil, enc == encoding.Replacement, enc == charmap.XUserDefined:
			l.unknown = true
			continue
		}
		if !slices.Contains(l.known, enc) {
			l.known = append(l.known, enc)
		}
	}
	return l
}

// nameOf returns the name that the web has for an encoding.
func nameOf(enc encoding.Encoding) string {
	for name, wide := range wides {
		if wide == enc {
			return name
		}
	}
	if name, err := htmlindex.Name(enc); err == nil {
		return name
	}
	return "unknown"
}
