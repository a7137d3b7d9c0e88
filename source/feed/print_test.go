package feed

import (
	"testing"

	"tidings"
)

func printOf(title, content string, files ...string) uint64 {
	it := Item{Item: tidings.Item{Title: title}, content: body{text: content}}
	for _, f := range files {
		it.Enclosures = append(it.Enclosures, tidings.Enclosure{URL: f})
	}
	return fingerprint(&it)
}

func TestFingerprintIsBlindToWhatReadersDoNotSee(t *testing.T) {
	for _, pair := range [][2]string{
		{"<p>Some text</p>", "<div class=x>Some\n\n  <b>te</b>xt</div>"},
		{"a &amp; b", "a &#38; b"},
		{"text<img src=/pixel?1 width=1 height=1>", "text<img src=/pixel?2 width=1 height=1>"},
		{"<a href=/x?session=1>text</a>", "<a href=/x?session=2>text</a>"},
		{"text<script>var t=1</script>", "text<script>var t=2</script>"},
		{"text<!-- cached 10:01 -->", "text<!-- cached 10:02 -->"},
		{"posted 3 hours ago by Ann", "posted 2 days ago by Ann"},
		{"posted an hour ago", "posted 1 minute ago."},
		{"(12 comments)", "(1,024 comments)"},
		{"1 comment", "2 comments"},
		{"no comments", "5 comments"},
		{"<p>Points: 5</p><p># Comments: 0</p>", "<p>Points: 17</p><p># Comments: 3</p>"},
		{"1.2k views · 3 likes", "1.3k views · 4 likes"},
	} {
		if printOf("t", pair[0]) != printOf("t", pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
	if printOf("t", "x", "https://c.example/a.mp3?token=1") != printOf("t", "x", "http://c.example/a.mp3?token=2") {
		t.Error("an enclosure's query counts")
	}
}

func TestFingerprintSeesWhatReadersSee(t *testing.T) {
	for _, pair := range [][2]string{
		{"Some text", "Some other text"},
		{"The price is 5 euros", "The price is 6 euros"},
		{"open for 3 hours", "open for 4 hours"},
		{"3 hours later", "4 hours later"},
		{"at 12", "at 13"},
		{"", "x"},
		{"version 1.2.3", "version 1.2.4"},
		{"12 12", "12"},
		{"a b", "b a"},
	} {
		if printOf("t", pair[0]) == printOf("t", pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
	if printOf("a", "x") == printOf("b", "x") || printOf("a", "") == printOf("", "a") {
		t.Error("titles do not count")
	}
	if printOf("t", "x", "https://c.example/a.mp3") == printOf("t", "x", "https://c.example/b.mp3") ||
		printOf("t", "x") == printOf("t", "x", "https://c.example/a") {
		t.Error("enclosures do not count")
	}
}

// Fingerprints are kept on disk: if this test fails, every item of every node would be reported as changed once.
func TestFingerprintsStayWhatTheyWere(t *testing.T) {
	const want = 0xd0ed50d9ca27dcb9
	if got := printOf("A title", "<p>Some <b>text</b>, 12 comments, 3 hours ago</p>",
		"https://c.example/a.mp3?x"); got != want {
		t.Errorf("got %#x", got)
	}
	if hashOf("") != 0 || hashOf("a") != 0xaf63dc4c8601ec8c { // FNV-1a's published value
		t.Errorf("hashOf(a) is %#x", hashOf("a"))
	}
}

// plainPrint is the fingerprint of a text, with each word judged on its own.
func plainPrint(markup string) uint64 {
	w := wordPrint{hash: printStart}
	eachWord(markup, w.add)
	w.flush()
	return w.hash.value()
}

// fieldPrint is the same as fingerprint computes it.
func fieldPrint(markup string) uint64 {
	w := wordPrint{hash: printStart}
	eachText(markup, w.field)
	w.flush()
	return w.hash.value()
}

// printSeeds are texts in which words depend on those beside them, or end where their pieces do.
var printSeeds = []string{
	"", "word", "two words ", " Points: 5 points", "5 <b>points</b>", "3 hours ago by Ann", "an hour a go", "a",
	"A 12 No comments",
	"com<b>ments</b>: 12 likes", "12 hours\u00a0ago", "caf\u00e9 12 vi\u00adews ", "x\ufffd y \ufffd",
	"\u200b a\ufeff b", "word\x7f \x01word: 7",
	"no<p>views", "a&nbsp;b&#32;c&amp;d ", "1 2 3 days days ago", "score: score: 4 4", "- 5 hours -ago ago.",
}

func TestOrdinaryWordsAreHashedLikeOthers(t *testing.T) {
	for _, first := range printSeeds {
		for _, second := range printSeeds {
			if text := first + second; plainPrint(text) != fieldPrint(text) {
				t.Errorf("%q", text)
			}
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	for _, seed := range printSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if plainPrint(text) != fieldPrint(text) {
			t.Errorf("%q", text)
		}
	})
}
