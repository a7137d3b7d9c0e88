// Package fever speaks the Fever API, a small language that many readers for phones and desktops know, such as Reeder,
// Unread, ReadKit, Fluent Reader, Readrops, Read You and elfeed. Fever was a program that people ran on their own
// servers; it is gone, and its API stayed. It has no way to follow feeds: for that use the page, or package greader.
//
// In such a reader, add an account of the kind "Fever", with the address of the node and "/fever" or "/api/fever.php"
// behind it, your name there and an app password. All four of these paths are the same:
//
//	/fever  /fever/  /api/fever.php  /api/fever.php/
//
// Each request has an api_key, the MD5 of "name:password", and one or more verbs, in the URL or in a form. The answers
// of all verbs are in one JSON object.
//
//	groups, feeds, favicons, links              folders, feeds, icons; there are no links
//	items  since_id | max_id | with_ids         up to 50 items; feed_ids and group_ids restrict them
//	unread_item_ids, saved_item_ids             numbers of all items that are unread, starred
//	mark=item   as=read|unread|saved|unsaved id
//	mark=feed   as=read id before               what had arrived by then
//	mark=group  as=read id before               group 0 is everything
//
// What differs from the original, and why:
//
//   - A feed in no folder is in the group "All", number 1. One client fails on feeds without a group.
//   - with_ids can name more than 50 items, and all are sent. One client sends more.
//   - before can be in microseconds or milliseconds, which the number of digits shows.
//   - feeds_groups comes with groups and with feeds, since clients look for it in either.
//   - mark=feed and mark=group accept as=unread, which one client sends.
//   - Nothing is a spark, and there are no links.
//
// MD5 is broken, and a reader of one request can send others. So this API belongs behind TLS, and is off until you make
// an app password for it. That password opens nothing else.
package fever
