package store

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

// fixtures makes a database of each schema version as the release with that version would have left it. So every
// upgrade stays tested. There are as many fixtures as migrations: add one with each migration.
var fixtures = []func(t *testing.T, conn *sqlite.Conn){
	func(t *testing.T, conn *sqlite.Conn) { // schema 1
		script(t, conn, firstFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 2
		script(t, conn, firstFixture+secondFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 3
		script(t, conn, firstFixture+secondFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 4
		script(t, conn, firstFixture+secondFixture+publicationFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 5
		script(t, conn, firstFixture+secondFixture+publicationFixture+pinFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 6
		script(t, conn, firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 7
		script(t, conn, firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 8
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 9
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 10
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 11
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 12
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 13
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 14
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 15
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 16
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 17
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 18
		script(t, conn,
			firstFixture+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 19
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 20
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 21
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture+feverFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 22
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture+feverFixture+
				peopleFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 23
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture+feverFixture+
				peopleFixture+editsFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 24
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture+feverFixture+
				peopleFixture+editsFixture+passkeyFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 25
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture+feverFixture+
				peopleFixture+editsFixture+passkeyFixture+openIDFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 26
		script(t, conn,
			marked.Replace(
				firstFixture)+secondFixture+publicationFixture+pinFixture+archiveFixture+handedFixture+indexedFixture+
				republisherFixture+itemFileFixture+publishedFileFixture+embargoFixture+forwardingFixture+
				thirdPartyFixture+confirmedFixture+embargoThirdPartyFixture+takenBackFixture+phonesFixture+feverFixture+
				peopleFixture+editsFixture+passkeyFixture+openIDFixture+outboxFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 27
		script(t, conn, marked.Replace(firstFixture)+schema27)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 28
		script(t, conn, marked.Replace(firstFixture)+schema27+scheduleFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 29
		script(t, conn, marked.Replace(firstFixture)+schema27+scheduleFixture+postsFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 30
		script(t, conn, marked.Replace(firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 31
		script(t, conn,
			marked.Replace(firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 32
		script(t, conn,
			marked.Replace(firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 33
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 34
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 35
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 36
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture+fullTextFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 37
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture+fullTextFixture+preferenceFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 38
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture+fullTextFixture+preferenceFixture+tagFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 39
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture+fullTextFixture+preferenceFixture+tagFixture+twinFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 40
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture+fullTextFixture+preferenceFixture+tagFixture+twinFixture+requestFixture)
	},
	func(t *testing.T, conn *sqlite.Conn) { // schema 41
		script(t, conn,
			marked.Replace(
				firstFixture)+schema27+scheduleFixture+postsFixture+websubFixture+followingFixture+sentFixture+
				filterFixture+markTimesFixture+fullTextFixture+preferenceFixture+tagFixture+twinFixture+requestFixture+
				iconFixture)
	},
}

// The feed has a password, and a proxy.
const requestFixture = `
			INSERT INTO credential (channel, user, password, request) VALUES (7, 'me', 'word',
			'{"proxy":"http://proxy.example"}');`

const iconFixture = `
			UPDATE channel SET icon = 'https://example.org/icon.png' WHERE id = 7;`

const preferenceFixture = `
			INSERT INTO preference (account, view, name, value) VALUES (1, '', 'theme', 'dark'), (1, 'folder/news',
			'sort', 'arrival');`

const tagFixture = `
			INSERT INTO tag (account, channel, name) VALUES (1, 7, 'daily');`

// The one item of the feed is selected by a query that nobody follows any more.
const twinFixture = `
			INSERT INTO channel (id, url, kind, privacy, added, orphaned) VALUES (9, 'query:words', 'query',
			'unlisted', 4, 4);
			INSERT INTO watch (channel) VALUES (9);
			INSERT INTO selected (item, channel, origin, link, title, print, of, of_channel)
			VALUES (99, 9, 'https://example.org/feed', 2, 3, 5, 1, 7);`

const filterFixture = `
			INSERT INTO filter (account, place, name, condition, actions, created) VALUES (1, 1, 'x', 'TRUE',
			'{"drop":true}', 1);`

const markTimesFixture = `
			UPDATE mark SET marked = 4, starred = 4;`

// The text is "full".
const fullTextFixture = `
			UPDATE subscription SET full_text = 1, pictures = 'never';
			INSERT INTO full_text (item, state, revision, fetched, content) VALUES (1, 'kept', 1, 6, x'0066756c6c');
			INSERT INTO full_text_reader (account, item) VALUES (5, 1);`

const sentFixture = `
			INSERT INTO sent (target, delivery, version, revision) SELECT id, 99, 1, 1 FROM target;`

const postsFixture = `
			INSERT INTO token (hash, account, label, created, posts) VALUES (x'0c', 1, 'backup', 4, 'Backups');`

// schema27 is what a database of schema 27 has beside firstFixture.
const schema27 = secondFixture + publicationFixture + pinFixture + archiveFixture + handedFixture +
	indexedFixture + republisherFixture + itemFileFixture + publishedFileFixture + embargoFixture +
	forwardingFixture + thirdPartyFixture + confirmedFixture + embargoThirdPartyFixture + takenBackFixture +
	phonesFixture + feverFixture + peopleFixture + editsFixture + passkeyFixture +
	openIDFixture + outboxFixture + feedAddressFixture

const scheduleFixture = `
			UPDATE target SET schedule = '{"zone":"Europe/Berlin","digest":"08:00"}', expires = 9000000000000000;`

// What addresses of chat follow is noted for other nodes of the account.
const followingFixture = `
			INSERT INTO following (address, channel, changed, ended, schedule) VALUES
				('', 'hash', 5000, 0, ''), ('romeo@montague.example', 'https://example.org/feed', 6000, 1, ''),
				('romeo@montague.example', '~', 7000, 0, '{}');`

const websubFixture = `
			INSERT INTO account (id, name, role, created) VALUES (6, 'websub:', 'subscriber', 4);
			INSERT INTO target (id, account, name, kind, url, channel, folder, secret, title, body, created, expires)
				VALUES (4, 6, 'key', 'websub', 'https://reader.example/cb', 'https://example.org/feed', '', '', '', '',
				4, 9000000000000000);
			INSERT INTO hub (target, topic, topic_key, callback_key, domain)
				VALUES (4, 'https://example.org/feed', 'https://example.org/feed', 'https://reader.example/cb',
				'reader.example');
			INSERT INTO websub (channel, state) VALUES (7, '{}');`

// marked has in firstFixture what says since schema 19 that its item is unread.
var marked = strings.NewReplacer("since, unread) VALUES (1, 7, 'news', 4, 1)",
	"since, seen) VALUES (1, 7, 'news', 4, 1)",
	"INTO unread (account, revision, channel) VALUES (1, 1, 7)",
	"INTO mark (account, channel, item, read, changed) VALUES (1, 7, 1, 0, 4)")

const feverFixture = `
			INSERT INTO token (hash, account, label, created, fever) VALUES (x'0a', 1, 'phone', 4, 'ann');`

const phonesFixture = `
			UPDATE item SET arrived = 5;
			INSERT INTO folder (account, path) VALUES (1, 'news');
			INSERT INTO label (account, name, item, channel) VALUES (1, 'later', 1, 7);`

const editsFixture = `
			UPDATE subscription SET edits = 1 WHERE account = 1 AND channel = 7;
			INSERT INTO edit (id, channel, item, latest, before, arrived) VALUES (2, 7, 1, 0, 1, 6);
			UPDATE sequence SET last = 2 WHERE name = 'item';`

const openIDFixture = `
			INSERT INTO openid (issuer, subject, account, since) VALUES ('https://id.example', 'abc', 5, 4);`

const outboxFixture = `
			INSERT INTO target (id, account, name, kind, url, channel, folder, secret, form, title, body, created,
			pending, failed)
				VALUES (3, 5, 'phone', 'ntfy', 'https://ntfy.example/ann', '', 'news', '', NULL, '', '', 4, 1, 1);
			INSERT INTO delivery (target, version, revision, made, failed, problem)
			VALUES (3, 1, 1, 5, 1, 'no such host'), (3, 1, 0, 5, 0, '');`

const feedAddressFixture = `
			INSERT INTO feed_address (hash, account, name, selection, of, created, used) VALUES (x'0b', 5, 'mine',
			'folder', 'news', 4, NULL);`

const peopleFixture = `
			INSERT INTO account (id, name, password, role, created) VALUES (5, 'Ann', 'hash', 'reader', 4);
			INSERT INTO session (hash, account, expires, created, used, browser) VALUES (x'01', 5, 9, 4, 4, 'browser');`

const passkeyFixture = `
			INSERT INTO passkey (credential, account, host, name, public_key, counter, copied, created, used)
				VALUES (x'0102', 5, 'example.org', 'phone', x'03', 7, 1, 4, NULL);`

const takenBackFixture = `
			INSERT INTO published (publication, number, topic, item, sent, withdrawn_by) VALUES (3, 0, x'02', x'', 1,
			1);
			INSERT INTO pushed (channel, topic, number, item, withdrawn_by) VALUES (7, x'02', 0, x'', 1);`

const embargoThirdPartyFixture = `
			UPDATE embargo SET third_party = 1;`

const thirdPartyFixture = `
			UPDATE pin SET third_party = 1, replaced = x'05';
			UPDATE publication SET third_party = 1;`

const confirmedFixture = `
			UPDATE version SET confirmed_by = 'n2 n3', number = 9, shared_hash = x'00',
			withdrawn = '{"time":"2026-01-02T03:04:05Z","reason":"false","vouched_by":["n1"]}';`

const forwardingFixture = `
			INSERT INTO forwarding (item, zone, published, message) VALUES (1, '/eu', 4, x'0003');`

const embargoFixture = `
			INSERT INTO embargo (item, channel, due, found_by, signed_by, change, guid, url, title, author, extra)
				VALUES (1, 7, 5, 'n1', '', 'changed', 'g', 'https://example.org/1', 'Two', 'A',
				'{"n":{"guid":"g","version":2}}');`

const publishedFileFixture = `
			INSERT INTO published_file (mark, ref) VALUES (1, x'06');`

const itemFileFixture = `
			UPDATE large SET own = 1;
			INSERT INTO item_file (channel, url, ref, type, length, since) VALUES (7, 'https://example.org/a.mp3',
			x'06', 'audio/mpeg', 1, 4);`

const republisherFixture = `
			INSERT INTO republisher (node, standing, since) VALUES (x'0102', -1, 4);`

const indexedFixture = `
			UPDATE indexed SET upto = 1;`

const handedFixture = `
			UPDATE published SET sent = 1, archived = 1;`

const archiveFixture = `
			INSERT INTO archived (key, topic, number, size, print, since, item) VALUES (x'01', x'02', 1, 1, 5, 4,
			x'0003');
			UPDATE archive_use SET items = 1, bytes = 1;
			INSERT INTO archive_use (topic, items, bytes) VALUES (x'02', 1, 1);
			INSERT INTO large (id, ref, length, manifest, since) VALUES (1, x'06', 1, x'07', 4);
			INSERT INTO piece (large, place, body) VALUES (1, 0, x'08');`

const pinFixture = `
			INSERT INTO pin (channel, topic, fingerprint, silence, pinned, have) VALUES (7, x'02', x'01', 3600, 4, 1);
			INSERT INTO pushed (channel, topic, number, item) VALUES (7, x'02', 1, x'03');`

const publicationFixture = `
			INSERT INTO publication (id, channel, key, fingerprint, topic, silence, next, last, started)
				VALUES (3, 'https://example.org/feed', 'me', x'01', x'02', 3600, 2, 5, 4);
			INSERT INTO published (publication, number, topic, item) VALUES (3, 1, x'02', x'03');
			INSERT INTO published_mark (publication, guid, link, title, date, print, content, listed)
			VALUES (3, 1, 2, 3, 4, 5, x'04', 1);`

const secondFixture = `
			INSERT INTO shared (channel, number, hash) VALUES (7, 9, x'00');
			INSERT INTO past (channel, hash, place, latest, body) VALUES (7, x'00', 1, 1, x'02');
			INSERT INTO channel (id, url, privacy, added, orphaned, polled, guest)
			VALUES (8, 'https://example.org/guest', 'public', 4, 4, 4, 1);
			INSERT INTO watch (channel) VALUES (8);`

const firstFixture = `
			INSERT INTO channel (id, url, kind, title, privacy, version, latest, changed, added)
				VALUES (7, 'https://example.org/feed', 'feed', 'A feed', 'public', 1, 1, 5, 4);
			INSERT INTO watch (channel, health, memory) VALUES (7, 'good', x'01');
			INSERT INTO subscription (account, channel, folder, since, unread) VALUES (1, 7, 'news', 4, 1);
			INSERT INTO version (id, channel, version, kind, found, received, first, last) VALUES (1, 7, 1, 'feed', 4,
			5, 1, 1);
			INSERT INTO content (version, body) VALUES (1, x'02');
			INSERT INTO item (channel, id, guid, link, title, date, print, latest) VALUES (7, 1, -1, 2, 3, 4, 5, 1);
			INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author, extra, content)
				VALUES (1, 1, 7, 1, 0, 'new', 'g', 'https://example.org/1', 'One', 'A', '', x'00626f6479');
			INSERT INTO search (rowid, title, body) VALUES (1, 'One', 'body');
			INSERT INTO unread (account, revision, channel) VALUES (1, 1, 7);
			UPDATE sequence SET last = 1;`

func script(t *testing.T, conn *sqlite.Conn, sql string) {
	t.Helper()
	if err := sqlitex.ExecuteScript(conn, sql, nil); err != nil {
		t.Fatal(err)
	}
}

// hostile 52: older schema.
func TestEveryEarlierSchemaOpens(t *testing.T) {
	scripts := Schema().Migrations
	if len(fixtures) != len(scripts) {
		t.Fatalf("%d fixtures for %d migrations", len(fixtures), len(scripts))
	}
	for i, fixture := range fixtures {
		t.Run(fmt.Sprint("schema ", i+1), func(t *testing.T) {
			dir := dataDir(t)
			conn, err := sqlite.OpenConn(filepath.Join(dir, db.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if err := migrateTo(conn, i+1); err != nil {
				t.Fatal(err)
			}
			fixture(t, conn)
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(dir, db.FileName), 0o600); err != nil {
				t.Fatal(err)
			}
			s := mustOpen(t, Config{Dir: dir})
			got := river(t, s, tidings.EntryQuery{Search: "body"})
			if len(got) != 1 || got[0].Content.Content != "body" || got[0].Read || got[0].Label != "A feed" {
				t.Errorf("entries: %+v", got)
			}
			if u := publish(t, s, feedURL, story{"x", "y"}); u.ID != 2 || u.Version != 2 {
				t.Errorf("next update: %+v", u)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			mustBeSound(t, dir)
		})
	}
}

// What is unread in data of schema 18 is unread still, to each person, and all else counts as read.
func TestUnreadRowsBecomeMarks(t *testing.T) {
	dir := dataDir(t)
	conn, err := sqlite.OpenConn(filepath.Join(dir, db.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := migrateTo(conn, 18); err != nil {
		t.Fatal(err)
	}
	script(t, conn, `
		INSERT INTO account (id, name) VALUES (2, 'second');
		INSERT INTO channel (id, url, kind, title, privacy, version, latest, added)
		VALUES (7, 'https://example.org/feed', 'feed', 'A feed', 'public', 2, 2, 4);
		INSERT INTO watch (channel) VALUES (7);
		INSERT INTO subscription (account, channel, since, unread) VALUES (1, 7, 4, 1), (2, 7, 4, 2);
		INSERT INTO version (id, channel, version, kind, received, first, last) VALUES (1, 7, 1, 'feed', 5, 1, 3), (2,
		7, 2, 'feed', 6, 4, 4);
		INSERT INTO content (version, body) VALUES (2, x'');
		INSERT INTO item (channel, id, guid, link, title, date, print, latest)
			VALUES (7, 1, 1, 0, 0, 0, 0, 4), (7, 2, 2, 0, 0, 0, 0, 2), (7, 3, 3, 0, 0, 0, 0, 3), (7, 4, 4, 0, 0, 0, 0,
			0);
		INSERT INTO revision (id, version, channel, item, before, change, guid, url, title, author, extra) VALUES
			(1, 1, 7, 1, 0, 'new', '1', '', 'One', '', ''), (2, 1, 7, 2, 0, 'new', '2', '', 'Two', '', ''),
			(3, 1, 7, 3, 0, 'new', '3', '', 'Three', '', ''), (4, 2, 7, 1, 1, 'changed', '1', '', 'One, edited', '',
			'');
		INSERT INTO unread (account, revision, channel) VALUES (1, 2, 7), (2, 2, 7), (2, 4, 7);
		UPDATE sequence SET last = 4;`)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, db.FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Config{Dir: dir})
	for account, want := range map[tidings.AccountID][]string{1: {"Two"}, 2: {"One, edited", "Two"}} {
		entries, err := s.Entries(t.Context(), account, tidings.EntryQuery{Unread: true})
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, e := range entries {
			titles = append(titles, e.Content.Title)
		}
		f, err := s.Channel(t.Context(), account, feedURL)
		if !slices.Equal(titles, want) || err != nil || f.Unread != len(want) {
			t.Errorf("to account %d are unread %q, and %d are counted (%v); want %q", account, titles, f.Unread, err,
				want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, dir)
}

// migrateTo makes a schema of a number of an empty file.
func migrateTo(conn *sqlite.Conn, number int) error {
	for i, script := range Schema().Migrations[:number] {
		script += fmt.Sprintf("\n;PRAGMA user_version = %d; PRAGMA application_id = 0x54646e67", i+1)
		if err := sqlitex.ExecuteScript(conn, script, nil); err != nil {
			return err
		}
	}
	return nil
}

// damaged makes a store with some content and lets harm change the closed files.
func damaged(t *testing.T, harm func(dir string)) (dir string) {
	t.Helper()
	dir = dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	l := newLedger(faultyVFS)
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	if errs := loadPlain(t, s, l, rounds); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	harm(dir)
	return dir
}

func loadPlain(t *testing.T, s *Store, l *ledger, rounds int) (errs []error) {
	registerDisk()
	theDisk.reset()
	return load(t, s, l, rounds)
}

// A database that the program of schema 18 has written, when it knew one person, opens with all that is the owner's:
// what was read, starred and left unread, folders, the password and a token. The program followed two feeds of six and
// four items. Two items were marked as read and one was starred, two more came in each feed, and blog.xml was left and
// followed again.
func TestDataOfTheProgramBeforePeople(t *testing.T) {
	dir := dataDir(t)
	packed, err := os.Open("testdata/schema18.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, db.FileName), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Config{Dir: dir})
	var got []string
	for _, e := range river(t, s, tidings.EntryQuery{}) {
		state := e.Content.Title
		if e.Read {
			state += ", read"
		}
		if e.Starred {
			state += ", starred"
		}
		got = append(got, state)
	}
	want := []string{"news item 8", "news item 7", "blog item 6", "blog item 5", "blog item 4", "blog item 3",
		"blog item 2", "blog item 1",
		"news item 6, read", "news item 5, read", "news item 4, starred", "news item 3", "news item 2", "news item 1"}
	if !slices.Equal(got, want) {
		t.Errorf("entries %q, not %q", got, want)
	}
	channels, err := s.Channels(t.Context(), tidings.Owner)
	if err != nil || len(channels) != 2 || channels[0].Title != "Feed blog" || channels[0].Folder != "" ||
		channels[0].Unread != 6 ||
		channels[1].Title != "Feed news" || channels[1].Folder != "World" || channels[1].Unread != 6 {
		t.Errorf("channels %+v, error %v", channels, err)
	}
	people, err := s.Reader.People(t.Context())
	if err != nil || len(people) != 1 || !people[0].Owner || people[0].Role != tidings.Administrator {
		t.Errorf("people %+v, error %v", people, err)
	}
	if hash, err := s.Reader.PasswordHash(t.Context(), tidings.Owner); err != nil ||
		!strings.HasPrefix(hash, "$argon2id$") {
		t.Errorf("password %q, error %v", hash, err)
	}
	if tokens, err := s.Reader.Tokens(t.Context(), tidings.Owner); err != nil || len(tokens) != 1 ||
		tokens[0].Label != "laptop" {
		t.Errorf("tokens %+v, error %v", tokens, err)
	}
	// Readers on phones number the items by arrival.
	feeds, _, err := NewArticles(s).Feeds(t.Context(), tidings.Owner)
	numbers, err2 := NewArticles(s).Numbers(t.Context(), tidings.Owner, reader.ArticleQuery{Ascending: true})
	if err := errors.Join(err, err2); err != nil || len(feeds) != 2 || len(numbers) != 14 || !slices.IsSorted(numbers) {
		t.Errorf("%d feeds, numbers %d, error %v", len(feeds), numbers, err)
	}
	mustBeSoundNow(t, s)
}

// hostile 52: newer schema, foreign file, corrupted pages. Opening refuses with what
// to do, changes nothing, and Check says it too.
func TestOpenRefuses(t *testing.T) {
	edit := func(sql string) func(string) {
		return func(dir string) {
			conn, err := sqlite.OpenConn(filepath.Join(dir, db.FileName))
			if err != nil {
				t.Fatal(err)
			}
			script(t, conn, sql)
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	overwrite := func(page int64, with string) func(string) {
		return func(dir string) {
			f, err := os.OpenFile(filepath.Join(dir, db.FileName), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt([]byte(strings.Repeat(with, 4096/len(with))), page*4096)
			if err = errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	// accounts overwrites a table that is missed in no case: what can be lost of others is named, and the store opens.
	accounts := func(with string) func(string) {
		return func(dir string) {
			overwrite(rootOf(t, filepath.Join(dir, db.FileName), "account")-1, with)(dir)
		}
	}
	for name, c := range map[string]struct {
		harm func(string)
		want error
		hint string
	}{
		"newer":         {edit(`PRAGMA user_version = 99`), db.ErrNewer, "use that version, or restore a backup"},
		"foreign":       {edit(`PRAGMA application_id = 7`), db.ErrForeign, "not a database of tidings"},
		"first page":    {overwrite(0, "x"), db.ErrDamaged, "restore a backup"},
		"a page":        {accounts("\xff\x00\x13\x37"), db.ErrDamaged, "restore a backup"},
		"a page zeroed": {accounts("\x00"), db.ErrDamaged, "restore a backup"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := damaged(t, c.harm)
			before, err := os.ReadFile(filepath.Join(dir, db.FileName))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Open(t.Context(), Config{Dir: dir})
			mustErr(t, err, c.want)
			if !strings.Contains(err.Error(), c.hint) {
				t.Errorf("error %q does not say %q", err, c.hint)
			}
			after, err := os.ReadFile(filepath.Join(dir, db.FileName))
			if err != nil || string(after) != string(before) {
				t.Errorf("refusing changed the file (%v)", err)
			}
			changes, err := Check(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			bad := 0
			for _, f := range changes {
				if !f.OK {
					bad++
				}
			}
			if bad == 0 {
				t.Errorf("check finds nothing: %v", changes)
			}
		})
	}
}

// hostile 52: truncated log. A log cut at every frame and within frames opens with a
// beginning of what was acknowledged, in order and whole.
func TestTruncatedLog(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	l := newLedger(faultyVFS)
	if errs := loadPlain(t, s, l, 3); len(errs) > 0 {
		t.Fatal(errs)
	}
	image := copyDir(t, dir) // as a crash leaves it: closing would fold the log into the file
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(image, db.FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	const header, frame = 32, 24 + 4096
	if len(log) < header+50*frame {
		t.Fatalf("the log has %d bytes", len(log))
	}
	stride := 1
	if testing.Short() {
		stride = 37
	}
	highest := int64(0)
	for n := 0; n <= (len(log)-header)/frame; n += stride {
		for _, extra := range []int{0, 1 + (n*37)%(frame-1)} {
			size := min(header+n*frame+extra, len(log))
			cut := copyDir(t, image)
			if err := os.Truncate(filepath.Join(cut, db.FileName+"-wal"), int64(size)); err != nil {
				t.Fatal(err)
			}
			// Nothing can be asked of what was cut off; what is left must be a beginning.
			got := newLedger(faultyVFS).verify(t, cut)
			if got < highest {
				t.Errorf("a longer log has less: update %d after %d", got, highest)
			}
			highest = got
			if t.Failed() {
				t.Fatalf("log cut to %d frames and %d bytes", n, extra)
			}
		}
	}
	if want := int64(len(l.updates)); newLedger(faultyVFS).verify(t, image) != want {
		t.Errorf("the whole log does not have all %d updates", want)
	}
}
