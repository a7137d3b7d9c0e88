package tidings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tidings"
)

func failing(op, address string, err error) error {
	return &tidings.Failure{Op: op, Address: address, Err: err}
}

func TestReasonsAreOneCleanLine(t *testing.T) {
	nothing, notText := errors.New("nothing matches"), errors.New("not text")
	invalidName := fmt.Errorf("%w name or folder: too long", tidings.ErrInvalid)
	noSelector := tidings.Invalidf("--select %q: %w", "(", errors.New("not a selector"))
	for _, test := range []struct {
		given error
		want  string
	}{
		{failing("checking", "http://a/", failing("reading", "http://a/f", failing("reading page", "", nothing))),
			"reading http://a/f: nothing matches"},
		{failing("reading", "http://a/", failing("reading page", "", notText)), "reading http://a/: not text"},
		{failing("reading page", "", notText), "reading page: not text"},
		{failing("checking", "", failing("reading page", "", notText)), "checking: not text"},
		{failing("checking", "http://a/", errors.New("a answered 404\n(Not Found)")),
			"checking http://a/: a answered 404 (Not Found)"},
		{failing("checking", "http://a/", noSelector), `--select "(": not a selector`},
		{failing("checking", "http://a/", failing("reading page", "", noSelector)), `--select "(": not a selector`},
		{failing("subscribing to", "http://a/", invalidName),
			"subscribing to http://a/: invalid name or folder: too long"},
		{fmt.Errorf("starting: %w", tidings.Invalidf("no port")), "starting: no port"},
		{fmt.Errorf("starting: %w", tidings.WithHint(errors.New("no port"), "give one")), "starting: no port"},
		{tidings.WithHint(failing("checking", "http://a/", tidings.WithHint(notText, "b")), "a"),
			"checking http://a/: not text"},
		{errors.New("reading http://a/: reading page: odd"), "reading http://a/: reading page: odd"},
	} {
		if got := tidings.Reason(test.given); got != test.want {
			t.Errorf("%v\ngot  %s\nwant %s", test.given, got, test.want)
		}
	}
}

func TestFailuresKeepWhatTheyWrap(t *testing.T) {
	cause := errors.New("it is so")
	err := fmt.Errorf("changing: %w",
		failing("reading", "http://a/", tidings.WithHint(tidings.Invalidf("no: %w", cause), "change it")))
	if err.Error() != "changing: reading http://a/: no: it is so" || !errors.Is(err, cause) ||
		!errors.Is(err, tidings.ErrInvalid) || errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("%v is not what it should be", err)
	}
	if got := tidings.HintOf(err); got != "change it" {
		t.Errorf("the hint is %q", got)
	}
	if got := tidings.HintOf(tidings.WithHint(err, "look")); got != "look" {
		t.Errorf("the outer hint does not go before the inner: %q", got)
	}
	if got := tidings.Explain(err); got != "no: it is so (change it)" {
		t.Errorf("it is explained by %q", got)
	}
	if tidings.HintOf(cause) != "" || tidings.Explain(cause) != "it is so" || tidings.WithHint(cause, "") != cause ||
		tidings.WithHint(nil, "look") != nil {
		t.Error("there is a hint where nobody gave one")
	}
}

func TestQuotesAreShort(t *testing.T) {
	if text := strings.Repeat("x", 100); tidings.Quote(text) != text {
		t.Errorf("%s", tidings.Quote(text))
	}
	if got := tidings.Quote(strings.Repeat("é", 51)); !utf8.ValidString(got) || got != strings.Repeat("é", 50)+"…" {
		t.Errorf("%s", got)
	}
	if got := tidings.Quote("x" + strings.Repeat("é", 51)); !utf8.ValidString(got) || got != "x"+
		strings.Repeat("é", 49)+"…" {
		t.Errorf("%s", got)
	}
}
