-- Which user of an OpenID Connect provider an account is: at most one user of each issuer. Names at a provider change and
-- pass on to others; the subject never does.
CREATE TABLE openid (
	issuer  TEXT NOT NULL,
	subject TEXT NOT NULL,
	account INTEGER NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX openid_account ON openid (account, issuer);
