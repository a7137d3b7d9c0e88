package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
)

// Allow grants an origin a permission, such as "notifications", as a person does in the browser's dialog.
func Allow(origin, permission string) Step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: permission}, Setting: browser.PermissionSettingGranted,
			Origin: origin})
		return err
	})
}

// Push makes the service worker of an origin receive a message, as if its push service had sent it: none can be reached
// from here. The page is one of the origin's.
func Push(origin, message string) Step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tab, serviceworker.Disable, cdp.Empty{}); err != nil {
			return err
		}
		updated, err := chromedp.Run(ctx, chromedp.WaitEvent(serviceworker.WorkerRegistrationUpdated,
			func(e serviceworker.EventWorkerRegistrationUpdated) bool { return len(e.Registrations) > 0 },
			chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
				_, err := cdp.Call(ctx, tab, serviceworker.Enable, cdp.Empty{})
				return err
			})))
		if err != nil {
			return fmt.Errorf("looking for a service worker: %w", err)
		}
		_, err = cdp.Call(ctx, tab, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
			Origin: origin, RegistrationID: updated.Registrations[0].RegistrationID, Data: message})
		return err
	})
}
