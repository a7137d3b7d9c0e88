-- Keys of third parties, which a person trusts though the feed does not name them.
ALTER TABLE pin ADD COLUMN third_party INTEGER NOT NULL DEFAULT 0; -- 1: it is such a key
ALTER TABLE pin ADD COLUMN replaced BLOB;                          -- fingerprint of such a key, in whose place the feed has put its own

-- 1: signed_by is the key of a third party.
ALTER TABLE version ADD COLUMN third_party INTEGER NOT NULL DEFAULT 0;

-- 1: the channel is somebody else's.
ALTER TABLE publication ADD COLUMN third_party INTEGER NOT NULL DEFAULT 0;
