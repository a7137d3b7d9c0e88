package feed

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"tidings/charset"
)

// hostile 18: whatever the bytes and the declarations, valid UTF-8 comes out.
func TestHostile18Charsets(t *testing.T) {
	const title = "Grüße – 日本"
	const western = "Grüße – “x”"
	doc := func(declared, title string) string {
		return `<?xml version="1.0" encoding="` + declared + `"?>` + "\n<rss><channel><item><title>" + title +
			"</title></item></channel></rss>"
	}
	encode := func(e encoding.Encoding, s string) string {
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	le, be := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	le32, be32 := utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	for name, c := range map[string]struct{ doc, contentType, want string }{
		"UTF-8":                               {doc("utf-8", title), "", title},
		"UTF-8 with mark":                     {"\ufeff" + doc("utf-8", title), "", title},
		"UTF-8 with mark, declared otherwise": {"\ufeff" + doc("iso-8859-1", title), "text/xml; charset=koi8-r", title},
		"UTF-16LE with mark":                  {"\xff\xfe" + encode(le, doc("utf-16", title)), "", title},
		"UTF-16BE with mark":                  {"\xfe\xff" + encode(be, doc("utf-16", title)), "", title},
		"UTF-16LE without":                    {encode(le, doc("utf-16", title)), "", title},
		"UTF-16BE without":                    {encode(be, doc("utf-8", title)), "text/xml; charset=utf-8", title},
		"UTF-32LE with mark":                  {"\xff\xfe\x00\x00" + encode(le32, doc("utf-32", title)), "", title},
		"UTF-32BE without":                    {encode(be32, doc("utf-32", title)), "", title},
		"UTF-16 declared, UTF-8 sent":         {doc("utf-16", title), "", title},
		"windows-1252":                        {encode(charmap.Windows1252, doc("windows-1252", western)), "", western},
		"windows-1252 declared as UTF-8": {encode(charmap.Windows1252, doc("utf-8", western)),
			"text/xml; charset=utf-8", western},
		"windows-1252 declared as ISO 8859-1": {encode(charmap.Windows1252, doc("iso-8859-1", western)), "", western},
		"windows-1252 undeclared": {encode(charmap.Windows1252,
			strings.TrimPrefix(doc("x", western), `<?xml version="1.0" encoding="x"?>`)), "", western},
		"UTF-8 declared as ISO 8859-1": {doc("iso-8859-1", title), "", title},
		"unknown name":                 {doc("bogus", title), "", title},
		"KOI8-R by header": {encode(charmap.KOI8R, doc("utf-8", "Привет")),
			"text/xml; charset=koi8-r", "Привет"},
		"Shift_JIS":                           {encode(japanese.ShiftJIS, doc("shift_jis", "日本語")), "", "日本語"},
		"ISO-2022-JP":                         {encode(japanese.ISO2022JP, doc("iso-2022-jp", "日本語")), "", "日本語"},
		"EBCDIC":                              {encode(charmap.CodePage037, doc("cp037", "Gruesse")), "", "Gruesse"},
		"NUL bytes":                           {doc("utf-8", "a\x00b\x00"), "", "ab"},
		"control characters":                  {doc("utf-8", "a\x01\x08\x0b\x1f\x7fb"), "", "ab"},
		"references to control characters":    {doc("utf-8", "a&#0;&#1;&#x1b;b"), "", "a\ufffdb"},
		"windows-1252 in references":          {doc("utf-8", "&#147;x&#148;"), "", "“x”"},
		"windows-1252 encoded as if ISO 8859": {doc("utf-8", "\u0093x\u0094"), "", "“x”"},
		"overlong":                            {doc("utf-8", "a\xc0\xbcb\xe0\x80\xbcc"), "", "a\ufffdb\ufffdc"},
		"surrogates":                          {doc("utf-8", "a\xed\xa0\x80b"), "", "a\ufffdb"},
		"reference to a surrogate":            {doc("utf-8", "a&#xD800;b"), "", "a\ufffdb"},
		"noncharacters":                       {doc("utf-8", "a\uffffb\ufdd0c\U0001fffed"), "", "abcd"},
		"cut off within a character":          {strings.Replace(doc("utf-8", "aü"), "ü", "\xc3", 1), "", "aÃ"},
		"mark in the middle":                  {doc("utf-8", "a\ufeffb"), "", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse([]byte(c.doc), c.contentType, testBase, Default())
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Items[0].Title; got != c.want {
				t.Errorf("got %q, want %q (%q)", got, c.want, d.Notes)
			}
		})
	}
}

// hostile 82: a feed of UTF-8 has a damaged byte, or one is healed, whatever character set is declared. That is no edit
// of its items, and the fault is noted.
func TestHostile82StrayBytesAreNoEdits(t *testing.T) {
	doc := func(declared, channel, newest, text string) string {
		return `<?xml version="1.0" encoding="` + declared + `"?><rss><channel><title>` + channel + `</title>` +
			newest +
			`<item><title>Grüße aus Мурманск</title><guid>1</guid><description>` + text + `</description></item>` +
			`<item><title>Zweite Überschrift: 论坛更新</title><link>https://a.example/2</link><description>naïve “Œuvre”</description></item>` +
			`<item><title>Plain</title><guid>3</guid><description>한국어 뉴스</description></item></channel></rss>`
	}
	for _, label := range []string{"utf-8", "iso-8859-1", "windows-1251", "gbk", "gb2312", "shift_jis", "euc-kr",
		"big5", "us-ascii", "utf-16"} {
		for _, header := range []string{"", "text/xml; charset=" + label} {
			declared := label
			if header != "" {
				declared = "utf-8"
			}
			var mem memory
			read := func(channel, newest, text, want string) {
				t.Helper()
				d, err := Parse([]byte(doc(declared, channel, newest, text)), header, testBase, Default())
				if err != nil {
					t.Fatal(err)
				}
				found := Match(mem.known, d)
				if got := say(found); got != want {
					t.Errorf("%s by %q: got %q, want %q (%q)", declared, header, got, want, d.Notes)
				}
				if label != "utf-8" && len(d.Notes) == 0 {
					t.Errorf("%s by %q: nothing noted", declared, header)
				}
				mem.keep(found)
			}
			const good = "Куплено за 5 € – жаль"
			const bad = "<item><title>Neu: Мы \xd1 и</title><guid>n</guid></item>"
			read("Häfen", "", good, "nnn")
			// half a character in the feed's title
			read("H\xc3fen", "", good, "===")
			read("Häfen", bad, good, "n===")                          // and in a new item
			read("Häfen", "", "Куплено\x80 \xffза 5 € – жаль", "===") // bytes too many in an old one
			read("Häfen", "", good, "===")                            // healed
			read("Häfen", "", "Куплено за 5 \xe2\x82 – жаль", "c==")  // a character is lost
			// healed; and one in another encoding
			read("Häfen", "<item><title>Gr\xfc\xdfe</title></item>", good, "nc==")
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "abc", "\xff\xfea", "\x00<\x00?", "<?xml encoding='gbk'?>\x81",
		"\xc0\x80\xed\xbf\xbf\xf4\x90\x80\x80"} {
		f.Add([]byte(seed), "text/xml; charset=big5")
	}
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		text, _ := Decode(doc, contentType)
		if !utf8.ValidString(text) {
			t.Fatalf("%q is not valid", text)
		}
		for _, r := range text {
			if isIllegal(r) {
				t.Fatalf("%q holds %U", text, r)
			}
		}
		wide, _ := charset.Wide([]byte(text))
		if again, _ := Decode([]byte(text), ""); isClean([]byte(text)) && !strings.Contains(text, "encoding") &&
			!strings.Contains(text, "\x00") && again != text && wide == nil {
			t.Fatalf("%q is read again as %q", text, again)
		}
	})
}

// What is looked at eight bytes at a time is clean if each character is.
func TestCleanIsWhatCleanLeaves(t *testing.T) {
	for _, text := range []string{"", "a", "\n", "~~~~~~~", "        ", "~~~~~~~~ ", "\t\r\n", "\u00e9", "\u20ac",
		"\u0085", "\u00a0", "\ufeff", "\ufffe", "\ufdd0", "\ufe00", "\U0001f680", "\U0001ffff", "\x1f", "\x7f",
		"\x00"} {
		for before := range 18 {
			for after := range 18 {
				doc := []byte(strings.Repeat("~", before) + text + strings.Repeat(" ", after))
				left, _ := clean(doc)
				if got, want := isClean(doc), left == string(doc); got != want {
					t.Errorf("%q is clean: %t", doc, got)
				}
			}
		}
	}
}
