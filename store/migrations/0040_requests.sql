-- What a channel's origin is sent beside a user name and password, and the proxy by which it is reached: JSON; empty: nothing.
ALTER TABLE credential ADD COLUMN request TEXT NOT NULL DEFAULT '';
