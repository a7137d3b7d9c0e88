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

// A page to which a click leads shows its elements before its deferred script has run. A step that waits for one of
// them waits for the script too.
func TestVisibleWaitsForScripts(t *testing.T) {
	shown := make(chan struct{})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/script.js":
			select {
			case <-shown:
			case <-r.Context().Done():
			}
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `window.ran = true;`)
		case "/shown":
			close(shown)
		case "/second":
			// A script that is not deferred says when the element is there, two frames later.
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<script src="/script.js" defer></script><main id="second">second</main>
				<script>requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => fetch("/shown"), 300)));</script>`)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<main><a href="/second">on</a></main>`)
		}
	}))
	defer page.Close()
	ctx := Start(t)
	Do(t, ctx, Open(page.URL), Click("a"), Visible("#second"))
	if !Eval[bool](t, ctx, `window.ran === true`) {
		t.Error("the element is visible, and the script has not run")
	}
}
