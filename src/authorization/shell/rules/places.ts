import { operandsOf } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import { readable, type Word } from "../word.ts";
import { looks } from "./client-verbs.ts";

/** `sftp:host:/repo`, `s3:…`, `user@host:path`, `host::/path`: a place on another machine. */
export function isRemotePlace({ shape }: Word): boolean {
  return /^(?:-\S*=)?(?:(?:sftp|scp|s3|b2|rest|azure|gs|swift|rclone|ssh|rsync|ftps?|webdavs?|socket|boto3?\+?\w*):|[^\s/:@]+@[^\s/:@]+:|[\w.-]+::\/|[\w.-]+:\/(?!\/))/.test(
    readable(shape),
  );
}

/** `scheme://user:password@host`, `domain/user:password@host`, `user@host:path`, `domain/user@10.0.0.5`. */
const LOGIN =
  /^(?:--?[\w-]+=)?(?:[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:[^\s/@]+@[\w[]|[\w.-]+\/[^\s/@:]+(?::[^\s@]*)?@\d+\.\d+\.\d+\.\d+|(?:[\w.-]+\/)?[^\s/@:=]+:[^\s@/]+@(?!sha\d)[\w.-]+(?:$|[:/])|[\w.-]+@(?=[\w.-]*[a-zA-Z.])[\w.-]+:(?!\d+$)\S)/;

/** Whether a word tells a program how to get into another machine. */
export function isLogin({ shape }: Word): boolean {
  const text = readable(shape);
  return text.includes("@") && text.length < 1_000 && !/^mailto:/.test(text) && LOGIN.test(text);
}

/** A click for something that leaves the sandbox. */
export function asksAndSends(why: string, inspect: Inspector): void {
  inspect.sends();
  inspect.click(why);
}

/** Verbs of programs that are known to work here, which change something where the words name production. */
const CHANGES_PRODUCTION =
  /^(?:[\w-]+[:.])*(?:up|down|migrate|upgrade|downgrade|seed|load\w*|import|restore|reset|rollback|undo|update|apply|sync|push|deploy|release|publish|promote|restart|stop|delete|destroy|drop|purge|flush|truncate|create\w*|change\w*|enable|disable|set|runner|shell|console|dbconsole|dbshell|tinker|repl|eval|execute|query)(?:[:_-][\w-]+)*$/;

/** `php artisan down --env=production`, `RAILS_ENV=production rails db:migrate`: whichever program it is. */
export function changesProduction(
  { args, segment }: Call,
  isExported: (name: string, value: RegExp) => boolean,
  inspect: Inspector,
): void {
  const inProduction =
    ENVIRONMENTS.some((name) => isExported(name, /^(?:prod|production|live)$/i)) ||
    args.some(namesElsewhere) ||
    args.some(isProductionSetting) ||
    PRODUCTION_FIRST.test(segment);
  if (!inProduction) return;
  const verb = operandsOf(args)
    .slice(0, 4)
    .map(({ shape }) => readable(shape))
    .find((word) => looks(word) || CHANGES_PRODUCTION.test(word));
  if (verb !== undefined && !looks(verb)) asksAndSends(`${verb} acts in production`, inspect);
}

/** `--settings app.settings.production`, `--ssh=web-1` */
function isProductionSetting({ shape }: Word): boolean {
  return /^(?:--?[\w-]+=)?(?:\w+\.)*(?:prod|production)$|^--ssh=/.test(readable(shape));
}

/** Variables that name the place in which frameworks act. */
const ENVIRONMENTS = [
  ...["RAILS", "RACK", "NODE", "APP", "MIX", "DJANGO", "FLASK", "SYMFONY", "LARAVEL"].map(
    (name) => `${name}_ENV`,
  ),
  ...["ENV", "ENVIRONMENT", "STAGE", "ASPNETCORE_ENVIRONMENT", "DOTNET_ENVIRONMENT"],
];

/** `RAILS_ENV=production …` */
const PRODUCTION_FIRST =
  /^(?:\w+=\S*\s+)*\w*(?:ENV|ENVIRONMENT|STAGE)=["']?(?:prod|production|live)\b/;

/** Verbs that act on a service or a database, where the words also name one that is elsewhere. */
const ACTS_ELSEWHERE =
  /^(?:[\w-]+:)*(?:up|down|migrate|upgrade|downgrade|run|seed|load|import|sync|restore|reset|create|update|set|push|exec|execute|query|sql|start|stop|restart)$/;

/** `deploy production`, `--stage prod`, `@prod`, `NODE_ENV=production` as a word of its own. */
export function isProduction({ shape }: Word): boolean {
  return /^(?:--?[\w-]+=|\w+=|@)?(?:env=)?(?:prod|production|live)$/i.test(readable(shape));
}

/** A database on another machine by its address, or an option that says production. */
function namesElsewhere({ shape }: Word, index: number, args: readonly Word[]): boolean {
  const text = readable(shape);
  if (isProduction({ text, shape }))
    return (
      /[=@]/.test(text) ||
      /^--?(?:env|environment|stage|target|profile|e|x|n|t)$/.test(
        readable(args[index - 1]?.shape ?? ""),
      )
    );
  return /(?:^|\s)host=(?!localhost\b|127\.|\/)\w|(?:^|=)(?:jdbc:)?(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cassandra|cockroachdb|ldaps?):\/\/(?:[^@/\s]*@)?(?!localhost\b|127\.|\[::1\])[\w-]/.test(
    text,
  );
}

/** `alembic -x env=prod upgrade head`, `tool migrate postgres://db.example/app` */
export function actsElsewhere(
  { program, args }: Pick<Call, "program" | "args">,
  inspect: Inspector,
): void {
  const verbs = operandsOf(args)
    .slice(0, 3)
    .map(({ shape }) => readable(shape));
  if (verbs.some((verb) => ACTS_ELSEWHERE.test(verb)) && args.some(namesElsewhere))
    asksAndSends(`${program} acts on a named machine or in production`, inspect);
}

/** `db:drop`, `migrate:fresh`, `migrate reset`: names that frameworks share for emptying a database. */
const EMPTIES =
  /^(?:[\w-]+:)*(?:db|database|schema|migrations?|migrate)[: ](?:[\w-]+:)*(?:drop|reset|fresh|refresh|wipe|purge|truncate|clean)(?:[:_-]\w+)*$/;

/** A task of a project that brings down what a database holds; where it is asked not to hesitate, for good. */
export function emptiesDatabase({ args, program, segment }: Call, inspect: Inspector): void {
  const words = args.map(({ shape }) => readable(shape));
  if (!words.some((word, at) => EMPTIES.test(word) || EMPTIES.test(`${word} ${words[at + 1]}`)))
    return;
  const insists = words.some((word) =>
    /^(?:-f|-y|--(?:force|yes|no-input|no-interaction))$/.test(word),
  );
  const inProduction = /\b\w*env(?:ironment)?[= ](?:prod|production|live)\b/i.test(segment);
  if (insists || inProduction) inspect.phrase(`${program} empties a database`);
  else inspect.click(`${program} empties a database`);
}
