package charset

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// encode returns text in an encoding, which must have all of it.
func encode(t *testing.T, enc encoding.Encoding, text string) string {
	t.Helper()
	out, err := enc.NewEncoder().String(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return out
}

// titles makes a document of titles.
func titles(list ...string) string {
	return "<rss><title>" + strings.Join(list, "</title>\n<title>") + "</title></rss>"
}

// falseLabels are what UTF-8 is said to be by servers and programs that do not know better.
var falseLabels = []string{"iso-8859-1", "iso-8859-2", "windows-1252", "windows-1251", "koi8-r", "us-ascii", "gbk",
	"gb2312", "gb18030",
	"shift_jis", "euc-jp", "euc-kr", "big5", "iso-2022-jp", "hz-gb-2312", "utf-16", "tis-620", "windows-1256"}

// hostile 82: UTF-8 is that, whatever is said of it, and a note says so.
func TestHostile82FalseLabels(t *testing.T) {
	for _, text := range []string{"Grüße aus Мурманск", "café", "Привет", "Ελλάδα", "论坛更新", "新闻", "日本語のニュース", "한국어",
		"חדשות", "أخبار",
		"ข่าววันนี้", "“x” – …", "5 €", "25 °C", "naïve Œuvre", "Tiếng Việt", "🚀", "żółty", "Čeština", "é è",
		"© 2024 Tidings", "Mac \uf8ff for iΟS… and…"} {
		doc := titles(text)
		for _, label := range falseLabels {
			for _, names := range [][]string{{label}, {"", label}, {label, "utf-8"}, {label, label}} {
				got := Decode([]byte(doc), names...)
				if string(got.UTF8) != doc || got.Name != utf8Name || !slices.Equal(got.Notes, []string{NoteLie}) {
					t.Errorf("%q as %q: %q, in %s (%q)", text, names, got.UTF8, got.Name, got.Notes)
				}
			}
		}
	}
}

// hostile 82: a bad byte costs the character that it is in, and that is noted, whatever is declared.
func TestHostile82StrayBytes(t *testing.T) {
	const good = "Grüße aus Мурманск, 论坛更新"
	for _, c := range []struct{ bad, want string }{
		{"Мы \xd1 и", "Мы \ufffd и"},
		{"М\xd1 и", "М\ufffd и"},
		{"ja “so\xe2\x80 und", "ja “so\ufffd und"},
		{"日本\xe8\xaa", "日本\ufffd"},
		{"日\x80本", "日\ufffd本"},
		{"Zwei\xffte Müller", "Zwei\ufffdte Müller"},
		{"Zwei\xffte", "Zwei\ufffdte"},
		{"für\xc3", "für\ufffd"},
		{"fertig\xc3", "fertig\ufffd"},
		{"🚀\xf0\x9f\x9a", "🚀\ufffd"},
		{"été \x96 caf\xe9", "été – café"}, // pasted from windows-1252
		{"don\x92t", "don’t"},
		{"\xc0\xbc\xed\xa0\x80", "\ufffd\ufffd"},
	} {
		for _, label := range append([]string{"", "utf-8", "bogus"}, falseLabels...) {
			doc, want := titles(good, c.bad, good, good), titles(good, c.want, good, good)
			got := Decode([]byte(doc), label)
			if string(got.UTF8) != want || !slices.Contains(got.Notes, NoteRepaired) {
				t.Errorf("%q as %q: %q (%q)", c.bad, label, got.UTF8, got.Notes)
			}
		}
	}
}

// hostile 82: parts in different encodings are read each in its own.
func TestHostile82Parts(t *testing.T) {
	utf := []string{"Grüße aus Köln", "Привет, мир", "论坛更新消息", "“x” – …"}
	for _, c := range []struct {
		name string
		enc  encoding.Encoding
		text []string
	}{
		{"iso-8859-1", charmap.Windows1252, []string{"Grüße aus Köln", "»Spaß« – naïve", "été"}},
		{"windows-1251", charmap.Windows1251, []string{"Привет, мир", "Новости дня №5", "Да"}},
		{"koi8-r", charmap.KOI8R, []string{"Привет, мир", "Новости дня"}},
		{"gbk", simplifiedchinese.GBK, []string{"论坛更新消息", "新闻", "今天的世界"}},
		{"big5", traditionalchinese.Big5, []string{"新聞世界", "許功蓋"}},
		{"euc-kr", korean.EUCKR, []string{"한국어 뉴스", "오늘"}},
		{"shift_jis", japanese.ShiftJIS, []string{"新着ソフト", "ニュース"}},
		{"euc-jp", japanese.EUCJP, []string{"新着ソフト", "ニュース"}},
	} {
		var other []string
		for _, text := range c.text {
			other = append(other, encode(t, c.enc, text))
		}
		for _, d := range []struct {
			name  string
			parts []string
			want  []string
		}{
			{"mostly UTF-8", slices.Concat(utf, utf, utf, other), slices.Concat(utf, utf, utf, c.text)},
			{"mostly the other", slices.Concat(other, other, other, utf), slices.Concat(c.text, c.text, c.text, utf)},
		} {
			got := Decode([]byte(titles(d.parts...)), c.name)
			if want := titles(d.want...); string(got.UTF8) != want || len(got.Notes) == 0 {
				t.Errorf("%s, %s:\n%s, want\n%s (%q)", c.name, d.name, got.UTF8, want, got.Notes)
			}
		}
	}
}

// hostile 82: text in other encodings that is valid UTF-8 by chance, which short text may be.
func TestHostile82ValidByChance(t *testing.T) {
	for _, c := range []struct {
		name string
		enc  encoding.Encoding
		text string
	}{
		{"gb2312", simplifiedchinese.GBK, "统一"}, {"gb2312", simplifiedchinese.GBK, "联通"},
		{"gbk", simplifiedchinese.GBK, "小"},
		{"iso-8859-1", charmap.Windows1252, "Spaß«"}, {"tis-620", charmap.Windows874, "เขต"},
		{"tis-620", charmap.Windows874, "แขก"},
		{"euc-kr", korean.EUCKR, "촛"},
	} {
		raw := encode(t, c.enc, c.text)
		if got := Decode([]byte(titles(raw)), c.name); string(got.UTF8) != titles(c.text) || len(got.Notes) > 0 {
			t.Errorf("%q (valid: %v) in %s: %q (%q)", raw, utf8.ValidString(raw), c.name, got.UTF8, got.Notes)
		}
	}
}

// hostile 18: what says rightly what it is, or is ASCII, is read so, and nothing is noted.
func TestHostile18TrueLabels(t *testing.T) {
	for _, c := range []struct {
		names []string
		enc   encoding.Encoding
		text  string
	}{
		{[]string{"iso-8859-1"}, charmap.ISO8859_1, "ÄÖÜ Grüße"},
		{[]string{"windows-1251"}, charmap.Windows1251, "Привет №5"},
		{[]string{"", "windows-1251"}, charmap.Windows1251, "В «США»"},
		{[]string{"gbk"}, simplifiedchinese.GB18030, "论坛 🚀 更新 Ærø"}, // four bytes a character, which GBK does not have
		{[]string{"gb2312"}, simplifiedchinese.GBK, "论坛更新"},
		{[]string{"big5"}, traditionalchinese.Big5, "許功蓋"},
		{[]string{"euc-kr"}, korean.EUCKR, "똠 한국어"},
		{[]string{"shift_jis"}, japanese.ShiftJIS, "ﾊﾟｿｺﾝ 表示"},
		{[]string{"iso-2022-jp"}, japanese.ISO2022JP, "日本語 <b>"},
		{[]string{""}, japanese.ISO2022JP, "日本語 <b>"},
		{[]string{"hz-gb-2312"}, simplifiedchinese.HZGB2312, "新闻 ~ <b>"},
		{[]string{"us-ascii"}, encoding.Nop, "~{plain~} +AOk-"},
		{[]string{"iso-8859-1", "shift_jis"}, encoding.Nop, "plain"},
		{[]string{"iso-8859-1", "gbk"}, simplifiedchinese.GBK, "今天的世界 iPhone手机"}, // a server's default
		{[]string{"iso-8859-1", "windows-1251"}, charmap.Windows1251, "Привет, мир"},
	} {
		got := Decode([]byte(encode(t, c.enc, titles(c.text))), c.names...)
		if len(c.names) > 1 && c.names[0] != "" { // the first may be false
			got.Notes = nil
		}
		if string(got.UTF8) != titles(c.text) || len(got.Notes) > 0 {
			t.Errorf("%q as %q: %q (%q)", c.text, c.names, got.UTF8, got.Notes)
		}
	}
}

// hostile 18: what nothing is said of, or nothing true, is guessed, and that is noted.
func TestHostile18Guesses(t *testing.T) {
	for _, c := range []struct {
		enc  encoding.Encoding
		text string
	}{
		{charmap.Windows1252, "Grüße – “x”"}, {charmap.Windows1252, "5 € ÄÖÜ"},
		{charmap.Windows1251, "Привет, мир новостей"}, {charmap.KOI8R, "Привет, мир новостей"},
	} {
		for _, label := range []string{"", "utf-8", "bogus", "utf-16"} {
			got := Decode([]byte(encode(t, c.enc, titles(c.text))), label)
			if string(got.UTF8) != titles(c.text) || !slices.Contains(got.Notes, NoteGuess) {
				t.Errorf("%q as %q: %q (%q)", c.text, label, got.UTF8, got.Notes)
			}
		}
	}
	for _, c := range []struct {
		doc  string
		name string
		want []string
	}{
		{"plain", "bogus", []string{NoteUnknown}}, {"plain", "utf-16", []string{NoteLie}},
		{"plain", "iso-2022-kr", []string{NoteUnknown}},
		{"plain", "x-user-defined", []string{NoteUnknown}}, {"Gr\xfc\xdfe", "utf-8", []string{NoteLie, NoteGuess}},
		{"新闻更新消息\x81", "gbk", []string{NoteLie, NoteRepaired}},
		{"\xd0\xc2\xce\xc5\x81", "gbk", []string{NoteRepaired}},
		{"\xff\xfea\x00\x00\xd8b\x00", "", []string{NoteRepaired}},
	} {
		if got := Decode([]byte(c.doc), c.name); !slices.Equal(got.Notes, c.want) {
			t.Errorf("%q as %s: %q, want %q", c.doc, c.name, got.Notes, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "abc", "\xff\xfea", "\x00<\x00?", "<a>\x81",
		"\xc0\x80\xed\xbf\xbf\xf4\x90\x80\x80", "\x1b$BF|\x1b(B", "~{PBNE~}",
		"<a>Gr\xc3\xbc\xc3\x9fe</a><b>Gr\xfc\xdfe</b>", "\x94\x39\xfc\x36", "\xef\xbb\xbf\xff\"\xe2\x80\">",
		"\x4c\x6f\xa7\x94"} {
		f.Add([]byte(seed), "big5", "utf-8")
		f.Add([]byte(seed), "", "iso-8859-1")
	}
	f.Fuzz(func(t *testing.T, doc []byte, header, inside string) {
		got := Decode(doc, header, inside)
		if !utf8.Valid(got.UTF8) {
			t.Fatalf("%q is not valid", got.UTF8)
		}
		_, mark := Wide(doc)
		if enc, _ := Wide(doc); enc == nil && utf8.Valid(doc[mark:]) && header == "" && inside == "" &&
			!bytes.Contains(doc, []byte("\x1b$")) && !bytes.Equal(got.UTF8, doc[mark:]) {
			t.Fatalf("%q became %q", doc, got.UTF8)
		}
	})
}
