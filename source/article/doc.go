// Package article finds the article in a web page: its text without navigation, advertisements and comments, as HTML
// that may stay.
//
//	bytes ──▶ charset ──▶ tree, within bounds ──▶ go-readability, by Mozilla's rules ──▶ markup.Sanitize ──▶ [Article]
//
// The page is a stranger's. It is refused, before any work that grows with it, where it is larger than [MaxBytes] or
// has more than [MaxElements] elements; what is nested more deeply than the rules of HTML permit is read flat. The
// result has at most [MaxContent] bytes. Nothing is loaded and nothing is run.
//
// A page of which too little remains has no article ([ErrNone]): such are walls that ask to sign in or to accept
// cookies, and pages that scripts fill.
package article
