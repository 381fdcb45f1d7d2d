// SPDX-License-Identifier: Apache-2.0
// The fixed work of the program `sqlite`: many kinds of statements, most of them prepared, run once
// and forgotten, on a small database in memory, made anew in each of ROUNDS rounds. Little of it is
// hot: tokens, parser, name resolution, planner, code generator, virtual machine and trees all have
// their part.
//
// usage: bench ROUNDS

#include "sqlite3.h"
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const schema[] = {
	"PRAGMA foreign_keys = ON",
	"CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, "
	"height REAL DEFAULT 1.5)",
	"CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, born INT CHECK (born "
	"> 1800), "
	"home INT REFERENCES place(id) ON DELETE SET NULL, notes TEXT)",
	"CREATE TABLE visit(person INT REFERENCES person(id) ON DELETE CASCADE, place INT, day "
	"TEXT, cost NUMERIC, "
	"PRIMARY KEY(person, place, day)) WITHOUT ROWID",
	"CREATE TABLE log(what TEXT, number INT)",
	"CREATE INDEX person_born ON person(born, name)",
	"CREATE INDEX person_short ON person(substr(name, 1, 3)) WHERE home IS NOT NULL",
	"CREATE VIEW old AS SELECT p.id, p.name, l.name AS home FROM person p LEFT JOIN place l ON "
	"l.id = p.home "
	"WHERE p.born < 1900",
	"CREATE TRIGGER person_log AFTER UPDATE OF name ON person WHEN new.name <> old.name BEGIN "
	"INSERT INTO log VALUES(old.name || '>' || new.name, new.id); END",
};

static const char *const fill[] = {
	"BEGIN",
	"WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
	"INSERT INTO place(id, name, height) SELECT i, 'place ' || char(65 + i % 26, 97 + i % 7) "
	"|| i, i * 3.25 FROM n",
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 160) "
	"INSERT INTO person(name, born, home, notes) SELECT printf('%s%03d', "
	"substr('anneberthacarldora', i % 14, 4), "
	"i * 7919 % 1000), 1850 + i * 31 % 140, nullif(i * 13 % 44 % 41, 0), json_object('n', i, "
	"'list', json_array(i, "
	"i + 1, hex(i))) FROM n",
	"INSERT OR IGNORE INTO visit SELECT p.id, l.id, date('2001-01-01', '+' || (p.id * l.id % "
	"700) || ' days'), "
	"p.id * l.id % 97 / 4.0 FROM person p, place l WHERE (p.id + l.id) % 23 = 0",
	"COMMIT",
};

// Each is run once a round; %d becomes the round's number.
static const char *const once[] = {
	"SELECT count(*), sum(cost), avg(cost), min(day), max(day), total(cost) FROM visit",
	"SELECT l.name, count(*), round(avg(v.cost), 2) FROM visit v JOIN place l ON l.id = "
	"v.place GROUP BY l.id "
	"HAVING count(*) > 3 ORDER BY 2 DESC, 1 LIMIT 8",
	"SELECT DISTINCT strftime('%%Y-%%m', day) AS month FROM visit ORDER BY month",
	"SELECT p.name, (SELECT count(*) FROM visit v WHERE v.person = p.id) AS n FROM person p "
	"ORDER BY n DESC, p.name "
	"LIMIT 10",
	"SELECT name FROM person WHERE home IN (SELECT id FROM place WHERE height BETWEEN 10 AND "
	"60) AND born > 1900",
	"SELECT name FROM person WHERE EXISTS (SELECT 1 FROM visit WHERE person = person.id AND "
	"cost > 20) UNION SELECT "
	"name FROM place EXCEPT SELECT name FROM old",
	"SELECT born, name, row_number() OVER (PARTITION BY born / 10 ORDER BY name), sum(id) OVER "
	"(ORDER BY born ROWS "
	"BETWEEN 3 PRECEDING AND CURRENT ROW), lag(name, 2, '-') OVER (ORDER BY id) FROM person "
	"WHERE id < 60",
	"SELECT group_concat(name, ';') FROM (SELECT name FROM old ORDER BY name COLLATE NOCASE "
	"DESC)",
	"SELECT json_extract(notes, '$.n'), json_array_length(notes, '$.list'), notes ->> "
	"'$.list[2]' FROM person WHERE "
	"json_valid(notes) AND id %% 5 = 0",
	"SELECT value, count(*) FROM person, json_each(person.notes, '$.list') WHERE person.id < "
	"20 GROUP BY value",
	"UPDATE person SET name = upper(substr(name, 1, 1)) || substr(name, 2) WHERE id %% 7 = 3",
	"UPDATE visit SET cost = cost + 1 WHERE person IN (SELECT id FROM person WHERE born %% 2)",
	"INSERT INTO place(id, name) VALUES(7, 'again') ON CONFLICT(id) DO UPDATE SET height = "
	"height + 1 RETURNING height",
	"REPLACE INTO place(id, name, height) VALUES(900 + %d %% 3, 'new', abs(-2.5))",
	"SAVEPOINT s; DELETE FROM person WHERE id %% 11 = 5; ROLLBACK TO s; RELEASE s",
	"DELETE FROM visit WHERE day LIKE '%%-03-%%' OR cost IS NULL",
	"SELECT name GLOB 'b*[0-4]', instr(name, 'a'), replace(name, 'an', 'on'), trim(name, "
	"'abc'), length(name), "
	"quote(name), unicode(name) FROM person WHERE id BETWEEN 30 AND 70",
	"SELECT CASE WHEN born < 1900 THEN 'old' WHEN born < 1950 THEN 'middle' ELSE 'young' END "
	"AS age, count(*) FILTER "
	"(WHERE home > 20), max(length(notes)) FROM person GROUP BY age",
	"WITH RECURSIVE path(at, far, way) AS (SELECT 1, 0, '1' UNION ALL SELECT at + 3, far + 1, "
	"way || ',' || (at + 3) "
	"FROM path WHERE at < 90) SELECT max(far), way FROM path",
	"CREATE TEMP TABLE best AS SELECT place, sum(cost) AS all_of_it FROM visit GROUP BY place "
	"ORDER BY 2 DESC LIMIT 12",
	"ALTER TABLE best ADD COLUMN grade TEXT DEFAULT 'c'",
	"UPDATE best SET grade = iif(all_of_it > 100, 'a', 'b') WHERE place < 30",
	"SELECT * FROM best NATURAL JOIN (SELECT id AS place, name FROM place) ORDER BY grade, "
	"all_of_it",
	"DROP TABLE best",
	"EXPLAIN QUERY PLAN SELECT * FROM visit v, person p, place l WHERE v.person = p.id AND "
	"l.id = p.home AND l.height > 9",
	"CREATE INDEX visit_day ON visit(day DESC, cost)",
	"SELECT day, cost FROM visit WHERE day >= '2001-06-01' ORDER BY day DESC, cost LIMIT 30 "
	"OFFSET 5",
	"ANALYZE",
	"PRAGMA table_info(person)",
	"PRAGMA integrity_check",
	"SELECT julianday(day) - julianday('2000-01-01'), time(day, '+90 minutes'), cast(cost AS "
	"INT) | 1, ~person, "
	"cost * 1.5 > 9, person <> place, day IS NOT NULL FROM visit WHERE person < 25",
	"SELECT a.name FROM person a JOIN person b ON a.born = b.born AND a.id < b.id WHERE a.home "
	"= b.home OR a.home = 3",
};

// Each is prepared anew for eight numbers: small questions, whose preparation is most of the work.
static const char *const small[] = {
	"SELECT name, born FROM person WHERE id = %d",
	"SELECT p.name, l.name FROM person p JOIN place l ON p.home = l.id WHERE p.born = 1850 + "
	"%d AND l.height > 2.5",
	"INSERT INTO log(what, number) VALUES('said ' || %d, %d %% 3)",
	"UPDATE person SET notes = json_set(notes, '$.n', %d) WHERE id = 5 + %d",
	"SELECT count(*) FROM log WHERE number = %d AND what > 'r'",
	"SELECT v.cost, coalesce(p.name, 'nobody') FROM visit AS v LEFT OUTER JOIN person AS p ON "
	"p.id = v.person WHERE "
	"v.place = %d AND v.cost NOT IN (1, 2.5, 4) ORDER BY v.day LIMIT 3",
	"DELETE FROM log WHERE number = %d",
	"SELECT max(id) - min(id), (%d + 3) * 2 << 1 FROM old WHERE home LIKE 'place b%%' OR name "
	"= 'x'",
};

static sqlite3_uint64 sum;

static void step_through(sqlite3 *db, sqlite3_stmt *statement)
{
	int status;

	while ((status = sqlite3_step(statement)) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(statement); i++)
			sum = sum * 31 + (sqlite3_uint64)sqlite3_column_bytes(statement, i) +
			      (sqlite3_uint64)sqlite3_column_int64(statement, i);
	if (sqlite3_finalize(statement) != SQLITE_OK || status != SQLITE_DONE) {
		fprintf(stderr, "bench: %s\n", sqlite3_errmsg(db));
		exit(1);
	}
}

static void run(sqlite3 *db, const char *text)
{
	sqlite3_stmt *statement;

	while (*text) {
		if (sqlite3_prepare_v2(db, text, -1, &statement, &text) != SQLITE_OK) {
			fprintf(stderr, "bench: %s: %s\n", sqlite3_errmsg(db), text);
			exit(1);
		}
		if (statement)
			step_through(db, statement);
	}
}

static void run_numbered(sqlite3 *db, const char *format, int number)
{
	char *text = sqlite3_mprintf(format, number, number);

	run(db, text);
	sqlite3_free(text);
}

static void look_up_bound(sqlite3 *db, int first)
{
	sqlite3_stmt *statement;

	sqlite3_prepare_v2(db,
		"SELECT name, home FROM person WHERE born BETWEEN ?1 AND ?1 + 2 AND name > ?2", -1,
		&statement, NULL);
	for (int i = 0; i < 40; i++) {
		sqlite3_reset(statement);
		sqlite3_bind_int(statement, 1, 1850 + first + i * 3);
		sqlite3_bind_text(statement, 2, i % 2 ? "b" : "", -1, SQLITE_STATIC);
		while (sqlite3_step(statement) == SQLITE_ROW)
			sum = sum * 31 + sqlite3_column_text(statement, 0)[0];
	}
	sqlite3_finalize(statement);
}

// Not a part of main: callgrind counts from here.
__attribute__((noinline)) static void one_round(int round)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		exit(1);
	for (size_t i = 0; i < COUNT(schema); i++)
		run(db, schema[i]);
	for (size_t i = 0; i < COUNT(fill); i++)
		run(db, fill[i]);
	for (size_t i = 0; i < COUNT(once); i++)
		run_numbered(db, once[i], round);
	for (int number = 0; number < 8; number++)
		for (size_t i = 0; i < COUNT(small); i++)
			run_numbered(db, small[i], number);
	look_up_bound(db, round % 3);
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;

	if (rounds < 1) {
		fprintf(stderr, "usage: bench ROUNDS\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++)
		one_round(i);
	printf("%d rounds, sum %llx\n", rounds, sum);
	return 0;
}
