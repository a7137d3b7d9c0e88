-- As of the version in which it came: 1: signed_by is the key of a third party.
ALTER TABLE embargo ADD COLUMN third_party INTEGER NOT NULL DEFAULT 0;
