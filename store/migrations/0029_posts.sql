-- A token may be for posting items to one channel alone.
ALTER TABLE token ADD COLUMN posts TEXT; -- the channel's name; NULL: it is no such token
