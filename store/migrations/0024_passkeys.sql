-- Passkeys are credentials of the Web Authentication API, by which people sign in. Numbers are never used twice.
CREATE TABLE passkey (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	credential BLOB NOT NULL UNIQUE,    -- its ID, which the authenticator chose
	account    INTEGER NOT NULL,
	host       TEXT NOT NULL,           -- the host name at which it works: its relying party ID
	name       TEXT NOT NULL,
	public_key BLOB NOT NULL,           -- COSE_Key (RFC 9052)
	counter    INTEGER NOT NULL,        -- signatures that the authenticator counted; 0: it counts none
	copied     INTEGER NOT NULL,        -- 1 if it may be copied between devices; this never changes
	created    INTEGER NOT NULL,
	used       INTEGER                  -- NULL: never
) STRICT;
CREATE INDEX passkey_account ON passkey (account);
