package auth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"tidings"
)

// admitAgain is how often a lasting request, such as a stream, is admitted again. So it can go on for that long after
// its session has ended or its token was revoked. The same holds after its person was removed or got another role, or
// after a password was set.
const admitAgain = time.Minute

// whileAdmitted returns a request that ends when its person is not admitted any more. The caller owes a call of end as
// the request is answered.
func (g *Guard) whileAdmitted(r *http.Request, person tidings.Person) (lasting *http.Request, end func()) {
	ctx, cancel := context.WithCancel(r.Context())
	lasting = r.WithContext(ctx)
	watch := time.AfterFunc(g.again, func() {
		tick := time.NewTicker(g.again)
		defer tick.Stop()
		for g.stillAdmits(lasting, person) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	})
	return lasting, func() {
		watch.Stop()
		cancel()
	}
}

// stillAdmits reports whether a request would be admitted now as it was. Trouble of the store ends nothing.
func (g *Guard) stillAdmits(r *http.Request, person tidings.Person) bool {
	now, err := g.person(nil, r)
	switch {
	case errors.Is(err, tidings.ErrUnauthorized):
		return false
	case err != nil:
		return true
	}
	return now.ID == person.ID && now.Role == person.Role
}
