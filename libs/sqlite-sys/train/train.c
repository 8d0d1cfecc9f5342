/* What SQLite is trained with (train.sh): rows by key, scans, joins, groups, sorting, changes with and without indexes, texts, JSON, full text,
   in memory and in a file, by prepared statements as programs of bao use them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3 *db;
static long sum;

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *text) {
  if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) fail(text);
}

static sqlite3_stmt *prepare(const char *text) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) fail(text);
  return statement;
}

/* Reads the row that a statement is at, as native/statement.rs does. */
static void row(sqlite3_stmt *statement) {
  for (int i = 0, count = sqlite3_column_count(statement); i < count; i++) {
    sqlite3_value *value = sqlite3_column_value(statement, i);
    switch (sqlite3_value_type(value)) {
      case SQLITE_INTEGER: sum += sqlite3_value_int64(value); break;
      case SQLITE_FLOAT: sum += (long)sqlite3_value_double(value); break;
      case SQLITE_TEXT: sum += sqlite3_value_text(value)[0] + sqlite3_value_bytes(value); break;
      case SQLITE_BLOB: sum += sqlite3_value_bytes(value); break;
      default: break;
    }
  }
}

/* Runs a statement to its end. */
static void finish(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) row(statement);
  if (code != SQLITE_DONE) fail(sqlite3_sql(statement));
  sqlite3_reset(statement);
}

static void text(sqlite3_stmt *statement, int parameter, const char *value) {
  sqlite3_bind_text64(statement, parameter, value, strlen(value), SQLITE_STATIC, SQLITE_UTF8);
}

static const char *const CITIES[] = {"Bremen", "Oslo", "Lisboa", "Kyoto"};

static void people(int count) {
  char name[64], mail[64];
  sqlite3_stmt *insert = prepare("insert into person(name, age, score, city, mail) values (?, ?, ?, ?, ?)");
  run("begin");
  for (int i = 0; i < count; i++) {
    snprintf(name, sizeof name, "person number %d", i);
    snprintf(mail, sizeof mail, "%d@example.com", i * 7919 % 100003);
    text(insert, 1, name);
    sqlite3_bind_int64(insert, 2, i % 90);
    sqlite3_bind_double(insert, 3, i / 3.0);
    text(insert, 4, CITIES[i & 3]);
    if (i % 10 == 0) sqlite3_bind_null(insert, 5);
    else text(insert, 5, mail);
    finish(insert);
  }
  run("commit");
  sqlite3_finalize(insert);
}

static void one(const char *query, int rounds, int range) {
  sqlite3_stmt *statement = prepare(query);
  for (int i = 0; i < rounds; i++) {
    if (sqlite3_bind_parameter_count(statement) > 0) sqlite3_bind_int64(statement, 1, (long)i * 7919 % range + 1);
    finish(statement);
  }
  sqlite3_finalize(statement);
}

int main(int argc, char **argv) {
  const char *file = argc > 1 ? argv[1] : ":memory:";
  int count = 20000;
  if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) fail(file);
  if (argc > 1) run("pragma journal_mode = wal; pragma synchronous = normal");
  run("create table person(id integer primary key, name text, age integer, score real, city text, mail text)");
  people(count);
  one("select * from person where id = ?", 60000, count);
  one("select * from person", 12, count);
  run("create index person_mail on person(mail); create index person_city on person(city, age)");
  people(count / 2);
  run("create table visit(id integer primary key autoincrement, person integer references person(id), at text, data blob)");
  run("with recursive n(i) as (select 1 union all select i + 1 from n where i < 8000)"
      " insert into visit(person, at, data) select 1 + (i * 31) % 5000, datetime(i * 1000, 'unixepoch'), randomblob(i % 200) from n");
  run("create index visit_person on visit(person)");
  one("select name, score from person where mail = (? % 97) || '@example.com'", 3000, count);
  one("select p.name, v.at from visit v join person p on p.id = v.person where v.person = ? order by v.at desc", 4000, 5000);
  one("select count(*) from person where age > ?", 20, 90);
  one("select id from person where city = 'Oslo' and age between ?1 and ?1 + 5 order by score desc limit 20", 300, 80);
  one("select city, count(*), avg(score), max(name) from person group by city having count(*) > 1 order by 2 desc", 5, 1);
  one("select id, name, row_number() over (partition by city order by score) from person where id < 3000", 3, 1);
  one("select name from person where name like '%99%' or upper(city) = 'KYOTO' limit 100", 20, 1);
  one("select distinct age from person union select id from visit where id < 100 except select 3", 5, 1);
  one("update person set score = score + 1, age = age + 1 where id = ?", 15000, count);
  one("insert into person(id, name, age) values (?, 'again', 1) on conflict(id) do update set age = excluded.age returning id, age", 4000, count);
  run("begin");
  one("delete from visit where id = ?", 3000, 8000);
  one("insert into visit(person, at, data) values (?, datetime('now'), zeroblob(300))", 3000, 5000);
  one("update visit set at = null where person = ? order by id desc limit 1", 300, 5000);
  one("delete from visit where person = ? limit 2", 300, 5000);
  run("rollback");
  one("select json_extract('{\"a\": [1, 2, {\"b\": \"text\"}]}', '$.a[2].b'), json_object('id', ?, 'list', json_array(1, 2.5, null))", 3000, count);
  one("select value, key from json_each('[1, \"two\", 3.5, null, {\"x\": 1}]')", 500, 1);
  one("select p.id, json_group_array(v.id) from person p left join visit v on v.person = p.id where p.id < 400 group by p.id", 5, 1);
  one("with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) select sum(i) from n", 4, 1);
  run("create virtual table words using fts5(body); insert into words select name || ' lives in ' || city from person limit 3000");
  one("select rowid, snippet(words, 0, '[', ']', '', 5) from words where words match 'oslo AND number' limit 50", 10, 1);
  for (int i = 0; i < 1500; i++) {
    sqlite3_stmt *statement = prepare(i % 3 == 0   ? "select id, name, age from person where id = ? and city in ('Oslo', 'Kyoto') order by name"
                                      : i % 3 == 1 ? "insert into visit(person, at) values (?, current_timestamp)"
                                                   : "select count(*) as n, p.city from person p join visit v on v.person = p.id where p.age > ? group by 2");
    if (i % 3 != 2 || i < 6) {
      sqlite3_bind_int64(statement, 1, i % count + 1);
      finish(statement);
    }
    sqlite3_finalize(statement);
  }
  run("savepoint a; update person set name = lower(name) where id < 500; rollback to a; release a; delete from person where id % 3 = 0; vacuum; analyze");
  sqlite3_close_v2(db);
  printf("%ld\n", sum);
  return 0;
}
