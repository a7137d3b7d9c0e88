package sync_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"tidings/delivery/greader"
	"tidings/delivery/minifluxapi"
	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/lab/newsboat"
)

// An unmodified newsboat reads what there is, and knows what is read, in both APIs that it shares with a node.
func TestNewsboat(t *testing.T) {
	for source, lines := range map[string][]string{
		"miniflux": {"miniflux-login ann", "miniflux-password " + synctest.AnnPassword, "miniflux-url "},
		"feedhq":   {"feedhq-login ann", "feedhq-password " + synctest.AnnPassword, "feedhq-url "},
	} {
		t.Run(source, func(t *testing.T) {
			library, gate := synctest.Small(45)
			yes := true
			numbers := []int64{sync.FirstNumber, sync.FirstNumber + 1, sync.FirstNumber + 44}
			if err := library.Mark(context.Background(), synctest.Ann, numbers, sync.Change{Read: &yes}); err != nil {
				t.Fatal(err)
			}
			reader, miniflux := greader.New(library, gate, synctest.Log()),
				minifluxapi.New(library, gate, synctest.Log())
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if minifluxapi.Serves(r.URL.Path) {
					miniflux.ServeHTTP(w, r)
					return
				}
				reader.ServeHTTP(w, r)
			}))
			defer server.Close()
			lines = append(slices.Clone(lines), `urls-source "`+source+`"`)
			lines[2] += server.URL + "/"
			boat := newsboat.Connect(t, lines...)
			boat.Command("reload")
			if titles := boat.Titles(); len(titles) != 45 || titles[0] != "Item 1" {
				t.Errorf("newsboat has %q", titles)
			}
			if unread := boat.Command("print-unread"); unread != "42 unread articles" {
				t.Errorf("newsboat says %q", unread)
			}
		})
	}
}
