package feed

// Sanitize makes HTML from anywhere safe to show, as Render does: links in it refer to base.
func Sanitize(markup, base string) string { return sanitize(body{text: markup}, base, newAllowance()) }

// Decode turns a document into valid UTF-8 without illegal characters, as Parse does, and says in notes what it repaired.
func Decode(doc []byte, contentType string) (text string, notes []string) {
	return decode(doc, contentType)
}

// PlainText returns the text of HTML, words separated by single blanks.
func PlainText(markup string) string { return plainText(markup) }

// PlainLine makes one line of harmless plain text of at most limit characters, as titles have it: white space becomes
// single blanks, and characters that hide text or change its direction are left out.
func PlainLine(text string, limit int) string { return plainTitle(text, limit) }
