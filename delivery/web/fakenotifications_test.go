package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/chromedp"

	"tidings"
	"tidings/delivery/notify"
	"tidings/lab/browser"
)

// fakeNotifications are notifications in memory. What a target must be is checked as the node does.
type fakeNotifications struct {
	mu         sync.Mutex
	targets    []tidings.Target
	deliveries []tidings.Delivery // the newest last
	changes    int                // targets that were added, changed or removed
	retried    []tidings.DeliverySelection
	dropped    []tidings.DeliverySelection
	tested     []int64
	testFails  error
	previewed  []tidings.Update
}

var _ Notifications = (*fakeNotifications)(nil)

// ConfirmTarget accepts one code.
func (f *fakeNotifications) ConfirmTarget(_ context.Context, account tidings.AccountID, id int64, code string) error {
	defer f.lock()()
	i := f.at(account, id)
	switch {
	case i < 0:
		return fmt.Errorf("target %d: %w", id, tidings.ErrNotFound)
	case code != "ABCD-EFGH-IJKL":
		return tidings.Invalidf("that is not the code of this address")
	}
	f.targets[i].Standing.Unconfirmed = false
	f.targets[i].Standing.Suspended = false
	f.targets[i].Standing.Problem = ""
	return nil
}

func (f *fakeNotifications) PushKey() string { return "BKey" }

func (f *fakeNotifications) lock() func() { f.mu.Lock(); return f.mu.Unlock }

func (f *fakeNotifications) Targets(_ context.Context, account tidings.AccountID) (all []tidings.Target, err error) {
	defer f.lock()()
	for _, t := range f.targets {
		if t.Account == account {
			all = append(all, t)
		}
	}
	return all, nil
}

func (f *fakeNotifications) at(account tidings.AccountID, id int64) int {
	return slices.IndexFunc(f.targets, func(t tidings.Target) bool { return t.ID == id && t.Account == account })
}

func (f *fakeNotifications) Target(
	_ context.Context,
	account tidings.AccountID,
	id int64,
) (t tidings.Target, err error) {
	defer f.lock()()
	i := f.at(account, id)
	if i < 0 {
		return t, fmt.Errorf("target %d: %w", id, tidings.ErrNotFound)
	}
	return f.targets[i], nil
}

func (f *fakeNotifications) check(t tidings.Target) error {
	if t.Name == "" {
		return tidings.Invalidf("an address has a name: give it one")
	}
	for _, other := range f.targets {
		if other.Account == t.Account && other.Name == t.Name && other.ID != t.ID {
			return tidings.ErrExists
		}
	}
	if t.Kind == tidings.Mail {
		return notify.ValidateCommon(t)
	}
	return notify.Validate(t)
}

func (f *fakeNotifications) AddTarget(_ context.Context, t tidings.Target) (tidings.Target, error) {
	defer f.lock()()
	if t.Kind == tidings.Webhook && t.Secret == "" {
		t.Secret = notify.NewSecret()
	}
	if err := f.check(t); err != nil {
		return tidings.Target{}, err
	}
	f.changes++
	t.ID = int64(len(f.targets) + 1)
	f.targets = append(f.targets, t)
	return t, nil
}

func (f *fakeNotifications) ChangeTarget(
	_ context.Context, t tidings.Target, secret *string,
) (tidings.Target, error) {
	defer f.lock()()
	i := f.at(t.Account, t.ID)
	if i < 0 {
		return t, tidings.ErrNotFound
	}
	if t.Secret = f.secretOf(t, secret); t.Kind == tidings.Webhook && t.Secret == "" {
		t.Secret = notify.NewSecret()
	}
	if err := f.check(t); err != nil {
		return t, err
	}
	f.changes++
	f.targets[i] = t
	return t, nil
}

func (f *fakeNotifications) secretOf(t tidings.Target, given *string) string {
	if given != nil {
		return *given
	}
	if i := f.at(t.Account, t.ID); i >= 0 && f.targets[i].Kind == t.Kind {
		return f.targets[i].Secret
	}
	return ""
}

func (f *fakeNotifications) RemoveTarget(_ context.Context, account tidings.AccountID, id int64) error {
	defer f.lock()()
	i := f.at(account, id)
	if i < 0 {
		return tidings.ErrNotFound
	}
	f.changes++
	f.targets = slices.Delete(f.targets, i, i+1)
	return nil
}

func (f *fakeNotifications) TestTarget(_ context.Context, account tidings.AccountID, id int64) error {
	defer f.lock()()
	if f.at(account, id) < 0 {
		return tidings.ErrNotFound
	}
	f.tested = append(f.tested, id)
	return f.testFails
}

func (f *fakeNotifications) PreviewTarget(
	_ context.Context, t tidings.Target, secret *string, u tidings.Update,
) (notify.Sample, error) {
	defer f.lock()()
	f.previewed = append(f.previewed, u)
	t.Secret = f.secretOf(t, secret)
	m := notify.TestMessage(nil, t, time.Now())
	if u.ID != 0 {
		m.Update, m.Item = u, nil
		if len(u.Items) == 1 {
			m.Item = &u.Items[0]
		}
	}
	return notify.New(notify.Config{}).Preview(t, m)
}

func (f *fakeNotifications) NewestDeliveries(
	_ context.Context,
	account tidings.AccountID,
	limit int,
) (all []tidings.Delivery, err error) {
	defer f.lock()()
	for _, d := range slices.Backward(f.deliveries) {
		if f.at(account, d.Target) >= 0 && len(all) < limit {
			all = append(all, d)
		}
	}
	return all, nil
}

func (f *fakeNotifications) selects(account tidings.AccountID, which tidings.DeliverySelection) error {
	if which.Target != 0 && f.at(account, which.Target) >= 0 {
		return nil
	}
	for _, d := range f.deliveries {
		if d.ID == which.Delivery && f.at(account, d.Target) >= 0 {
			return nil
		}
	}
	return tidings.ErrNotFound
}

func (f *fakeNotifications) Retry(
	_ context.Context,
	account tidings.AccountID,
	which tidings.DeliverySelection,
) (int, error) {
	defer f.lock()()
	f.retried = append(f.retried, which)
	return 1, f.selects(account, which)
}

func (f *fakeNotifications) Drop(
	_ context.Context,
	account tidings.AccountID,
	which tidings.DeliverySelection,
) (int, error) {
	defer f.lock()()
	f.dropped = append(f.dropped, which)
	return 1, f.selects(account, which)
}

// sampleNotifications are notifications as a person may have them, each in another state.
func sampleNotifications() *fakeNotifications {
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	f := &fakeNotifications{targets: []tidings.Target{
		{ID: 1, Name: "phone", Kind: tidings.Ntfy, URL: "https://ntfy.sh/ada", Secret: "tk_hidden",
			Standing: tidings.Standing{Delivered: ago(2 * time.Minute)}},
		{ID: 2, Name: "team", Kind: tidings.Matrix, URL: "https://matrix.example/%23team:example", Secret: "syt_hidden",
			Selector: tidings.Selector{Folder: "Programming"}, Text: tidings.Text{Title: "News: {title}"},
			Standing: tidings.Standing{Pending: 3, Dropped: 1200, Problem: "matrix.example answered 502 Bad Gateway"}},
		{ID: 3, Name: "program", Kind: tidings.Webhook, URL: "https://hooks.example/in", Secret: notify.NewSecret(),
			Selector: tidings.Selector{Channel: "https://kernel.example/headlines/rss"},
			Standing: tidings.Standing{
				Pending:   1,
				Failed:    2,
				Suspended: true,
				Problem:   "hooks.example says that this is gone (410)",
			}},
		{ID: 4, Name: "hall", Kind: tidings.Generic, URL: "https://hall.example/say?text={title}",
			Form: &tidings.Form{
				Method:  "PUT",
				Headers: map[string]string{"X-Room": "hall", "Content-Type": "application/json"},
				Body:    `{"say": "{title}"}`,
			}},
	}}
	for i := range f.targets {
		f.targets[i].Account = tidings.Owner
	}
	f.targets = append(
		f.targets,
		tidings.Target{ID: 9, Account: 2, Name: "ann's phone", Kind: tidings.Ntfy, URL: "https://ntfy.sh/ann",
			Standing: tidings.Standing{Pending: 1}},
	)
	const problem = "matrix.example answered 502 Bad Gateway"
	f.deliveries = []tidings.Delivery{
		{
			ID:      1,
			Target:  3,
			Name:    "program",
			Update:  6,
			Channel: "https://kernel.example/headlines/rss",
			Title:   "A tour of the new scheduler",
			Made:    ago(26 * time.Hour),
			Failed:  true,
			Tries:   12,
			Problem: "hooks.example answered 400 Bad Request",
		},
		{
			ID:      2,
			Target:  3,
			Name:    "program",
			Made:    ago(25 * time.Hour),
			Failed:  true,
			Tries:   12,
			Problem: "hooks.example answered 400 Bad Request",
		},
		{
			ID:      3,
			Target:  2,
			Name:    "team",
			Update:  6,
			Channel: "https://kernel.example/headlines/rss",
			Title:   "Kernel 7.1 released",
			Made:    ago(2 * time.Hour),
			Tries:   4,
			Due:     time.Now().Add(10 * time.Minute),
			Problem: problem,
		},
		{ID: 4, Target: 9, Name: "ann's phone", Channel: "https://ann.example/", Title: "Ann's",
			Made: ago(time.Minute)},
		{ID: 5, Target: 2, Name: "team", Update: 10, Channel: "https://kernel.example/headlines/rss",
			Made: ago(time.Minute)},
	}
	return f
}

// withNotifications is sample with targets in each state.
func withNotifications() *fake {
	f := sample()
	f.notifications = sampleNotifications()
	return f
}

// withMail has a mail address that is not confirmed, and one with a schedule.
func withMail() *fake {
	quiet, digest := tidings.Hours{From: 22 * 60, To: 7 * 60}, tidings.TimeOfDay(8*60)
	f := sample()
	f.notifications = &fakeNotifications{targets: []tidings.Target{
		{ID: 1, Account: tidings.Owner, Name: "mine", Kind: tidings.Mail, URL: "mailto:ada@example.org",
			Standing: tidings.Standing{Suspended: true, Unconfirmed: true, Problem: "the address is not confirmed"}},
		{ID: 2, Account: tidings.Owner, Name: "evening", Kind: tidings.Mail, URL: "mailto:ada@example.net",
			Schedule: tidings.Schedule{Zone: "Europe/Berlin", Quiet: &quiet, Digest: &digest,
				Paused: time.Now().Add(90 * time.Minute)},
			Standing: tidings.Standing{Pending: 12, Delivered: time.Now().Add(-20 * time.Hour)}},
	}}
	return f
}

// withFailingTest is the same, where no target can be reached.
func withFailingTest() *fake {
	f := sample()
	notifications := sampleNotifications()
	notifications.testFails = &tidings.Failure{
		Op:  "trying phone",
		Err: errors.New("ntfy.sh answered 403 Forbidden: forbidden"),
	}
	f.notifications = notifications
	return f
}

// touched reports whether anything was done.
func (f *fakeNotifications) touched() bool {
	defer f.lock()()
	return f.changes+len(f.retried)+len(f.dropped)+len(f.tested)+len(f.previewed) > 0
}

// chosen selects an option by its value.
func chosen(css, value string) browser.Step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(
			`(e => { e.value = %[2]q; return e.value === %[2]q })(document.querySelector(%[1]q))`,
			css,
			value,
		)))
		return err
	})
}
