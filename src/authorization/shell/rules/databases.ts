import { hasAnyOption, hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { asksPhrase, type Call, each, type Inspector, type Rules, writesOutputs } from "../rule.ts";
import { isUnknown, readable, type Word } from "../word.ts";
import { dropsData, judgeSentTexts, withoutQuoted } from "./service-texts.ts";

/** Databases, here and elsewhere. */
export const databases: Rules = {
  pg_isready: () => {},
  ...each(
    "psql mysql mariadb mongosh mongo cqlsh clickhouse-client sqlcmd pgcli mycli usql mysqlsh cypher-shell snowsql sqlplus isql tsql " +
      "hive beeline impala-shell presto trino spark-sql surreal arangosh ysqlsh ycqlsh",
    database,
  ),
  ...each("redis-cli valkey-cli keydb-cli iredis", (call, inspect) => {
    redis(call, inspect);
    judgeSentTexts(call, inspect);
  }),
  ...each(
    "pg_dump mysqldump mongodump pg_dumpall pg_basebackup mongoexport mysqlpump mydumper",
    ({ args }, inspect) => {
      const onlySchema =
        args.some(({ shape }) => /^(?:--schema-only|--no-data)$/.test(shape)) ||
        args.some(({ shape }) => shape === "-s" || shape === "-d");
      if (onlySchema) inspect.notes("reads a database");
      else inspect.click("copies a database");
      writesOutputs(args, inspect);
      for (const file of valuesOfOption(args, { short: "f", long: "file" })) inspect.writes(file);
    },
  ),
  ...each(
    "createdb dropuser createuser mongoimport mysqlimport vacuumdb reindexdb clusterdb " +
      "mysql_secure_installation mysql_upgrade pg_rewind myloader",
    ({ args }, inspect) => {
      if (isOwnDatabase(args)) inspect.notes("changes a database of the sandbox");
      else inspect.click("changes a database");
    },
  ),
  pg_restore: ({ args }, inspect) => {
    const places = [
      { short: "d", long: "dbname" },
      { short: "h", long: "host" },
    ];
    for (const file of valuesOfOption(args, { short: "f", long: "file" })) inspect.writes(file);
    if (hasOption(args, { short: "l", long: "list" }) || !hasAnyOption(args, places))
      inspect.notes("reads a copy of a database");
    else if (hasOption(args, { short: "c", long: "clean" }))
      inspect.phrase("drops existing data before it restores");
    else inspect.click("changes a database");
  },
  mongorestore: ({ args }, inspect) => {
    if (args.some(({ shape }) => shape === "--drop"))
      inspect.phrase("drops existing data before it restores");
    else inspect.click("changes a database");
  },
  mysqladmin: ({ args }, inspect) => {
    const words = operandsOf(args, { valued: "hupPS" }).map(({ shape }) => readable(shape));
    if (words.includes("drop")) inspect.phrase("deletes a database");
    else if (!words.every((word) => /^(?:status|ping|version|variables|processlist)$/.test(word)))
      inspect.click("changes a database");
  },
  dropdb: asksPhrase("deletes a database"),
};

/** A statement that only reads passes; a prompt or a file of statements could do anything. */
function database({ args, program, input }: Call, inspect: Inspector): void {
  if (args.length > 0 && args.every(({ shape }) => /^--?(?:version|help|V|h)$/.test(shape))) return;
  const statements = [
    { short: "c", long: "command" },
    { short: "e", long: "execute" },
    { long: "eval" },
    { short: "Q" },
    { short: "q", long: "query" },
  ].flatMap((name) => valuesOfOption(args, name));
  const given = [
    ...statements,
    ...(input.text ? [input.text] : []),
    ...input.upstream.flatMap((call) => call.args),
  ];
  judgeDrops(given, inspect);
  const lists = hasOption(args, { short: "l", long: "list" }) && /^(?:psql|pgcli)$/.test(program);
  const reads = /^mongo/.test(program) ? onlyFinds : onlySelects;
  if ((statements.length > 0 && statements.every(reads)) || lists)
    inspect.notes("reads a database");
  else if (isOwnDatabase(args) && !given.some(startsPrograms)) {
    inspect.notes("changes a database of the sandbox");
    inspect.mayRun(given);
  } else {
    inspect.sends();
    inspect.click("may change a database");
  }
}

/** A server in the container, by the name of this machine. */
function isOwnDatabase(args: readonly Word[]): boolean {
  const hosts = [{ short: "h", long: "host" }].flatMap((name) => valuesOfOption(args, name));
  const addresses = args.filter(({ shape }) => /:\/\//.test(shape));
  const isHere = ({ shape }: Word) =>
    /^(?:[a-z+]+:\/\/(?:[^@/\s]*@)?)?(?:localhost|127\.0\.0\.1|\[?::1\]?)(?:[:/]|$)/.test(
      readable(shape),
    );
  const named = [...hosts, ...addresses];
  return named.length > 0 && named.every(isHere) && !args.some(isUnknown);
}

/** `\\! COMMAND`, `system COMMAND`, `copy … to program`: clients and servers that start others. */
function startsPrograms({ shape }: Word): boolean {
  return /\\|\||\bsystem\b|\bprogram\b|\bpg_(?:read|write)|\blo_|\boutfile\b|\bload\b|\brun\b|\bexec/i.test(
    readable(shape),
  );
}

function judgeDrops(statements: readonly Word[], inspect: Inspector): void {
  if (statements.some(({ shape }) => dropsData(readable(shape))))
    inspect.phrase("drops or empties data");
}

/** One statement that a client sends. */
export function judgeStatement(statement: Word, inspect: Inspector): void {
  judgeDrops([statement], inspect);
  if (onlySelects(statement)) inspect.notes("reads a database");
  else {
    inspect.sends();
    inspect.click("may change a database");
  }
}

/** Programs whose databases are files. */
const ON_FILES = /^(?:duckdb|sqlite|litecli|csvsql|octosql|dsq|q|textql|trdsql)/;
const CHANGES =
  /^\s*(?:alter|insert\s+into|update|delete\s+from|create|grant|revoke|drop|truncate)\s+[\w."]+\s+\S/i;

/** A statement among the words of a program that is not known as a client of databases. */
export function judgeSql({ program, args }: Call, inspect: Inspector): void {
  if (ON_FILES.test(program) || !args.some(({ shape }) => /\w\s+\w/.test(shape))) return;
  judgeDrops(
    args.filter(({ shape }) => /^\s*(?:drop|truncate|delete)\s/i.test(shape)),
    inspect,
  );
  if (args.some(({ shape }) => CHANGES.test(withoutQuoted(readable(shape))))) {
    inspect.sends();
    inspect.click("may change a database");
  }
}

const WRITES =
  /\b(?:insert|update|delete|drop|truncate|alter|create|grant|revoke|copy|into|vacuum|call|do|set|lock|merge|replace|pg_read_file|pg_terminate_backend|lo_import|load|kill)\b|\\(?:!|copy|o|g|i)|\|/i;

function onlySelects(statement: Word): boolean {
  // mysql prints one column per line after \\G.
  const text = withoutQuoted(readable(statement.shape).trim()).replace(/\\G\s*;?$/, "");
  return (
    /^(?:select|show|explain|describe|desc|with|use|values|table|\\d|\\l|\\conninfo|\\dt|\\du|\\x|\\timing)/i.test(
      text,
    ) && !WRITES.test(text)
  );
}

/** Calls of the Mongo shell that only look. */
function onlyFinds(statement: Word): boolean {
  const text = readable(statement.shape);
  const calls = [...text.matchAll(/\.(\w+)\s*\(/g)].map(([, name]) => name ?? "");
  return (
    calls.every((name) =>
      /^(?:find|findOne|countDocuments|estimatedDocumentCount|count|distinct|limit|sort|skip|toArray|pretty|explain|stats|getIndexes|getCollectionNames|serverStatus|currentOp|hello|adminCommand|getName|projection|size|map|forEach|join|status|conf)$/.test(
        name,
      ),
    ) && !/\badminCommand\b.*(?:shutdown|drop)|\$out|\$merge/.test(text)
  );
}

function redis({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args, { valued: "hpanu", valuedLong: ["pattern", "user", "pass"] }).map(
    ({ shape }) => readable(shape).toLowerCase(),
  );
  if (/^(?:flushall|flushdb|shutdown|debug|swapdb)$/.test(verb ?? ""))
    inspect.phrase("empties a database");
  if (/^(?:del|unlink)$/.test(verb ?? "") && args.some(isUnknown))
    inspect.phrase("deletes something that is known only at run time");
  const looks = args.some(({ shape }) =>
    /^--(?:scan|stat|latency|bigkeys|memkeys|hotkeys)/.test(shape),
  );
  const reads =
    /^(?:ping|info|get|mget|keys|scan|sscan|hscan|zscan|ttl|pttl|type|exists|llen|lrange|lindex|hget|hgetall|hkeys|hlen|smembers|scard|zrange|zcard|zscore|dbsize|time|strlen|memory|slowlog|monitor|object|client|role|xlen|xrange|xinfo|lastsave|command)$/;
  if (looks || (verb && reads.test(verb))) inspect.notes("reads a database");
  else if (
    isOwnDatabase(args) &&
    !/^(?:config|module|eval\w*|script|function|save|bgsave)$/.test(verb ?? "config")
  )
    inspect.notes("changes a database of the sandbox");
  else {
    inspect.sends();
    inspect.click("may change a database");
  }
}
