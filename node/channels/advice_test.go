package channels

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// What servers on loopback can show is tried with a whole node: TestErrorsOfAddressesSayWhatToDo of cmd/tidings.
func TestAdvice(t *testing.T) {
	plain := fmt.Errorf("checking: %w", tls.RecordHeaderError{Msg: "no"})
	for _, test := range []struct {
		given string
		err   error
		want  string // what the advice begins with; "": there is none
	}{
		{"localhost:9701/x", plain, "it was read as https; put http:// before it"},
		{"localhost:9701/x", syscall.ECONNREFUSED, "it was read as https; put http:// before it"},
		{"https://localhost:9701/x", http.ErrSchemeMismatch, "write http:// instead"},
		{"https://localhost:9701/x", syscall.ECONNREFUSED, "no server listens there"},
		{"https://h.example/x", syscall.EHOSTUNREACH, "check this machine's connection"},
		{"https://h.example/x", errSlowCheck, "the site is slow or down"},
		{"https://h.example/x", fetch.ErrPort, "use an address with port 80"},
		{"https://h.example/x", fetch.ErrTooLarge, "let the node read more: tidings up --body-limit"},
		{"https://h.example/x", fetch.ErrBomb, "the fault is at the site"},
		{"https://h.example/x", fetch.ErrTruncated, "the fault is at the site"},
		{"https://h.example/x", &fetch.ChallengeError{Status: 403}, "the site admits only browsers"},
		{"https://h.example/x", &fetch.StatusError{Status: 429}, "try again in an hour"},
		{"https://h.example/x", &fetch.StatusError{Status: 503, After: time.Hour}, "try again after that time"},
		{"https://h.example/x", &fetch.StatusError{Status: 418}, inBrowser},
		{"https://h.example/x", &fetch.LimitedError{Own: true}, "try again in a minute"},
		{"https://h.example/x", &fetch.LimitedError{}, "try again after that time"},
		{"localhost/x", tidings.Invalidf("it has a blank"), ""},
		{"localhost/x", errors.New("the disk is full"), ""},
	} {
		got := advice(test.given, fmt.Errorf("checking: %w", test.err))
		if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s, %v: %q, want %q", test.given, test.err, got, test.want)
		}
	}
}
