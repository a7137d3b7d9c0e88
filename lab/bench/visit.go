package bench

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"tidings/lab/browser"
)

// visit is what a browser says of one page. Bytes are compressed, as they came, with their headers; those from its
// cache are 0. All are 0 where the page came by a service worker: the browser counts its bytes unpacked.
type visit struct {
	Origin   float64 // when the visit began: milliseconds since 1970
	Paint    float64 // milliseconds until something was painted
	Reply    float64 // milliseconds until the first byte of the document
	Document float64 // bytes
	Blocking float64 // bytes of what the first paint waited for, besides the document
	All      float64 // bytes
}

// painted waits until a page is painted, and says how that went.
const painted = `new Promise((done) => new PerformanceObserver((list, observer) => {
  const paint = list.getEntries().find((entry) => entry.name === "first-contentful-paint");
  if (!paint) return;
  observer.disconnect();
  const page = performance.getEntriesByType("navigation")[0], parts = performance.getEntriesByType("resource");
  const sum = (all) => page.workerStart > 0 ? 0 : all.reduce((n, part) => n + part.transferSize, 0);
  done({
    Origin: performance.timeOrigin, Paint: paint.startTime, Reply: page.responseStart, Document: sum([page]),
    Blocking: sum(parts.filter((part) => part.renderBlockingStatus === "blocking")), All: sum([page, ...parts]),
  });
}).observe({ type: "paint", buffered: true }))`

// workerActive waits until the site's service worker, which later visits pass through, is there; for a second at most
// if there is none.
const workerActive = `Promise.race([navigator.serviceWorker.ready.then(() => true), new Promise((done) => setTimeout(() => done(false), 1000))])`

// noted keeps when the next event of a kind begins, over the change to another page.
const noted = `addEventListener(%q, (event) => sessionStorage.setItem("began", performance.timeOrigin + event.timeStamp), { capture: true, once: true }), true`

// openedInPlace has opened be how long it takes from the next event of a kind until another article is painted in its
// list.
const openedInPlace = `window.opened = new Promise((done) => {
  const before = document.querySelector(".line.opened");
  addEventListener(%q, (event) => {
    const observer = new MutationObserver(() => {
      const line = document.querySelector(".line.opened");
      if (!line || line === before || !line.querySelector(%q)) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const after = new MessageChannel(); // its message comes when the frame is painted
        after.port1.onmessage = () => done(performance.now() - event.timeStamp);
        after.port2.postMessage(0);
      });
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  }, { capture: true, once: true });
}), true`

// typedLetter has typed be how long it takes from the next letter in a field until the page is painted.
const typedLetter = `window.typed = new Promise((done) => addEventListener("input", (event) => requestAnimationFrame(() => {
  const after = new MessageChannel();
  after.port1.onmessage = () => done(performance.now() - event.timeStamp);
  after.port2.postMessage(0);
}), { capture: true, once: true })), true`

// do does steps within the time that one visit has.
func do(ctx context.Context, steps ...browser.Step) error {
	ctx, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// value returns the value of an expression within the time that one visit has.
func value[T any](ctx context.Context, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	return browser.Value[T](ctx, expression)
}

func (s site) signIn(ctx context.Context) error {
	if err := do(ctx, chromedp.Navigate(s.base+s.form)); err != nil {
		return err
	}
	if _, err :=
		value[bool](ctx, s.login+`, document.querySelector("[name=password]").form.submit(), true`); err != nil {
		return err
	}
	return s.until(ctx, fmt.Sprintf(`location.pathname !== %q && document.readyState === "complete"`, s.form))
}

// until waits until an expression is true in some page.
func (s site) until(ctx context.Context, expression string) error {
	ctx, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	for {
		if is, err := browser.Value[bool](ctx, expression); err != nil || is {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", expression, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// read visits a page with nothing in the browser's cache, and again with what it has kept. It stays signed in.
func (s site) read(ctx context.Context, path string) (cold, warm visit, err error) {
	empty := chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tab, network.ClearBrowserCache, cdp.Empty{}); err != nil {
			return fmt.Errorf("emptying the cache: %w", err)
		}
		_, err := cdp.Call(ctx, tab, storage.ClearDataForOrigin,
			storage.ClearDataForOriginParams{Origin: s.base, StorageTypes: "service_workers,cache_storage"})
		return err
	})
	if err := do(ctx, chromedp.Navigate("about:blank"), empty); err != nil {
		return cold, warm, err
	}
	if cold, err = s.open(ctx, path); err != nil {
		return cold, warm, err
	}
	if _, err := value[bool](ctx, workerActive); err != nil {
		return cold, warm, err
	}
	if err := do(ctx, chromedp.Navigate("about:blank")); err != nil {
		return cold, warm, err
	}
	warm, err = s.open(ctx, path)
	return cold, warm, err
}

func (s site) open(ctx context.Context, path string) (visit, error) {
	if err := do(ctx, chromedp.Navigate(s.base+path)); err != nil {
		return visit{}, err
	}
	return value[visit](ctx, painted)
}

// outcome is a visit, or why there was none.
type outcome struct {
	visit
	err error
}

// articles opens an article from the list of what is unread, and goes on to the next ones. It ends with what fails.
func (s site) articles(ctx context.Context) iter.Seq2[string, outcome] {
	return func(yield func(string, outcome) bool) {
		_, err := s.open(ctx, s.pages[pagesRead[0]])
		if err != nil {
			yield("the list", outcome{err: err})
			return
		}
		click, key := chromedp.Click(chromedp.CSS(s.first)), chromedp.KeyEvent("j")
		path, err := value[string](ctx, fmt.Sprintf(`document.querySelector(%q).getAttribute("href")`, s.first))
		if err != nil {
			yield("the first article", outcome{err: err})
			return
		}
		const clicked, inList, onPage = "an article, by a click in the list",
			"the next article, by the key j in the list", "the next article, by the key j on its page"
		if s.place {
			v, err := s.inPlace(ctx, "click", click)
			if !yield(clicked, outcome{v, err}) || err != nil {
				return
			}
			v, err = s.inPlace(ctx, "keydown", key)
			if !yield(inList, outcome{v, err}) || err != nil {
				return
			}
		} else {
			v, err := s.goOn(ctx, "click", click)
			if !yield(clicked, outcome{v, err}) || err != nil {
				return
			}
		}
		if s.find != "" {
			v, err := s.letter(ctx)
			if !yield("a letter, in the field that finds channels", outcome{v, err}) || err != nil {
				return
			}
		}
		if _, err := s.open(ctx, path); err != nil {
			yield(onPage, outcome{err: err})
			return
		}
		v, err := s.goOn(ctx, "keydown", key)
		yield(onPage, outcome{v, err})
	}
}

// inPlace measures from an event until another article is painted in the list.
func (s site) inPlace(ctx context.Context, event string, step browser.Step) (v visit, err error) {
	if _, err := value[bool](ctx, fmt.Sprintf(openedInPlace, event, s.text)); err != nil {
		return v, err
	}
	if err := do(ctx, step); err != nil {
		return v, err
	}
	v.Paint, err = value[float64](ctx, "opened")
	return v, err
}

// letter measures from a letter that is typed where channels are found until the list beside the page is painted.
func (s site) letter(ctx context.Context) (v visit, err error) {
	if err := do(ctx, chromedp.Focus(chromedp.CSS(s.find))); err != nil {
		return v, err
	}
	if _, err := value[bool](ctx, typedLetter); err != nil {
		return v, err
	}
	if err := do(ctx, chromedp.KeyEvent("e")); err != nil {
		return v, err
	}
	v.Paint, err = value[float64](ctx, "typed")
	return v, err
}

// goOn measures from an event until the page of another article is painted.
func (s site) goOn(ctx context.Context, event string, step browser.Step) (v visit, err error) {
	before, err := value[string](ctx, "location.href")
	if err != nil {
		return v, err
	}
	if _, err := value[bool](ctx, fmt.Sprintf(noted, event)); err != nil {
		return v, err
	}
	if err := do(ctx, step); err != nil {
		return v, err
	}
	if err := s.until(ctx,
		fmt.Sprintf(`location.href !== %q && document.readyState === "complete" && document.querySelector(%q) !== null`,
			before, s.text)); err != nil {
		return v, err
	}
	if v, err = value[visit](ctx, painted); err != nil {
		return v, err
	}
	began, err := value[float64](ctx, `Number(sessionStorage.getItem("began"))`)
	v.Paint += v.Origin - began
	v.Reply += v.Origin - began
	return v, err
}
