package synctest

import (
	"context"
	"crypto/md5" //nolint:gosec // what the Fever API is made of
	"encoding/hex"
	"errors"
	gosync "sync"
	"time"

	"tidings/delivery/sync"
)

// maxTries is how many wrong passwords a Gate accepts before it wants clients to wait.
const maxTries = 20

// Gate lets people in by their names and app passwords, which are their tokens as well.
type Gate struct {
	mu    gosync.Mutex
	users map[string]user
	tries int
	// Broken makes the gate fail, as if the node's store did.
	Broken bool
}

type user struct {
	sync.Person
	password string
}

// NewGate returns a gate that knows nobody.
func NewGate() *Gate { return &Gate{users: make(map[string]user)} }

// Add adds a person.
func (g *Gate) Add(p sync.Person, password string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users[p.Name] = user{p, password}
}

// check returns the user that right accepts.
func (g *Gate) check(right func(user) bool) (user, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Broken {
		return user{}, errors.New("the disk of the node fails")
	}
	for _, u := range g.users {
		if right(u) {
			return u, nil
		}
	}
	if g.tries++; g.tries > maxTries {
		return user{}, &sync.TooManyTries{RetryAfter: 30 * time.Second}
	}
	return user{}, sync.ErrWrong
}

// Enter implements [sync.Gate].
func (g *Gate) Enter(_ context.Context, name, password string) (sync.Person, string, error) {
	u, err := g.check(func(u user) bool { return u.Name == name && u.password == password })
	return u.Person, u.password, err
}

// Token implements [sync.Gate].
func (g *Gate) Token(_ context.Context, token string) (sync.Person, error) {
	u, err := g.check(func(u user) bool { return u.password == token })
	return u.Person, err
}

// Fever implements [sync.Gate].
func (g *Gate) Fever(_ context.Context, key string) (sync.Person, error) {
	u, err := g.check(func(u user) bool { return FeverKey(u.Name, u.password) == key })
	return u.Person, err
}

// FeverKey returns what a client of the Fever API sends for a name and an app password.
func FeverKey(name, password string) string {
	sum := md5.Sum([]byte(name + ":" + password)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}
