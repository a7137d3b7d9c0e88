package auth

import (
	"context"

	"tidings"
)

// access says which requesters may send a request.
type access int

const (
	administrators access = iota // decides about the node, or shows what people other than the requester do
	people                       // every person of the node: it concerns what is the requester's own
	posters                      // every person, and programs with a token for posting
	anybody                      // also those that nobody knows
)

// routes says for every route of the node's interfaces which requesters may use it. A route that is missing here is for
// administrators alone. An entry such as "POST /channel privacy" is for one action of the route, beside its others.
var routes = map[string]access{
	// The page.
	"GET /login":                  anybody,
	"POST /login":                 anybody,
	"POST /login/passkey":         anybody,
	"POST /login/passkey/options": anybody,
	"GET /login/openid":           anybody,
	"GET /login/openid/return":    anybody,
	"GET /assets/{file}":          anybody,

	"GET /{$}":                     people,
	"GET /events":                  people,
	"POST /read":                   people,
	"GET /entry/{id}":              people,
	"GET /chapters/{id}":           people,
	"POST /entry/{id}":             people,
	"POST /file":                   people,
	"POST /text":                   people,
	"GET /search":                  people,
	"GET /add":                     people,
	"POST /add/preview":            people,
	"POST /add":                    people,
	"GET /add/query":               people,
	"POST /add/query/check":        people,
	"POST /add/query/follow":       people,
	"GET /channels":                people,
	"POST /channels":               people,
	"POST /view":                   people,
	"GET /channel":                 people,
	"POST /channel":                people,
	"GET /older":                   people,
	"GET /update/{id}":             people,
	"GET /version":                 people,
	"GET /opml":                    people,
	"POST /opml":                   people,
	"GET /opml/export":             people,
	"GET /settings":                people,
	"POST /settings/appearance":    people,
	"POST /settings/password":      people,
	"POST /settings/tokens":        people,
	"POST /settings/tokens/delete": people,
	"POST /settings/sessions/end":  people,

	"POST /settings/feeds":        people,
	"POST /settings/feeds/remove": people,

	"GET /notifications":               people,
	"POST /notifications":              people,
	"GET /notifications/{id}":          people,
	"POST /notifications/{id}":         people,
	"POST /notifications/{id}/test":    people,
	"POST /notifications/{id}/confirm": people,
	"GET /notifications/{id}/remove":   people,
	"POST /notifications/{id}/remove":  people,
	"POST /notifications/preview":      people,
	"POST /notifications/retry":        people,
	"POST /notifications/drop":         people,

	"GET /filters":              people,
	"POST /filters":             people,
	"GET /filters/new":          people,
	"POST /filters/check":       people,
	"GET /filters/{id}":         people,
	"POST /filters/{id}":        people,
	"POST /filters/{id}/check":  people,
	"POST /filters/{id}/move":   people,
	"POST /filters/{id}/show":   people,
	"POST /filters/{id}/remove": people,
	"GET /offline/list":         people,
	"GET /offline/articles":     people,
	"GET /offline/shell":        people,
	"POST /offline/marks":       people,

	"POST /settings/passkeys":         people,
	"POST /settings/passkeys/options": people,
	"POST /settings/passkeys/confirm": people,
	"POST /settings/passkeys/remove":  people,

	"GET /help":    people,
	"POST /logout": people,
	"/":            people, // of the page: there is nothing

	"POST /channel privacy":     administrators, // of a channel that others may follow
	"POST /channel options":     administrators,
	"POST /channel trust":       administrators,
	"POST /channel distrust":    administrators,
	"GET /network":              administrators,
	"GET /network/events":       administrators,
	"POST /network/join":        administrators,
	"POST /network/forget":      administrators,
	"GET /node":                 administrators,
	"POST /node":                administrators,
	"GET /status":               administrators,
	"POST /publishing/resume":   administrators,
	"GET /people":               administrators,
	"POST /people":              administrators,
	"POST /people/role":         administrators,
	"POST /people/password":     administrators,
	"POST /people/remove":       administrators,
	"GET /people/remove/{name}": administrators,

	// The API, below /api/v1/.
	"GET /api/v1/channels":          people,
	"POST /api/v1/channels":         people,
	"DELETE /api/v1/channels":       people,
	"GET /api/v1/channel":           people,
	"PATCH /api/v1/channel":         people,
	"POST /api/v1/poll":             people,
	"POST /api/v1/preview":          people,
	"POST /api/v1/query":            people,
	"GET /api/v1/updates":           people,
	"GET /api/v1/updates/{id}":      people,
	"GET /api/v1/stream":            people,
	"GET /api/v1/entries":           people,
	"GET /api/v1/entries/{id}":      people,
	"POST /api/v1/entries/read":     people,
	"POST /api/v1/entries/read-all": people,
	"POST /api/v1/entries/star":     people,
	"GET /api/v1/state":             people,
	"GET /api/v1/diff":              people,
	"GET /api/v1/archive":           people,
	"POST /api/v1/files":            people,
	"POST /api/v1/fulltext":         people,
	"GET /api/v1/opml":              people,
	"POST /api/v1/opml":             people,
	"GET /api/v1/sessions":          people,
	"DELETE /api/v1/sessions/{id}":  people,
	"GET /api/v1/passkeys":          people,
	"DELETE /api/v1/passkeys/{id}":  people,
	"GET /api/v1/feeds":             people,
	"POST /api/v1/feeds":            people,
	"DELETE /api/v1/feeds/{id}":     people,

	"GET /api/v1/targets": people,
	"POST /api/v1/items":  posters,

	"GET /api/v1/filters":            people,
	"POST /api/v1/filters":           people,
	"POST /api/v1/filters/check":     people,
	"PATCH /api/v1/filters/{id}":     people,
	"DELETE /api/v1/filters/{id}":    people,
	"POST /api/v1/filters/{id}/show": people,

	"POST /api/v1/targets":           people,
	"PATCH /api/v1/targets/{id}":     people,
	"DELETE /api/v1/targets/{id}":    people,
	"POST /api/v1/targets/{id}/test": people,
	"GET /api/v1/deliveries":         people,
	"DELETE /api/v1/deliveries":      people,
	"POST /api/v1/deliveries/retry":  people,

	"POST /api/v1/targets/{id}/confirm": people,
	"GET /api/v1/push-key":              people,

	"PATCH /api/v1/channel privacy":     administrators,
	"POST /api/v1/trust":                administrators,
	"POST /api/v1/distrust":             administrators,
	"GET /api/v1/republishers":          administrators,
	"POST /api/v1/republishers":         administrators,
	"GET /api/v1/status":                administrators,
	"GET /api/v1/network":               administrators,
	"GET /api/v1/network/stream":        administrators,
	"GET /api/v1/peers":                 administrators,
	"GET /api/v1/friends":               administrators,
	"GET /api/v1/overlay":               administrators,
	"GET /api/v1/zone":                  administrators,
	"POST /api/v1/zone/items":           administrators,
	"GET /api/v1/tree":                  administrators,
	"POST /api/v1/joins":                administrators,
	"DELETE /api/v1/joins":              administrators,
	"GET /api/v1/publications":          administrators,
	"DELETE /api/v1/publications":       administrators,
	"POST /api/v1/publications/entries": administrators,
	"POST /api/v1/publications/resume":  administrators,
	"GET /api/v1/users":                 administrators,
	"POST /api/v1/users":                administrators,
	"PATCH /api/v1/users/{name}":        administrators,
	"DELETE /api/v1/users/{name}":       administrators,

	// The API at the socket, which is the owner's.
	"POST /api/v1/publications":   administrators,
	"PUT /api/v1/zone":            administrators,
	"PUT /api/v1/zone/attributes": administrators,
	"POST /api/v1/zone/functions": administrators,
	"POST /api/v1/backup":         administrators,
	"PUT /api/v1/password":        administrators,
	"GET /api/v1/tokens":          administrators,
	"POST /api/v1/tokens":         administrators,
	"DELETE /api/v1/tokens/{id}":  administrators,

	// What programs use beside the API.
	"/feed":                      people,
	"/feed.json":                 people,
	"/news.json":                 people,
	"/news.xml":                  people,
	"/files/":                    people,
	"/media/":                    people,
	"/icons/":                    anybody, // anybody with an address that the node has signed
	"/stream/":                   people,
	"/feeds/":                    anybody, // with the secret of a feed address
	"/xmlrpc":                    people,
	"/xmlrpc metaWeblog.newPost": administrators,
	"/metrics":                   administrators,
}

// Classified reports whether the table of routes has one.
func Classified(route string) bool {
	_, ok := routes[route]
	return ok
}

// Routes returns all routes that are classified, in no order.
func Routes() (all []string) {
	for route := range routes {
		all = append(all, route)
	}
	return all
}

// Admits reports whether the sender of a request may send it to a route, given by its pattern. ctx is that of the
// request. On a node that one person uses, that person is an administrator.
func Admits(ctx context.Context, route string) bool {
	switch routes[route] {
	case anybody:
		return true
	case people:
		p, ok := Person(ctx)
		return ok && p.Role != tidings.Poster
	case posters:
		_, ok := Account(ctx)
		return ok
	}
	return Administers(ctx)
}

// Refusal is the answer to a reader where administrators alone are admitted.
const Refusal = "this is for the administrators of the node"

// PosterRefusal is the answer to a program with a token for posting that asks for anything else.
const PosterRefusal = "this token is for posting items alone"

type personKey struct{}

// WithPerson is WithAccount for a person with a known role.
func WithPerson(ctx context.Context, p tidings.Person) context.Context {
	return context.WithValue(WithAccount(ctx, p.ID), personKey{}, p)
}

// Person returns the person that a request comes from. Where no role is known, the owner is an administrator, and
// others are readers.
func Person(ctx context.Context) (p tidings.Person, ok bool) {
	if p, ok = ctx.Value(personKey{}).(tidings.Person); ok {
		return p, true
	}
	account, ok := Account(ctx)
	p = tidings.Person{ID: account, Role: tidings.Reader}
	if account == tidings.Owner {
		p.Name, p.Role, p.Owner = OwnerName, tidings.Administrator, true
	}
	return p, ok
}

// Administers reports whether a request comes from an administrator.
func Administers(ctx context.Context) bool {
	p, ok := Person(ctx)
	return ok && p.Role == tidings.Administrator
}
