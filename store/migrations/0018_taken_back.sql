-- The number of the item by which a published one was taken back; its bytes are gone then. NULL: it was not.
ALTER TABLE published ADD COLUMN withdrawn_by INTEGER;
ALTER TABLE pushed ADD COLUMN withdrawn_by INTEGER;
