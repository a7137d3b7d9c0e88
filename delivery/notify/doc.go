// Package notify delivers messages to targets: it speaks the protocol of each tidings.TargetKind. The outbox decides
// when a message is sent, and again; a Notifier makes one attempt and returns why it failed.
//
// # URLs and secrets
//
// What a target's URL and Secret are, by kind. Describe has the same for people. Every server may have a path of its
// own before the part in capitals.
//
//	webhook   https://HOST/PATH                    whsec_ and 24 to 64 bytes in base64: NewSecret makes one
//	ntfy      https://ntfy.sh/TOPIC                access token, or USER:PASSWORD; may be empty
//	gotify    https://SERVER                       token of an application
//	matrix    https://HOMESERVER/ROOM              access token; ROOM is !id:server or #alias:server, # may be %23
//	telegram  https://api.telegram.org/CHAT        the bot's token; CHAT is a number or @name
//	discord   https://discord.com/api/webhooks/…   none: the URL is the secret
//	slack     https://hooks.slack.com/services/…   none: the URL is the secret
//	pushover  https://api.pushover.net/USER        token of an application; USER is the key of a user or group
//	generic   as the Form has it                   none: write it into a header
//
// # Promises
//
//   - An attempt ends after Config.Timeout, whatever the other side does. At most MaxAnswer bytes of an answer
//     are read, and as many of its header. The body of an answer that accepts is read only where the protocol
//     says more in it.
//   - Config.Guard checks each address as it is dialled. No proxy, no cookies, and no redirect is followed.
//   - A request has at most MaxBody bytes. Texts are cut between characters, to what the service accepts, and end
//     with "…".
//   - Text from feeds stays text: it mentions nobody, links nowhere and adds no field, whatever it holds. Slack
//     may still show *this* in bold. A template is expanded in one pass, and a value is never expanded again.
//   - Errors are plain words for people. No secret stands in them: neither Target.Secret, nor the secret part of
//     a URL, nor a header of a Form that carries one, even if the server repeats it.
//
// # Failures
//
// A status other than 2xx is a failure. 410 is outbox.Refusal.Gone. Retry-After of 429 and 5xx is outbox.Refusal.After,
// at most MaxAfter. Final are 400, 404 and 405 to a message that retracts others. Other refusals are final only if the
// protocol says that the message itself cannot be accepted:
//
//	ntfy      codes 40011, 40017 and 41303
//	matrix    M_TOO_LARGE, M_BAD_JSON, M_NOT_JSON
//	telegram  400: too long, empty, or entities that cannot be parsed
//	discord   codes 50006 and 50035; code 10015 (Unknown Webhook) is Gone
//	slack     invalid_payload, no_text, msg_too_long, invalid_blocks
//	pushover  any 4xx
//	generic   a body that is no valid JSON after expansion, or a request that is too large
//
// # Sources
//
//   - Standard Webhooks:
//     https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
//   - The Idempotency-Key HTTP Header Field:
//     https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header
//   - ntfy, "Publish as JSON", "Updating + deleting notifications" and "Limitations": https://docs.ntfy.sh/publish
//   - Gotify, "Push messages" and "Message extras": https://gotify.net/docs/pushmsg and
//     https://gotify.net/docs/msgextras
//   - Matrix Client-Server API, "Sending events to a room", "Room aliases", "Instant messaging", "User and room
//     mentions": https://spec.matrix.org/latest/client-server-api
//   - Telegram Bot API, "Making requests", "sendMessage", "HTML style": https://core.telegram.org/bots/api
//   - Discord, "Execute Webhook", "Allowed Mentions Object", "Rate Limits", "API Versioning":
//     https://docs.discord.com/developers
//   - Slack, "Sending messages using incoming webhooks", "Formatting message text", "Improving error conditions
//     for Incoming Webhooks": https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
//   - Pushover, "Pushing Messages" and "Being Friendly to our API": https://pushover.net/api
package notify
