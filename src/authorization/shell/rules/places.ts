import type { Inspector } from "../rule.ts";
import { readable, type Word } from "../word.ts";

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
