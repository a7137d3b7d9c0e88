package page

import (
	"strings"
	"testing"

	"tidings"
)

// TestHostile8 is hostile 8 for pages: a login or error page is no new version.
func TestHostile8(t *testing.T) {
	old := strings.Split("# Prices\nTea | 2.50\nCoffee | 3.00\nCocoa | 2.80", "\n")
	for _, c := range []struct{ html, want string }{
		{`<title>Just a moment...</title><p>Checking your browser before accessing example.org`, "a check for robots"},
		{`<h1>Please log in</h1><form><input type=password></form><p>Forgotten?`, "a login page"},
		{`<h1>Welcome back</h1><form>User<input type=password></form>`, "a login page"},
		{`<title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>nginx`, "an error page"},
		{`<h1>Page not found</h1><p>Sorry.`, "an error page"},
		{`<p>Access denied`, "an error page"},
		{`<h1>We’ll be right back</h1>`, "a maintenance page"},
		{`<h1>Scheduled maintenance</h1>`, "a maintenance page"},
		{`<p>You need to enable JavaScript to run this app.`, "a page without its script"},
		{`<h1>example.org</h1><p>This domain is for sale!`, "a parked domain"},
		// Pages that only changed.
		{`<h1>Prices</h1><p>No prices today`, ""},
		{`<h1>New shop</h1><p>Everything is different now`, ""},
		{`<h1>Log of changes</h1><p>Signed in blood`, ""},
		{`<h1>Please log in</h1><table><tr><td>Tea<td>2.50<tr><td>Coffee<td>3.00</table>`, ""},
		{`<h1>Prices</h1><p>In 404 days` + strings.Repeat("<p>x", 100), ""},
	} {
		doc := read(t, c.html, tidings.PageOptions{})
		if got := SuspectReplaced(old, doc); got != c.want {
			t.Errorf("%s: %q, want %q", c.html, got, c.want)
		}
	}
	login := read(t, `<h1>Log in</h1><p>new text<input type=password>`, tidings.PageOptions{})
	if got := SuspectReplaced([]string{"# Log in", "other text", "a", "b"}, login); got != "" && got != "a login page" {
		t.Errorf("a page that was a login page before: %q", got)
	}
	if got := SuspectReplaced(nil, read(t, "<h1>403 Forbidden</h1>", tidings.PageOptions{})); got != "an error page" {
		t.Errorf("a first document: %q", got)
	}
}
