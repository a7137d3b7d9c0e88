package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/notify"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/targetform"
	"tidings/delivery/web/wording"
)

// Notifications are the addresses at which people are notified, and what waits to be delivered to them.
type Notifications interface {
	Targets(ctx context.Context, account tidings.AccountID) ([]tidings.Target, error)
	Target(ctx context.Context, account tidings.AccountID, id int64) (tidings.Target, error)
	// AddTarget adds a target of t.Account, and returns it with the secret that was made where a webhook had none.
	AddTarget(ctx context.Context, t tidings.Target) (tidings.Target, error)
	// ChangeTarget replaces what a person chose of a target. A nil secret keeps the present one where that is safe.
	ChangeTarget(ctx context.Context, t tidings.Target, secret *string) (tidings.Target, error)
	RemoveTarget(ctx context.Context, account tidings.AccountID, id int64) error
	// TestTarget sends a message to a target now; the error says why that failed.
	TestTarget(ctx context.Context, account tidings.AccountID, id int64) error
	// ConfirmTarget confirms a target's mail address by the code that was sent there; tidings.ErrInvalid for another
	// one.
	ConfirmTarget(ctx context.Context, account tidings.AccountID, id int64, code string) error
	// PushKey returns the public key that browsers subscribe with; "" if none can.
	PushKey() string
	// PreviewTarget returns what a target would be sent of an update; of the zero Update, the message of TestTarget.
	// The ID of a target that is not stored is 0. A nil secret is that of ChangeTarget.
	PreviewTarget(ctx context.Context, t tidings.Target, secret *string, u tidings.Update) (notify.Sample, error)
	// NewestDeliveries lists what is pending and what was given up, the last first.
	NewestDeliveries(ctx context.Context, account tidings.AccountID, limit int) ([]tidings.Delivery, error)
	Retry(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
	Drop(ctx context.Context, account tidings.AccountID, which tidings.DeliverySelection) (int, error)
}

const (
	shownDeliveries = 50
	maxProblem      = 400 // characters
)

// targetList is the page of a person's targets.
type targetList struct {
	Off        bool // nobody is notified by this node
	Targets    []targetRow
	Full       bool // there may be no more targets
	Deliveries []tidings.Delivery
	More       bool // deliveries that are not shown
	Form       targetForm

	Failed string // the target that failed its test
	Why    string // it did
	Key    string // signing key that was just made: shown this once
	KeyOf  string // the target with this key

	PushKey string // by which this browser can be added; "": none can
}

// targetRow is a target with what is known of it in words.
type targetRow struct {
	tidings.Target
	Label    string // of its kind
	Gets     string
	When     string // messages are sent; "": at once
	Paused   bool
	State    wording.Word
	CanRetry bool
}

// targetForm is the form for a target, with all that can be chosen.
type targetForm struct {
	targetform.Form
	Kinds   []targetform.Kind
	Methods []string
	Choices targetform.Choices
	Pauses  []targetform.Pause
	Problem string         // why the target was not added, changed or previewed
	Preview *notify.Sample // nil: none was asked for
}

func notificationsPage(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		return showTargets(s, w, r, http.StatusOK, said(r), targetList{})
	}
}

func showTargets(s *site, w http.ResponseWriter, r shell.Request, status int, said string, p targetList) error {
	p.Off = s.notifications == nil
	if !p.Off {
		if err := p.fill(s, r); err != nil {
			return err
		}
	}
	s.Show(w, r, status, "notifications", shell.View{Title: r.Words.Text("Notifications"), Section: "settings",
		Said: said, Body: p})
	return nil
}

// fill completes what is shown.
func (p *targetList) fill(s *site, r shell.Request) error {
	targets, err := s.notifications.Targets(r.Context(), r.Account)
	if err != nil {
		return err
	}
	followed, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	titles := make(map[string]string, len(followed))
	for _, c := range followed {
		titles[c.URL] = c.Label()
	}
	for _, t := range targets {
		p.Targets = append(p.Targets, rowOf(r.Words, t, titles))
	}
	p.PushKey = s.notifications.PushKey()
	p.Full = len(targets) >= tidings.MaxTargets
	p.Form = formWith(r.Words, targetform.New(), followed)
	p.Deliveries, err = s.notifications.NewestDeliveries(r.Context(), r.Account, shownDeliveries+1)
	if p.More = len(p.Deliveries) > shownDeliveries; p.More {
		p.Deliveries = p.Deliveries[:shownDeliveries]
	}
	return err
}

func rowOf(w wording.Words, t tidings.Target, titles map[string]string) targetRow {
	s := t.Standing
	return targetRow{
		Target: t, Label: wording.Fallback(notify.Describe(t.Kind).Label, string(t.Kind)),
		Gets: wording.Plain(targetform.Gets(w, t.Selector, titles), 120),
		When: wording.Plain(targetform.When(w, t.Schedule), 120), Paused: t.Schedule.Paused.After(time.Now()),
		State: standingOfTarget(w, s), CanRetry: !s.Unconfirmed &&
			(s.Suspended || s.Failed > 0 || s.Pending > 0 && s.Problem != ""),
	}
}

// standingOfTarget says how deliveries to a target fare. Behind "Delivered" goes when the last was.
func standingOfTarget(w wording.Words, s tidings.Standing) wording.Word {
	switch {
	case s.Unconfirmed:
		return w.Wait("Not confirmed", "")
	case s.Suspended:
		return w.Bad("Stopped", "Nothing is sent until you retry.")
	case s.Problem != "":
		return w.Bad("The last attempt failed", "")
	case s.Delivered.IsZero():
		return w.Idle("Nothing sent so far", "")
	}
	return w.Good("Delivered", "")
}

func formWith(w wording.Words, f targetform.Form, followed []tidings.Subscription) targetForm {
	return targetForm{
		Form:    f,
		Kinds:   targetform.Kinds(),
		Methods: targetform.Methods,
		Choices: targetform.ChoicesOf(w, followed, f),
		Pauses:  targetform.Pauses(w),
	}
}

// targetPage is the form for a target that is there.
func targetPage(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		t, err := targetOf(s, r)
		if err != nil {
			return err
		}
		return showForm(s, w, r, http.StatusOK, targetForm{Form: targetform.Of(t)})
	}
}

// targetOf returns the requester's target that the path names.
func targetOf(s *site, r shell.Request) (t tidings.Target, err error) {
	id, err := r.PathID()
	if err == nil && s.notifications == nil {
		err = tidings.ErrNotFound
	}
	if err != nil {
		return t, err
	}
	return s.notifications.Target(r.Context(), r.Account, id)
}

// showForm shows the form alone, with what was typed.
func showForm(s *site, w http.ResponseWriter, r shell.Request, status int, f targetForm) error {
	followed, err := s.Followed(r.Context(), r.Account)
	if err != nil {
		return err
	}
	whole := formWith(r.Words, f.Form, followed)
	whole.Problem, whole.Preview = f.Problem, f.Preview
	title := r.Words.Text("Add an address")
	if f.ID != 0 {
		title = r.Words.Text("Change an address")
	}
	s.Show(w, r, status, "target", shell.View{Title: title, Section: "settings", Body: whole})
	return nil
}

// sentTarget returns the form that was sent, and the target of the requester that it describes. A nil secret: none was
// typed.
func sentTarget(r shell.Request) (f targetform.Form, t tidings.Target, secret *string, err error) {
	f = targetform.Read(r.FormValue)
	t, err = f.Target()
	t.Account = r.Account
	if typed := strings.TrimSpace(r.FormValue("secret")); typed != "" {
		secret = &typed
	}
	return f, t, secret, err
}

// targetProblem says in a sentence what a person can mend, or "".
func targetProblem(w wording.Words, err error) string {
	switch {
	case errors.Is(err, tidings.ErrExists):
		return w.Text("You have an address of that name. Choose another name, or remove that address first.")
	case errors.Is(err, tidings.ErrInvalid):
		return wording.Sentence(w.Explained(err), maxProblem) + "."
	}
	return ""
}

func addTarget(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.notifications == nil {
			return tidings.ErrNotFound
		}
		f, t, secret, err := sentTarget(r)
		if err == nil {
			if secret != nil {
				t.Secret = *secret
			}
			t, err = s.notifications.AddTarget(r.Context(), t)
			switch {
			case err == nil && secret == nil && t.Secret != "":
				return showTargets(s, w, r, http.StatusOK, "", targetList{Key: t.Secret, KeyOf: t.Name})
			case err == nil && t.Standing.Unconfirmed:
				return shell.SeeOther(w, r, "/notifications?said=asked")
			}
		}
		if why := targetProblem(r.Words, err); why != "" {
			return showForm(s, w, r, http.StatusUnprocessableEntity, targetForm{Form: f, Problem: why})
		}
		if err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/notifications?said=notified")
	}
}

func changeTarget(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		before, err := targetOf(s, r)
		if err != nil {
			return err
		}
		f, t, secret, err := sentTarget(r)
		f.ID, t.ID = before.ID, before.ID
		if err == nil {
			t, err = s.notifications.ChangeTarget(r.Context(), t, secret)
			if err == nil && secret == nil && t.Secret != "" && t.Secret != before.Secret {
				return showTargets(s, w, r, http.StatusOK, "", targetList{Key: t.Secret, KeyOf: t.Name})
			}
		}
		if why := targetProblem(r.Words, err); why != "" {
			return showForm(s, w, r, http.StatusUnprocessableEntity, targetForm{Form: f, Problem: why})
		}
		if err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/notifications?said=target")
	}
}

// previewTarget shows the form again, with what the target would be sent. The script gets that alone.
func previewTarget(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		if s.notifications == nil {
			return tidings.ErrNotFound
		}
		f, t, secret, err := sentTarget(r)
		f.ID = r.Number("id")
		t.ID = f.ID
		shown := targetForm{Form: f}
		if err == nil {
			shown.Preview, err = previewOf(s, r, t, secret)
		}
		status := http.StatusOK
		if shown.Problem = targetProblem(r.Words, err); shown.Problem != "" {
			status = http.StatusUnprocessableEntity
		} else if err != nil {
			return err
		}
		if shell.Scripted(r) {
			text, err := pages.Fragment(r.Context(), "target-preview", shown)
			if err != nil {
				return err
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, text)
			return nil
		}
		return showForm(s, w, r, status, shown)
	}
}

// previewOf makes a message for a target of the newest entry that it would get. If there is none, it uses an example.
func previewOf(s *site, r shell.Request, t tidings.Target, secret *string) (*notify.Sample, error) {
	entries, err := s.store.Entries(r.Context(), r.Account,
		tidings.EntryQuery{Channel: t.Selector.Channel, Folder: t.Selector.Folder, Limit: 1})
	if err != nil {
		return nil, err
	}
	var u tidings.Update
	if len(entries) > 0 {
		e := entries[0]
		u, err = s.store.Update(r.Context(), r.Account, e.Update)
		if err != nil && !errors.Is(err, tidings.ErrNotFound) { // else it was cleared away meanwhile
			return nil, err
		}
		if len(u.Items) > 0 {
			e.Content.Change = e.Change
			u.Items = []tidings.Item{e.Content}
		}
	}
	sample, err := s.notifications.PreviewTarget(r.Context(), t, secret, u)
	if err != nil {
		return nil, err
	}
	return &sample, nil
}

// testTarget sends a message to a target, and shows on the same page how that went.
func testTarget(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		t, err := targetOf(s, r)
		if err != nil {
			return err
		}
		err = s.notifications.TestTarget(r.Context(), r.Account, t.ID)
		if shell.IsCanceled(err) || errors.Is(err, tidings.ErrNotFound) {
			return err
		}
		name := wording.Plain(t.Name, tidings.MaxTargetName)
		if err != nil {
			why := wording.Sentence(r.Words.Explained(err), maxProblem) + "."
			return showTargets(s, w, r, http.StatusUnprocessableEntity, "", targetList{Failed: name, Why: why})
		}
		return showTargets(s, w, r, http.StatusOK, r.Words.Text("Sent. %s has accepted the message.", name),
			targetList{})
	}
}

// confirmTarget confirms a mail address by the code that was sent there. It shows the result on the same page.
func confirmTarget(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		t, err := targetOf(s, r)
		if err != nil {
			return err
		}
		err = s.notifications.ConfirmTarget(r.Context(), r.Account, t.ID, r.FormValue("code"))
		if errors.Is(err, tidings.ErrInvalid) {
			why := wording.Sentence(r.Words.Explained(err), maxProblem) + "."
			return showTargets(s, w, r, http.StatusUnprocessableEntity, "",
				targetList{Failed: wording.Plain(t.Name, tidings.MaxTargetName), Why: why})
		}
		if err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/notifications?said=confirmed")
	}
}

func confirmTargetRemoval(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		t, err := targetOf(s, r)
		if err != nil {
			return err
		}
		title := "Remove " + wording.Plain(t.Name, tidings.MaxTargetName)
		s.Show(w, r, http.StatusOK, "remove-target", shell.View{Title: title, Section: "settings", Narrow: true,
			Body: t})
		return nil
	}
}

func removeTarget(s *site) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		t, err := targetOf(s, r)
		if err != nil {
			return err
		}
		if err := s.notifications.RemoveTarget(r.Context(), r.Account, t.ID); err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/notifications?said=untarget")
	}
}

// errNoDelivery refuses to do something to all deliveries of a person because a form lacks a field.
var errNoDelivery = tidings.Invalidf("the form names neither an address nor a delivery")

// ofDeliveries does something to the deliveries to a target, or to one of them.
func ofDeliveries(s *site, said string,
	do func(Notifications, context.Context, tidings.AccountID, tidings.DeliverySelection) (int, error),
) shell.Handler {
	return func(w http.ResponseWriter, r shell.Request) error {
		which := tidings.DeliverySelection{
			Target: r.Number("target"), Delivery: r.Number("delivery"), Failed: r.FormValue("failed") != "",
		}
		switch {
		case s.notifications == nil:
			return tidings.ErrNotFound
		case which.Target == 0 && which.Delivery == 0:
			return errNoDelivery
		}
		if _, err := do(s.notifications, r.Context(), r.Account, which); err != nil {
			return err
		}
		return shell.SeeOther(w, r, "/notifications?said="+said)
	}
}
