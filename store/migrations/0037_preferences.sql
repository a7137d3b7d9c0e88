-- What people have chosen about the page. view is the list that it is for; empty: all lists, or the page as a whole.
CREATE TABLE preference (
	account INTEGER NOT NULL,
	view    TEXT NOT NULL,
	name    TEXT NOT NULL,
	value   TEXT NOT NULL,
	PRIMARY KEY (account, view, name)
) STRICT, WITHOUT ROWID;
