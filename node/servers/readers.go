package servers

import (
	"context"
	"log/slog"
	"net/http"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/fever"
	"tidings/delivery/greader"
	"tidings/delivery/minifluxapi"
	"tidings/delivery/proxy"
	"tidings/delivery/server"
	"tidings/delivery/sync"
)

// readerAPIs are what feed readers speak to. Their paths go before those of all other interfaces, and no two have the
// same.
var readerAPIs = []struct {
	serves func(path string) bool
	new    func(sync.Library, sync.Gate, *slog.Logger) http.Handler
}{
	{greader.Serves, greader.New}, {fever.Serves, fever.New}, {minifluxapi.Serves, minifluxapi.New},
}

// readerAPI returns which of readerAPIs a path belongs to; -1 if to none.
func readerAPI(path string) int {
	for i, api := range readerAPIs {
		if api.serves(path) {
			return i
		}
	}
	return -1
}

// provesItself reports whether requests to a path prove themselves by a secret of their own, which is not a session.
func provesItself(path string) bool { return readerAPI(path) >= 0 || proxy.ServesOwn(path) }

// withOwnFeeds returns what answers requests for feeds of people's own, and all others by next.
func (c Config) withOwnFeeds(guard *auth.Guard, next http.Handler) http.Handler {
	feeds := proxy.NewOwn(proxy.Config{BaseURL: server.BaseURL, Logger: c.Log}, c.Store,
		vouchedFeeds{guard.Gate(c.Store)})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if proxy.ServesOwn(r.URL.Path) {
			feeds.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// vouchedFeeds is a gate of feeds that notes that a connection belongs to a known person.
type vouchedFeeds struct{ gate *auth.Gate }

// Feed implements [proxy.OwnGate].
func (v vouchedFeeds) Feed(ctx context.Context, secret string) (tidings.AccountID, tidings.FeedAddress, error) {
	account, f, err := v.gate.Feed(ctx, secret)
	vouch(ctx, err)
	return account, f, err
}

// withReaders returns a handler for feed readers by their APIs. It answers 404 if there is no library, and leaves all
// other requests to next. The APIs get paths as they came. A ServeMux would redirect a part of them, and readers lose
// the bodies of their requests then.
func (c Config) withReaders(guard *auth.Guard, next http.Handler) http.Handler {
	handlers := make([]http.Handler, len(readerAPIs))
	for i, api := range readerAPIs {
		handlers[i] = http.NotFoundHandler()
		if c.Library != nil {
			handlers[i] = api.new(c.Library, vouching{guard.Gate(c.Store)}, c.Log)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i := readerAPI(r.URL.Path); i >= 0 {
			handlers[i].ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// vouching is a gate that notes that a connection belongs to a known person, as server.Vouched does for other
// interfaces.
type vouching struct{ sync.Gate }

// Enter implements [sync.Gate].
func (v vouching) Enter(ctx context.Context, user, password string) (sync.Person, string, error) {
	p, token, err := v.Gate.Enter(ctx, user, password)
	vouch(ctx, err)
	return p, token, err
}

// Token implements [sync.Gate].
func (v vouching) Token(ctx context.Context, token string) (sync.Person, error) {
	p, err := v.Gate.Token(ctx, token)
	vouch(ctx, err)
	return p, err
}

// Fever implements [sync.Gate].
func (v vouching) Fever(ctx context.Context, key string) (sync.Person, error) {
	p, err := v.Gate.Fever(ctx, key)
	vouch(ctx, err)
	return p, err
}

func vouch(ctx context.Context, err error) {
	if err == nil {
		server.Vouch(ctx)
	}
}
