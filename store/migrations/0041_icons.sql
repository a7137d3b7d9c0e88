-- The address of the picture by which a channel's document wants to be known.
ALTER TABLE channel ADD COLUMN icon TEXT NOT NULL DEFAULT '';
