-- The user name that a token is for if it is one of the Fever API. Readers then send the MD5 of "user:secret" and nothing
-- else: hash is the SHA-256 of that MD5 in hexadecimal digits. NULL: a token for everything else.
ALTER TABLE token ADD COLUMN fever TEXT;
