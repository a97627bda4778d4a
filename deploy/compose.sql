-- The owner of billycan's tables, its database, and what only a superuser may add to that: PostgreSQL's image runs this
-- once, in an empty volume. BILLYCAN_PASSWORD becomes the owner's password.
\set ON_ERROR_STOP on
\getenv password BILLYCAN_PASSWORD
CREATE ROLE billycan LOGIN PASSWORD :'password';
CREATE DATABASE billycan OWNER billycan ENCODING 'UTF8';
\connect billycan
CREATE EXTENSION btree_gin;
CREATE EXTENSION pg_trgm;
ALTER FUNCTION textlike LEAKPROOF;
ALTER FUNCTION jsonb_contains LEAKPROOF;
