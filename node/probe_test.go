package node

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/api"
)

// A refusal that a flag lifts names the flag.
func TestRefusalsNameTheirFlag(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.Write([]byte(rss(entry("1", "One", strings.Repeat("long ", 1000)))))
	}))
	t.Cleanup(site.Close)
	for flag, edit := range map[string]func(*Config){
		"--allow-private-origins": func(c *Config) { c.LabOrigins, c.AllowPrivateOrigins = false, false },
		"--body-limit":            func(c *Config) { c.BodyLimit = 1 << 10 },
	} {
		n := newRestartable(t, edit, func(c *Config) { c.Interval = MinInterval })
		client := api.Dial(api.SocketPath(n.config.Data))
		t.Cleanup(client.Close)
		order := tidings.Order{URL: site.URL + "/feed.xml"}
		_, subscribing := client.Subscribe(t.Context(), order)
		_, probing := client.Probe(t.Context(), order)
		for _, err := range []error{subscribing, probing} {
			var refused *api.Error
			if !errors.As(err, &refused) || !strings.Contains(refused.Hint, "tidings up "+flag) {
				t.Errorf("%s: refused with %v, which is said to be mended so: %+v", flag, err, refused)
			}
		}
	}
}
