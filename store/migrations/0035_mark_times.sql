-- When an account last marked an item read or unread, and when it last changed its star: a mark that was made before, on a device
-- without a network, counts no longer. changed stays the later of them, as the node has learned of it. 0: before this schema, or never.
ALTER TABLE mark ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mark ADD COLUMN starred INTEGER NOT NULL DEFAULT 0;
