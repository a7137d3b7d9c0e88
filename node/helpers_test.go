package node

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"tidings/lab/dataset"
)

// pageOf makes a small page of paragraphs.
func pageOf(lines ...string) string {
	return "<!doctype html><html><head><title>A page</title></head><body><main><h1>A page</h1><p>" +
		strings.Join(lines, "</p><p>") + "</p></main></body></html>"
}

// historyOf makes a history of pages, a day apart.
func historyOf(pages ...string) dataset.History {
	h := dataset.History{Name: "doc"}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, p := range pages {
		h.Snapshots = append(h.Snapshots, dataset.Snapshot{
			Run: "dense", N: i + 1, Time: start.AddDate(0, 0, i), Ext: "html", Body: []byte(p),
		})
	}
	return h
}

// overSocket sends every request to a unix socket.
func overSocket(file string) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", file)
	}}
}

func rss(items string) string {
	return `<rss version="2.0"><channel><title>T</title>` + items + `</channel></rss>`
}
