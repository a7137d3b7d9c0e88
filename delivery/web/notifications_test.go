package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
)

// fieldsOf returns the fields of a form for a target, with changes applied.
func fieldsOf(changes ...string) []string {
	fields := []string{
		"name",
		"tablet",
		"kind",
		"ntfy",
		"url",
		"https://ntfy.sh/ada-2",
		"secret",
		"tk_typed",
		"gets",
		"all",
		"title",
		"",
		"text",
		"",
		"method",
		"POST",
		"headers",
		"",
		"body",
		"",
	}
	for i := 0; i < len(changes); i += 2 {
		fields[slices.Index(fields, changes[i])+1] = changes[i+1]
	}
	return fields
}

// lastTarget returns the target that was added last.
func (f *fakeNotifications) lastTarget() tidings.Target {
	defer f.lock()()
	return f.targets[len(f.targets)-1]
}

// The page lists a person's targets with what is known of each, and what was not delivered. It shows no secret.
func TestNotificationsPage(t *testing.T) {
	v := visit(t, withNotifications(), false)
	text := v.get("/notifications").Body.String()
	for _, want := range []string{
		"Delivered</span> <time", "updates of Kernel Weekly", "updates in folder Programming", "all updates",
		">Matrix,",
		"The last attempt failed", ">Reason: matrix.example answered 502 Bad Gateway<",
		", 3 pending, 1,200 dropped", "Nothing sent so far",
		"Stopped", "Nothing is sent until you retry.", ", 1 pending, 2 failed",
		`aria-label="Retry: team"`, `aria-label="Retry: program"`,
		`aria-label="Drop failed: program"`, `aria-label="Test: phone"`, `href="/notifications/3/remove"`,
		`<a href="/update/6">Kernel 7.1 released</a>`, "(deleted here)", "Next try <time", "12 attempts",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"tk_hidden", "syt_hidden", "ann's", "Ann's", `aria-label="Retry: phone"`,
		`aria-label="Drop failed: team"`, "ntfy.sh/ada"} {
		if strings.Contains(text, not) {
			t.Errorf("the page has %q", not)
		}
	}
	if strings.Index(text, "Kernel 7.1 released") > strings.Index(text, "A tour of the new scheduler") {
		t.Error("the newest delivery is not the first")
	}
	if settings := v.get("/settings").Body.String(); !strings.Contains(settings, `href="/notifications"`) {
		t.Error("Settings has no link to the page")
	}
}

func TestNobodyIsNotified(t *testing.T) {
	f := sample()
	f.notifications = nil
	v := visit(t, f, false)
	if text := v.get("/notifications").Body.String(); !strings.Contains(text, "Nobody is notified by this node.") ||
		strings.Contains(text, `action="/notifications`) {
		t.Error("a form is offered where nobody is notified")
	}
	for _, path := range []string{"", "/1", "/1/test", "/1/remove", "/preview", "/retry", "/drop"} {
		if w := v.post("/notifications"+path, fieldsOf()...); w.Code != http.StatusNotFound {
			t.Errorf("POST /notifications%s: %d", path, w.Code)
		}
	}
}

func TestAddTarget(t *testing.T) {
	f, n := sample(), &fakeNotifications{}
	f.notifications = n
	v := visit(t, f, false)
	v.goesTo(
		v.post(
			"/notifications",
			fieldsOf("name", " my phone ", "gets", "folder/Town", "title", "{channel}: {title}", "text", "a\r\nb",
				"body", "of another kind")...),
		"/notifications?said=notified",
	)
	want := tidings.Target{
		ID:       1,
		Account:  tidings.Owner,
		Name:     "my phone",
		Kind:     tidings.Ntfy,
		URL:      "https://ntfy.sh/ada-2",
		Secret:   "tk_typed",
		Selector: tidings.Selector{Folder: "Town"},
		Text:     tidings.Text{Title: "{channel}: {title}", Body: "a\nb"},
	}
	if got := n.lastTarget(); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("added\n%+v, want\n%+v", got, want)
	}
	v.goesTo(
		v.post("/notifications", fieldsOf(
			"kind",
			"generic",
			"secret",
			"",
			"gets",
			"channel/https://ferry.example/timetable",
			"method",
			"PUT",
			"headers",
			"X-One: 1\r\n\r\n Content-Type :application/json ",
			"body",
			`{"a": "{title}"}`,
		)...),
		"/notifications?said=notified",
	)
	got := n.lastTarget()
	if fmt.Sprint(got.Form) != `&{PUT map[Content-Type:application/json X-One:1] {"a": "{title}"}}` ||
		got.Selector.Channel != "https://ferry.example/timetable" {
		t.Errorf("added %+v with %+v", got, got.Form)
	}

	// The key that was made is shown once.
	w := v.post(
		"/notifications",
		fieldsOf("name", "program", "kind", "webhook", "url", "https://hooks.example/in", "secret", "")...)
	key := regexp.MustCompile(`whsec_[\w+/=]{20,}`).FindString(strings.ReplaceAll(w.Body.String(), "&#43;", "+"))
	if key == "" || key != n.lastTarget().Secret {
		t.Errorf("the page shows the key %q, want %q", key, n.lastTarget().Secret)
	}
	sound(t, "the signing key", w.Body.String())
	if strings.Contains(v.get("/notifications").Body.String(), key[:20]) {
		t.Error("the key is shown twice")
	}
	given := "whsec_" + strings.Repeat("QUFB", 10)
	v.goesTo(
		v.post(
			"/notifications",
			fieldsOf("name", "other", "kind", "webhook", "url", "https://hooks.example/in", "secret", given)...),
		"/notifications?said=notified",
	)
}

// What cannot be used is refused beside the form, which keeps what was typed but for the secret.
func TestTargetIsRefused(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	v := visit(t, f, false)
	generic := func(changes ...string) []string {
		return fieldsOf(append([]string{"kind", "generic", "secret", ""}, changes...)...)
	}
	for name, c := range map[string]struct {
		fields []string
		want   string
	}{
		"no name":             {fieldsOf("name", " "), "An address has a name"},
		"the name of another": {fieldsOf("name", "phone"), "You have an address of that name."},
		"a long name":         {fieldsOf("name", strings.Repeat("a", 81)), "The name has more than 80 bytes"},
		"no kind":             {fieldsOf("kind", "pigeon"), "There is no kind of target pigeon"},
		"no URL":              {fieldsOf("url", ""), "The URL is missing"},
		"ftp":                 {fieldsOf("url", "ftp://ntfy.sh/a"), "does not begin with https://"},
		"no topic":            {fieldsOf("url", "https://ntfy.sh/"), "does not end with a topic"},
		"a missing secret":    {fieldsOf("kind", "gotify", "secret", ""), "The secret is missing"},
		"a needless secret":   {fieldsOf("kind", "discord"), "have no secret"},
		"no selection":        {fieldsOf("gets", ""), "Choose which updates it gets"},
		"no folder":           {fieldsOf("gets", "folder/"), "Choose which updates it gets"},
		"an unknown name":     {fieldsOf("title", "{headline}"), "there is no {headline}"},
		"a long text":         {fieldsOf("text", strings.Repeat("a", tidings.MaxTemplate+1)), "more than 8192 bytes"},
		"no header":           {generic("headers", "Authorization"), "Authorization is no header"},
		"a header twice":      {generic("headers", "A: 1\nA: 2"), "The header A is there twice"},
		"a header twice over": {generic("headers", "A: 1\na: 2"), "The header A is there twice"},
		"the node's header":   {generic("headers", "Host: a"), "The header Host is set by the node"},
		"no method":           {generic("method", "BREW"), "BREW is no method"},
		"a body with GET":     {generic("method", "GET", "body", "a"), "A GET request has no body"},
		"no JSON": {
			generic("headers", "Content-Type: application/json", "body", "{title}"), "The body is not JSON",
		},
	} {
		for _, path := range []string{"/notifications", "/notifications/2", "/notifications/preview"} {
			if path == "/notifications/preview" && slices.Contains([]string{"no name", "the name of another"}, name) {
				continue // a preview does not depend on it
			}
			w := v.post(path, c.fields...)
			text := unescape(w.Body.String())
			if w.Code != http.StatusUnprocessableEntity || !strings.Contains(text, `role="alert"`) ||
				!strings.Contains(text, c.want) {
				t.Errorf(
					"%s at %s: %d, without %q in\n%.3000s",
					name,
					path,
					w.Code,
					c.want,
					text[max(0, strings.Index(text, "<main")):],
				)
				continue
			}
			sound(t, name, w.Body.String())
			if strings.Contains(text, "The request, with dots") {
				t.Errorf("%s at %s: there is a preview", name, path)
			}
			for i := 0; i < len(c.fields); i += 2 {
				value := strings.TrimSpace(c.fields[i+1])
				kept := strings.Contains(text, value)
				if c.fields[i] == "secret" && value != "" && kept ||
					c.fields[i] != "secret" && c.fields[i] != "method" && c.fields[i+1] != "pigeon" &&
						c.fields[i] != "gets" && !kept {
					t.Errorf("%s at %s: the field %s is kept: %v", name, path, c.fields[i], kept)
				}
			}
		}
	}
	if n.changes > 0 {
		t.Errorf("%d changes were made", n.changes)
	}
}

var unescape = strings.NewReplacer(
	"&#34;",
	`"`,
	"&#39;",
	"'",
	"&#43;",
	"+",
	"&lt;",
	"<",
	"&gt;",
	">",
	"&amp;",
	"&",
).Replace

func TestChangeTarget(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	v := visit(t, f, false)
	text := v.get("/notifications/4").Body.String()
	sound(t, "the form", text)
	for _, want := range []string{`action="/notifications/4"`, `value="hall"`, `<option value="generic" selected>`,
		"<option selected>PUT</option>",
		"Content-Type: application/json\nX-Room: hall</textarea>",
		`value="https://hall.example/say?text={title}"`, "not at another server"} {
		if !strings.Contains(text, want) {
			t.Errorf("the form lacks %q", want)
		}
	}
	text = v.get("/notifications/2").Body.String()
	if !strings.Contains(text, `<option value="folder/Programming" selected>`) || strings.Contains(text, "syt_hidden") {
		t.Error("the form does not show the folder, or shows the secret")
	}
	v.goesTo(
		v.post(
			"/notifications/2",
			fieldsOf("name", "team", "kind", "matrix", "url", "https://matrix.example/%23other:example", "secret",
				"")...),
		"/notifications?said=target",
	)
	want := tidings.Target{
		ID:      2,
		Account: tidings.Owner,
		Name:    "team",
		Kind:    tidings.Matrix,
		URL:     "https://matrix.example/%23other:example",
		Secret:  "syt_hidden",
	}
	if got, _ := n.Target(t.Context(), tidings.Owner, 2); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("changed to\n%+v, want\n%+v", got, want)
	}
	v.post(
		"/notifications/2",
		fieldsOf("name", "team", "kind", "matrix", "url", "https://matrix.example/%23other:example", "secret",
			"syt_new")...)
	if got, _ := n.Target(t.Context(), tidings.Owner, 2); got.Secret != "syt_new" {
		t.Error("the secret is not the new one")
	}

	// What becomes a webhook gets a key, which is shown once.
	w := v.post("/notifications/1", fieldsOf("name", "phone", "kind", "webhook", "url", "https://a.example/", "secret",
		"")...)
	got, _ := n.Target(t.Context(), tidings.Owner, 1)
	if !strings.HasPrefix(got.Secret, "whsec_") || !strings.Contains(unescape(w.Body.String()), got.Secret) {
		t.Errorf("the key %q is not shown: %d", got.Secret, w.Code)
	}
	v.goesTo(
		v.post("/notifications/1", fieldsOf("name", "phone", "kind", "webhook", "url", "https://b.example/", "secret",
			"")...),
		"/notifications?said=target",
	)

	// A channel that is not followed any more stays the choice.
	n.targets[0].Selector.Channel = "https://left.example/feed"
	if text := v.get("/notifications/1").Body.String(); !strings.Contains(text,
		`<option value="channel/https://left.example/feed" selected>updates of https://left.example/feed</option>`) {
		t.Error("the form does not show the channel that is not followed any more")
	}
}

func TestTestTarget(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	v := visit(t, f, false)
	w := v.post("/notifications/1/test")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Sent. phone has accepted the message.") ||
		fmt.Sprint(n.tested) != "[1]" {
		t.Errorf("a test: %d, tested %v", w.Code, n.tested)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&tidings.Failure{Op: "trying phone", Err: errors.New("ntfy.sh answered 403 Forbidden")},
			"Trying phone: ntfy.sh answered 403 Forbidden."},
		{tidings.Invalidf("the address is private"), "The address is private."},
	} {
		n.testFails = c.err
		w := v.post("/notifications/1/test")
		sound(t, "a failed test", w.Body.String())
		if text := w.Body.String(); w.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(text, "The test of") ||
			!strings.Contains(text, c.want) ||
			!strings.Contains(text, `aria-label="Test: team"`) {
			t.Errorf("%v: %d", c.err, w.Code)
		}
	}
}

func TestRemoveTarget(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	v := visit(t, f, false)
	text := v.get("/notifications/3/remove").Body.String()
	sound(t, "the question", text)
	if !strings.Contains(text, "1 pending, 2 failed") || n.touched() {
		t.Error("the question does not say what is dropped, or nobody asks")
	}
	v.goesTo(v.post("/notifications/3/remove"), "/notifications?said=untarget")
	if _, err := n.Target(t.Context(), tidings.Owner, 3); !errors.Is(err, tidings.ErrNotFound) {
		t.Error("the target is still there")
	}
	for i := range int64(tidings.MaxTargets) {
		n.targets = append(
			n.targets,
			tidings.Target{ID: 100 + i, Account: tidings.Owner, Name: fmt.Sprint(i), Kind: tidings.Ntfy},
		)
	}
	if text := v.get("/notifications").Body.String(); !strings.Contains(text, "Remove one before you add another") ||
		strings.Contains(text, `action="/notifications"`) {
		t.Error("more targets than there may be are offered")
	}
}

func TestRetryAndDrop(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	v := visit(t, f, false)
	v.goesTo(v.post("/notifications/retry", "target", "3"), "/notifications?said=retried")
	v.goesTo(v.post("/notifications/retry", "delivery", "3"), "/notifications?said=retried")
	v.goesTo(v.post("/notifications/drop", "target", "3", "failed", "on"), "/notifications?said=dropped")
	v.goesTo(v.post("/notifications/drop", "delivery", "1"), "/notifications?said=dropped")
	if got := fmt.Sprint(n.retried, n.dropped); got != "[{3 0 false} {0 3 false}] [{3 0 true} {0 1 false}]" {
		t.Errorf("retried and dropped %s", got)
	}
	for _, path := range []string{"/notifications/retry", "/notifications/drop"} {
		for _, fields := range [][]string{nil, {"failed", "on"}, {"target", "x"}, {"delivery", "-1"}} {
			if w := v.post(path, fields...); w.Code != http.StatusBadRequest {
				t.Errorf("%s with %q: %d", path, fields, w.Code)
			}
		}
	}
	if len(n.retried)+len(n.dropped) != 4 {
		t.Error("a form without a number does something to all deliveries")
	}
}

// A person can do nothing to targets and deliveries of another, and does not learn that they exist.
func TestTargetsOfOthers(t *testing.T) {
	f := withNotifications()
	f.password = cheapHash
	f.people = []tidings.Person{{ID: 2, Name: "ann", Role: tidings.Reader}}
	n := f.notifications.(*fakeNotifications)
	before := fmt.Sprintf("%+v", n.targets)
	v := signedIn(t, f, "ann")
	if text := v.get("/notifications").Body.String(); !strings.Contains(text, "ann&#39;s phone") ||
		strings.Contains(text, "Test: program") {
		t.Error("ann does not see her targets alone")
	}
	for _, id := range []string{"1", "77", "x"} {
		for _, path := range []string{"/notifications/" + id, "/notifications/" + id + "/remove"} {
			if w := v.get(path); w.Code != http.StatusNotFound {
				t.Errorf("GET %s: %d", path, w.Code)
			}
		}
		for _, path := range []string{"", "/test", "/remove"} {
			path = "/notifications/" + id + path
			if w := v.post(path, fieldsOf()...); w.Code != http.StatusNotFound {
				t.Errorf("POST %s: %d", path, w.Code)
			}
		}
	}
	for _, path := range []string{"/notifications/retry", "/notifications/drop"} {
		for _, field := range []string{"target", "delivery"} {
			if w := v.post(path, field, "1"); w.Code != http.StatusNotFound {
				t.Errorf("%s of %s 1: %d", path, field, w.Code)
			}
		}
	}
	if len(n.tested) > 0 || fmt.Sprintf("%+v", n.targets) != before {
		t.Error("something was done to the owner's targets")
	}
}

// The preview has the newest entry that the target would get, or else an example.
func TestPreviewTarget(t *testing.T) {
	f := withNotifications()
	v := visit(t, f, false)
	w := v.post(
		"/notifications/preview",
		fieldsOf("title", "News: {title}", "gets", "channel/https://kernel.example/headlines/rss")...)
	sound(t, "the preview", w.Body.String())
	text := unescape(w.Body.String())
	for _, want := range []string{"News: Rethinking the page cache", "the memory-management developers",
		"POST /\nHost: ntfy.sh",
		"Authorization: Bearer •••",
		`value="News: {title}"`, `value="tablet"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the preview lacks %q", want)
		}
	}
	if strings.Contains(text, "tk_typed") {
		t.Error("the preview shows the secret")
	}
	team := []string{
		"id",
		"2",
		"name",
		"team",
		"kind",
		"matrix",
		"url",
		"https://matrix.example/%23team:example",
		"gets",
		"all",
	}
	if text := v.post("/notifications/preview", team...).Body.String(); !strings.Contains(
		text,
		"Opening hours and tickets",
	) ||
		!strings.Contains(text, `action="/notifications/2"`) {
		t.Error("no preview of a target that is there, with its secret")
	}
	empty, n := newFake(), &fakeNotifications{}
	empty.notifications = n
	if text := visit(t, empty, false).post("/notifications/preview", fieldsOf()...).Body.String(); !strings.Contains(
		text,
		"Test of tablet",
	) {
		t.Error("without entries the preview is no example")
	}
	if n.changes > 0 {
		t.Error("a preview adds a target")
	}
}

// hostile 21: what other servers, feeds and people write is shown as text.
func TestHostile21Notifications(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	const evil = "<script>window.bad=1</script><img src=x onerror=y>\"'>\u202e\x1b[2J"
	for i := range n.targets {
		p := &n.targets[i]
		p.Name, p.Standing.Problem, p.Selector = fmt.Sprint(evil, i), "it answered 500: "+evil,
			tidings.Selector{Folder: evil}
		p.Text = tidings.Text{Title: evil, Body: "</textarea>" + evil}
	}
	n.targets[0].Selector = tidings.Selector{Channel: "javascript:" + evil}
	n.targets[3].Form.Body, n.targets[3].Form.Headers = "</textarea>"+evil, map[string]string{"X": evil}
	for i := range n.deliveries {
		d := &n.deliveries[i]
		d.Name, d.Title, d.Problem = evil, evil, evil
	}
	n.testFails = errors.New(strings.Repeat(evil+" ", 1000))
	f.follow(
		tidings.Subscription{Channel: tidings.Channel{URL: "https://evil.example/?" + evil, Title: evil}, Folder: evil},
	)
	f.arrive(
		"https://evil.example/?"+evil,
		1,
		tidings.Entry{Content: tidings.Item{Title: evil, Summary: "<p>a" + evil, URL: "javascript:alert(1)"}},
	)
	v := visit(t, f, false)
	form := fieldsOf("name", evil, "text", "</textarea>"+evil, "title", evil)
	refused := fieldsOf(
		"name",
		evil,
		"text",
		"</textarea>"+evil,
		"title",
		evil,
		"kind",
		evil,
		"url",
		evil,
		"gets",
		evil,
		"method",
		evil,
	)
	for name, text := range map[string]string{
		"the list":      v.get("/notifications").Body.String(),
		"a failed test": v.post("/notifications/1/test").Body.String(),
		"a form":        v.get("/notifications/4").Body.String(),
		"a question":    v.get("/notifications/1/remove").Body.String(),
		"a preview":     v.post("/notifications/preview", form...).Body.String(),
		"a refusal":     v.post("/notifications", refused...).Body.String(),
	} {
		sound(t, name, text)
		if strings.Contains(text, "<script>window") || strings.Contains(text, "<img") ||
			strings.Contains(text, `href="javascript:`) ||
			len(text) > 1<<18 {
			t.Errorf("%s: what is no text came through\n%s", name, text)
		}
	}
}

func TestManyDeliveries(t *testing.T) {
	f := withNotifications()
	n := f.notifications.(*fakeNotifications)
	for i := range 60 {
		n.deliveries = append(
			n.deliveries,
			tidings.Delivery{ID: int64(100 + i), Target: 2, Name: "team", Title: fmt.Sprintf("Story %d.", i),
				Made:    time.Now(),
				Problem: cmp.Or(map[bool]string{true: "no such host"}[i%2 == 0])},
		)
	}
	text := visit(t, f, false).get("/notifications").Body.String()
	if got := strings.Count(text, ">Story "); got != shownDeliveries || !strings.Contains(text, "There are more.") ||
		strings.Contains(text, ">Story 9.") {
		t.Errorf("%d deliveries are shown, want the newest %d", got, shownDeliveries)
	}
}

// A mail address waits for its code. A schedule is shown with the target that has it, and a browser can be added.
func TestMailOnThePage(t *testing.T) {
	f := withMail()
	v := visit(t, f, false)
	text := v.get("/notifications").Body.String()
	for _, want := range []string{
		"Not confirmed", `action="/notifications/1/confirm"`, "Send another code: mine", `data-push="BKey"`,
		`data-worker="/assets/worker.js?`,
		"daily at 08:00, not between 22:00 and 07:00 (Europe/Berlin)", "Paused: the next message goes there",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(text, `action="/notifications/2/confirm"`) ||
		strings.Contains(text, `aria-label="Retry: mine"`) {
		t.Error("what is confirmed is confirmed again, or what is not is retried")
	}
	sound(t, "mail", text)
	w := v.post("/notifications/1/confirm", "code", "AAAA-AAAA-AAAA")
	if w.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(w.Body.String(), "That is not the code of this address.") {
		t.Errorf("another code: %d", w.Code)
	}
	if w := v.post("/notifications/7/confirm", "code", "ABCD-EFGH-IJKL"); w.Code != http.StatusNotFound {
		t.Errorf("of nobody: %d", w.Code)
	}
	v.goesTo(v.post("/notifications/1/confirm", "code", "ABCD-EFGH-IJKL"), "/notifications?said=confirmed")
	if strings.Contains(v.get("/notifications").Body.String(), "/confirm") {
		t.Error("a code is asked for still")
	}

	// The form of a schedule has it, and sends it back.
	text = v.get("/notifications/2").Body.String()
	for _, want := range []string{`name="quiet_from" value="22:00"`, `name="quiet_to" value="07:00"`,
		`name="digest" value="08:00"`, `value="Europe/Berlin"`, `selected>as it is<`} {
		if !strings.Contains(text, want) {
			t.Errorf("the form has no %q", want)
		}
	}
	fields := append(fieldsOf("name", "evening", "kind", "mail", "url", "ada@example.net", "secret", ""),
		"quiet_from", "", "quiet_to", "", "digest", "18:30", "zone", "Europe/Paris", "pause", "")
	v.goesTo(v.post("/notifications/2", fields...), "/notifications?said=target")
	got := f.notifications.(*fakeNotifications).lastTarget()
	if got.URL != "mailto:ada@example.net" || got.Schedule.Quiet != nil || got.Schedule.Digest == nil ||
		got.Schedule.Digest.String() != "18:30" ||
		got.Schedule.Zone != "Europe/Paris" || !got.Schedule.Paused.IsZero() {
		t.Errorf("changed to %+v", got)
	}
}
