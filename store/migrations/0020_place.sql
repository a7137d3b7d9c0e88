-- Holds the place of another change of the schema.
SELECT 1;
