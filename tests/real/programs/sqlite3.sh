# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# sqlite3: tables, indexes, joins and aggregates in a file.
needs=(sqlite3)

prepare() {
	cat >script.sql <<SQL
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, place INTEGER, price REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $((scale * 45000)))
INSERT INTO item SELECT i, 'name ' || (i * 7919 % 1000), i * 31 % 977, i * 0.25 FROM n;
CREATE INDEX by_place ON item(place, price);
CREATE TABLE place(id INTEGER PRIMARY KEY, title TEXT);
INSERT INTO place SELECT DISTINCT place, upper(hex(place)) FROM item;
SELECT count(*), sum(price), min(name), max(name) FROM item;
SELECT title, count(*), round(avg(price), 3) FROM item JOIN place ON place.id = item.place
	GROUP BY title ORDER BY 2 DESC, 1 LIMIT 20;
UPDATE item SET name = replace(name, 'name', 'title') WHERE place % 3 = 0;
DELETE FROM item WHERE price > $((scale * 9000)) AND place % 2 = 1;
SELECT name, count(*) FROM item GROUP BY name ORDER BY name LIMIT 10;
SELECT count(*) FROM item a JOIN item b ON a.place = b.place AND a.id = b.id + 977;
VACUUM;
PRAGMA integrity_check;
SELECT broken FROM item;
SQL
}

work() {
	"${preload[@]}" sqlite3 items.db <script.sql
}

filter() { cat; }
