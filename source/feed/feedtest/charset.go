package feedtest

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// charset is how the characters of a document are encoded, and what says so.
type charset struct {
	name     string
	codec    encoding.Encoding // nil: UTF-8
	words    []string          // that it can encode
	mark     string            // byte order mark
	declared string            // by the XML declaration; "": nothing is, -: there is no declaration
	header   string            // by the Content-Type
	typ      string            // a Content-Type instead of the format's
	legal    bool              // no declaration contradicts the bytes or another, and readers must know it
	garbled  bool              // nothing names it
}

// The words. Those of mixed are from several scripts, some outside of the basic plane.
var (
	western    = strings.Fields("Straße élève niño façade smörgås über Ærø señor plain words")
	typeset    = strings.Fields("“quoted” – €5 … œuvre Straße plain") // in windows-1252 and not in ISO 8859-1
	central    = strings.Fields("źródło příliš žluťoučký őrült čeština plain")
	baltic     = strings.Fields("žinios šiandien ķēde ģimene plain")
	turkish    = strings.Fields("güneş ışık dağ İstanbul plain")
	cyrillic   = strings.Fields("Привет мир новости сегодня погода plain")
	greek      = strings.Fields("Ειδήσεις κόσμος σήμερα νέα plain")
	hebrew     = strings.Fields("חדשות היום שלום עולם plain")
	arabic     = strings.Fields("أخبار اليوم العالم سلام plain")
	thai       = strings.Fields("ข่าว วันนี้ โลก plain")
	japan      = strings.Fields("日本語 ニュース 今日の ソフト 表示 plain") // with second bytes that are backslashes in Shift_JIS
	mainland   = strings.Fields("新闻 今天 世界 中国 plain")
	gb18030    = strings.Fields("新闻 今天 𠮷野 Ærø plain")
	taiwan     = strings.Fields("新聞 今天 世界 許功蓋 plain")
	korea      = strings.Fields("뉴스 오늘 세계 안녕 plain")
	mixed      = strings.Fields("Grüße новости 日本語 🚀 नमस्ते 𠮷野家 “x” – café plain")
	ascii      = strings.Fields("plain words only here")
	le16, be16 = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	le32, be32 = utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
)

// charsets begins with the one in which all twists are made.
var charsets = []charset{
	{name: "UTF-8", words: mixed, legal: true},
	{name: "UTF-8 declared", words: mixed, declared: "utf-8", legal: true},
	{name: "UTF-8 without a declaration", words: mixed, declared: "-", legal: true},
	{name: "UTF-8 with a mark", words: mixed, mark: "\xef\xbb\xbf", declared: "UTF-8", legal: true},
	{name: "UTF-8 by the header", words: mixed, header: "utf-8", legal: true},
	{name: "US-ASCII", words: ascii, declared: "us-ascii", legal: true},
	{name: "UTF-16LE with a mark", codec: le16, words: mixed, mark: "\xff\xfe", declared: "utf-16", legal: true},
	{name: "UTF-16BE with a mark", codec: be16, words: mixed, mark: "\xfe\xff", declared: "utf-16", legal: true},
	{name: "UTF-16LE without a mark", codec: le16, words: mixed},
	{name: "UTF-16BE without a mark", codec: be16, words: mixed},
	{name: "UTF-16BE declared as UTF-8", codec: be16, words: mixed, mark: "\xfe\xff", declared: "utf-8"},
	{name: "UTF-32LE with a mark", codec: le32, words: mixed, mark: "\xff\xfe\x00\x00", declared: "utf-32"},
	{name: "UTF-32BE with a mark", codec: be32, words: mixed, mark: "\x00\x00\xfe\xff", declared: "utf-32"},
	{name: "UTF-32LE without a mark", codec: le32, words: mixed, declared: "utf-32"},
	{name: "UTF-32BE without a mark", codec: be32, words: mixed},
	{name: "ISO-8859-1", codec: charmap.ISO8859_1, words: western, declared: "iso-8859-1", legal: true},
	{name: "ISO-8859-2", codec: charmap.ISO8859_2, words: central, declared: "ISO-8859-2", legal: true},
	{name: "ISO-8859-5", codec: charmap.ISO8859_5, words: cyrillic, declared: "iso-8859-5", legal: true},
	{name: "ISO-8859-6", codec: charmap.ISO8859_6, words: arabic, declared: "iso-8859-6", legal: true},
	{name: "ISO-8859-7", codec: charmap.ISO8859_7, words: greek, declared: "iso-8859-7", legal: true},
	{name: "ISO-8859-8", codec: charmap.ISO8859_8, words: hebrew, declared: "iso-8859-8", legal: true},
	{name: "ISO-8859-9", codec: charmap.ISO8859_9, words: turkish, declared: "iso-8859-9", legal: true},
	{name: "ISO-8859-13", codec: charmap.ISO8859_13, words: baltic, declared: "iso-8859-13", legal: true},
	{name: "ISO-8859-15", codec: charmap.ISO8859_15, words: western, declared: "iso-8859-15", legal: true},
	{name: "windows-1250", codec: charmap.Windows1250, words: central, declared: "windows-1250", legal: true},
	{name: "windows-1251", codec: charmap.Windows1251, words: cyrillic, declared: "windows-1251", legal: true},
	{name: "windows-1252", codec: charmap.Windows1252, words: typeset, declared: "windows-1252", legal: true},
	{name: "windows-1253", codec: charmap.Windows1253, words: greek, declared: "windows-1253", legal: true},
	{name: "windows-1254", codec: charmap.Windows1254, words: turkish, declared: "windows-1254", legal: true},
	{name: "windows-1255", codec: charmap.Windows1255, words: hebrew, declared: "windows-1255", legal: true},
	{name: "windows-1256", codec: charmap.Windows1256, words: arabic, declared: "windows-1256", legal: true},
	{name: "windows-1257", codec: charmap.Windows1257, words: baltic, declared: "windows-1257", legal: true},
	{name: "windows-874", codec: charmap.Windows874, words: thai, declared: "windows-874"},
	{name: "TIS-620", codec: charmap.Windows874, words: thai, declared: "tis-620"},
	{name: "KOI8-R", codec: charmap.KOI8R, words: cyrillic, declared: "koi8-r", legal: true},
	{name: "KOI8-U", codec: charmap.KOI8U, words: cyrillic, declared: "koi8-u", legal: true},
	{name: "macintosh", codec: charmap.Macintosh, words: western[:5], declared: "macintosh"},
	{name: "EBCDIC", codec: charmap.CodePage037, words: western, declared: "cp037"},
	{name: "Shift_JIS", codec: japanese.ShiftJIS, words: japan, declared: "Shift_JIS", legal: true},
	{name: "EUC-JP", codec: japanese.EUCJP, words: japan, declared: "euc-jp", legal: true},
	{name: "ISO-2022-JP", codec: japanese.ISO2022JP, words: japan, declared: "iso-2022-jp"},
	{name: "GB2312", codec: simplifiedchinese.GBK, words: mainland, declared: "gb2312", legal: true},
	{name: "GBK", codec: simplifiedchinese.GBK, words: mainland, declared: "gbk", legal: true},
	{name: "GB18030", codec: simplifiedchinese.GB18030, words: gb18030, declared: "gb18030", legal: true},
	{name: "Big5", codec: traditionalchinese.Big5, words: taiwan, declared: "big5", legal: true},
	{name: "EUC-KR", codec: korean.EUCKR, words: korea, declared: "euc-kr", legal: true},

	// The header says it alone, or better than the declaration (RFC 7303, section 3).
	{name: "KOI8-R by the header", codec: charmap.KOI8R, words: cyrillic, declared: "-", header: "koi8-r"},
	{name: "KOI8-R by the header, declared as UTF-8", codec: charmap.KOI8R, words: cyrillic, declared: "utf-8",
		header: `"KOI8-R"`},
	{name: "GB2312 by the header, declared as UTF-8", codec: simplifiedchinese.GBK, words: mainland, declared: "utf-8",
		header: "gb2312"},
	{name: "Big5 by the header, declared as ISO-8859-1", codec: traditionalchinese.Big5, words: taiwan,
		declared: "iso-8859-1", header: "big5"},
	{name: "windows-1251 by the header, declared as KOI8-R", codec: charmap.Windows1251, words: cyrillic,
		declared: "koi8-r", header: "windows-1251"},
	{name: "Shift_JIS by the header, in a type with parameters", codec: japanese.ShiftJIS, words: japan,
		typ: `application/xml;profile="x"; q=0.9;charset=shift_jis`},

	// What is declared is false, and the bytes show what is true.
	{name: "UTF-8 declared as ISO-8859-1", words: mixed, declared: "iso-8859-1"},
	{name: "UTF-8 declared as windows-1252", words: mixed, declared: "windows-1252"},
	{name: "UTF-8 declared as US-ASCII", words: mixed, declared: "us-ascii"},
	{name: "UTF-8 declared as UTF-16", words: mixed, declared: "utf-16"},
	{name: "UTF-8 declared as nothing known", words: mixed, declared: "bogus"},
	{name: "UTF-8 under a header of ISO-8859-1", words: mixed, declared: "utf-8", header: "iso-8859-1"},
	{name: "UTF-8 under a header of US-ASCII", words: mixed, declared: "utf-8", header: "us-ascii"},
	{name: "UTF-8 under a header of nothing known", words: mixed, header: "x-unknown"},
	{name: "UTF-8 as text/xml, which was ASCII once", words: mixed, typ: "text/xml"},
	{name: "UTF-8 as text/plain", words: mixed, typ: "text/plain"},
	{name: "UTF-8 under a broken header", words: mixed, typ: "application/xml; charset"},
	{name: "UTF-8 with a mark, declared as KOI8-R", words: mixed, mark: "\xef\xbb\xbf", declared: "koi8-r",
		header: "iso-8859-1"},
	{name: "KOI8-R under a header of nothing known", codec: charmap.KOI8R, words: cyrillic, declared: "koi8-r",
		header: "bogus"},
	{name: "windows-1252 declared as ISO-8859-1", codec: charmap.Windows1252, words: typeset, declared: "iso-8859-1"},
	{name: "windows-1252 declared as UTF-8", codec: charmap.Windows1252, words: typeset, declared: "utf-8",
		header: "utf-8"},
	{name: "windows-1252 undeclared", codec: charmap.Windows1252, words: typeset},
	{name: "GBK declared as UTF-8", codec: simplifiedchinese.GBK, words: mainland, declared: "utf-8", garbled: true},
	{name: "KOI8-R undeclared", codec: charmap.KOI8R, words: cyrillic, garbled: true},
	{name: "EUC-KR undeclared", codec: korean.EUCKR, words: korea, garbled: true},
	{name: "TIS-620 undeclared", codec: charmap.Windows874, words: thai, garbled: true},
}

// fits reports whether documents of the format can be in the character set: JSON declares none.
func (c *charset) fits(f *format) bool {
	return f.isXML() || c.codec == nil || c.mark != "" || c.header != "" && c.header != "bogus" ||
		strings.HasPrefix(c.name, "UTF-")
}

func (c *charset) unicode() bool { return len(c.words) > 0 && c.words[0] == mixed[0] }

// likeASCII reports whether ASCII characters are the same bytes in it.
func (c *charset) likeASCII() bool {
	return !strings.HasPrefix(c.name, "UTF-16") && !strings.HasPrefix(c.name, "UTF-32") &&
		c.codec != charmap.CodePage037 && c.codec != japanese.ISO2022JP
}

func (c *charset) contentType(usual string) string {
	switch {
	case c.typ != "":
		return c.typ
	case c.header != "":
		return usual + "; charset=" + c.header
	}
	return usual
}

func (c *charset) declaration() string {
	switch c.declared {
	case "-":
		return ""
	case "":
		return "<?xml version=\"1.0\"?>\n"
	}
	return fmt.Sprintf("<?xml version=\"1.0\" encoding=\"%s\"?>\n", c.declared)
}

// encode panics if the words of the character set are not in it.
func (c *charset) encode(text string) []byte {
	if c.codec == nil {
		return []byte(c.mark + text)
	}
	out, err := c.codec.NewEncoder().String(text)
	if err != nil {
		panic(fmt.Sprintf("%s cannot hold its own words: %v", c.name, err))
	}
	return []byte(c.mark + out)
}
