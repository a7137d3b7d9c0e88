package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
)

// What moves under the pointer is clicked where it went, once, and what came into its
// place is not.
func TestClickFollowsWhatMoves(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<main><button id="other" hidden>other</button><button id="wanted">wanted</button></main>
			<script>
			window.clicked = [];
			addEventListener("click", (event) => clicked.push(event.target.id));
			wanted.addEventListener("mousedown", () => { wanted.style.marginTop = "400px"; other.hidden = false; }, { once: true });
			</script>`)
	}))
	defer page.Close()
	ctx := Start(t)
	Do(t, ctx, Open(page.URL))

	Do(t, ctx, chromedp.Click(chromedp.CSS("#wanted")))
	if got := Eval[string](t, ctx, `String(clicked)`); got == "wanted" {
		t.Fatal("a click that looks where its element was does not miss: this proves nothing")
	}
	Do(t, ctx, Open(page.URL), Click("#wanted"))
	if got := Eval[string](t, ctx, `String(clicked)`); got != "wanted" {
		t.Errorf("clicked %q", got)
	}
}

// A page that goes elsewhere while it is asked does not answer: the next one does.
func TestEvalIsAnsweredByTheNextPage(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<main>%s</main>`, r.URL.Path)
	}))
	defer page.Close()
	ctx := Start(t)
	Do(t, ctx, Open(page.URL+"/first"))
	leave := `location.pathname === "/first" ? (location = "/second", new Promise(() => {})) : location.pathname`
	if got := Eval[string](t, ctx, leave); got != "/second" {
		t.Errorf("%q answered", got)
	}
}
