package feed

// Sanitize makes HTML from anywhere safe to show, as Render does: links in it refer to base.
func Sanitize(markup, base string) string { return sanitize(body{text: markup}, base, newAllowance()) }
