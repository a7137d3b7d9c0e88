-- Who else has seen what an update says, and which updates turned out to be false.
ALTER TABLE version ADD COLUMN confirmed_by TEXT NOT NULL DEFAULT ''; -- IDs of nodes, with blanks between
ALTER TABLE version ADD COLUMN number INTEGER;    -- the network's, where it came from other nodes
ALTER TABLE version ADD COLUMN shared_hash BLOB;  -- of its content, as nodes name it; NULL: nobody did
ALTER TABLE version ADD COLUMN withdrawn TEXT;    -- why it is not believed any more, as JSON; NULL: nothing is known against it
CREATE INDEX version_withdrawn ON version (channel) WHERE withdrawn IS NOT NULL;
ALTER TABLE embargo ADD COLUMN confirmed_by TEXT NOT NULL DEFAULT ''; -- as of the version in which it came
