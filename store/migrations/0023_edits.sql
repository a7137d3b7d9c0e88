-- Edits as items: programs on phones fetch no item twice. A person may have edits of a channel's items shown to them as items with
-- numbers of their own. An edit is shared by all who see it, and has a number of the items' sequence.
ALTER TABLE subscription ADD COLUMN edits INTEGER; -- edits with larger numbers are items of their own; NULL: none are
CREATE INDEX subscription_edits ON subscription (account) WHERE edits IS NOT NULL;

CREATE TABLE edit (
	id      INTEGER PRIMARY KEY,                 -- no item has it
	channel INTEGER NOT NULL,
	item    INTEGER NOT NULL,                    -- that was edited
	latest  INTEGER NOT NULL,                    -- revision that it shows, the only one; 0: retention has removed it
	before  INTEGER NOT NULL,                    -- revision that the item showed until then
	arrived INTEGER NOT NULL
) STRICT;
CREATE INDEX edit_channel ON edit (channel, id);
CREATE INDEX edit_item ON edit (item, id);
CREATE INDEX edit_latest ON edit (latest);

-- What people have read of them. There is no row for one that nobody has marked: it is unread.
CREATE TABLE edit_mark (
	account INTEGER NOT NULL,
	edit    INTEGER NOT NULL,
	channel INTEGER NOT NULL,
	read    INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	PRIMARY KEY (account, edit)
) STRICT, WITHOUT ROWID;
CREATE INDEX edit_mark_edit ON edit_mark (edit);
