package api

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

// alarmed is filled, with a channel and its document. The document names another key than the trusted one.
func alarmed() *fake {
	f := filled()
	c := f.followed[tidings.Owner][news]
	c.Push = &tidings.Push{State: tidings.PushAlarm, Fingerprint: "aa", Offered: "bb"}
	f.follow(tidings.Owner, c)
	return f
}

func TestTrustRoutes(t *testing.T) {
	for _, test := range []struct {
		target, body string
		status       int
		want         string
	}{
		{"trust?url=" + news, `{"fingerprint":"bb"}`, 200, `"state":"joining","fingerprint":"bb"`},
		{"trust?url=https://news.example/", `{"fingerprint":"aa"}`, 200, `"fingerprint":"aa"`},
		{"trust?url=" + news, `{"fingerprint":"cc"}`, 400,
			`{"error":"the fingerprint is another","hint":"how the channel is pushed: tidings show URL"}`},
		{"trust?url=" + news, `{"fingerprint":"dd"}`, 400,
			`{"error":"the fingerprint is another","hint":"if it is meant"}`},
		{"trust?url=" + news, `{"fingerprint":"cc","third_party":true}`, 200,
			`"state":"joining","fingerprint":"cc","third_party":true`},
		{"trust?url=" + news, `{"fingerprint":" "}`, 400, `field \"fingerprint\" is missing`},
		{"trust?url=" + news, ``, 400, `empty`},
		{"trust?url=" + news, `{"key":"bb"}`, 400, `unknown field \"key\"`},
		{"trust", `{"fingerprint":"bb"}`, 400, `parameter \"url\" is missing`},
		{"trust?url=" + page, `{"fingerprint":"bb"}`, 404, page + ` names no publisher's key`},
		{"trust?url=" + other, `{"fingerprint":"bb"}`, 404, `not followed`},
		{"distrust?url=" + news, "", 200, `"state":"distrusted","fingerprint":"aa"`},
		{"distrust?url=" + page, "", 404, `names no publisher's key`},
		{"distrust?url=" + other, "", 404, `not followed`}, // another account's
	} {
		f := alarmed()
		w := ask(as(tidings.Owner, New(configOf(f))), "POST", test.target, test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %d %s, want %d %s", test.target, test.body, w.Code, w.Body, test.status, test.want)
		}
		if left := f.followed[tidings.Owner][news].Push.State == tidings.PushAlarm; left != (test.status != 200) {
			t.Errorf("%s %s: the alarm is there: %v", test.target, test.body, left)
		}
	}
}

// hostile 57: another site cannot have a reader's browser trust a key.
func TestHostile57KeysFromOtherSites(t *testing.T) {
	f := alarmed()
	handler := as(tidings.Owner, New(configOf(f)))
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Content-Type", "text/plain"}} {
		if w := ask(handler, "POST", "trust?url="+news, `{"fingerprint":"bb"}`, header...); w.Code != 403 &&
			w.Code != 415 {
			t.Errorf("%q: %d", header, w.Code)
		}
	}
	if f.followed[tidings.Owner][news].Push.State != tidings.PushAlarm {
		t.Error("a key was trusted")
	}
}

func TestClientDecidesAboutKeys(t *testing.T) {
	c := dialed(t, alarmed())
	if f, err := c.Trust(t.Context(), news, "bb", false); err != nil || f.Push == nil || f.Push.Fingerprint != "bb" ||
		f.Polling == nil {
		t.Errorf("trust: %+v, %v", f, err)
	}
	if f, err := c.Distrust(t.Context(), news); err != nil || f.Push.State != tidings.PushDistrusted {
		t.Errorf("distrust: %+v, %v", f, err)
	}
	if _, err := c.Trust(t.Context(), news, "cc", false); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("another fingerprint: %v", err)
	}
	if _, err := c.Distrust(t.Context(), page); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("no key: %v", err)
	}
}
