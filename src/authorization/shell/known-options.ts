/** The options of a program that make it start no other one and obey no file; with any other it is not known. */
export interface Known {
  readonly flags: string;
  /** Letters of options with a value. */
  readonly valued: string;
  /** By name: "" for a flag, "=" with a value, "?" with a value behind `=` only. */
  readonly long: ReadonlyMap<string, string>;
}

/** `-ab -t VALUE --long --name= --when?` */
export function known(flags: string, valued = "", long = ""): Known {
  const names = long.split(" ").filter(Boolean);
  return {
    flags,
    valued,
    long: new Map(
      names.map((name) => [name.replace(/[=?]$/, ""), /[=?]$/.exec(name)?.[0] ?? ""] as const),
    ),
  };
}

const DIGITS = "0123456789";
const MODES = known(
  "cfvRHLPh",
  "",
  "changes silent quiet verbose recursive dereference no-dereference preserve-root no-preserve-root reference= from=",
);
const SUMS = known(
  "bctwz",
  "a",
  "binary check tag text zero quiet status strict warn ignore-missing",
);
const GREP = known(
  `EFGPivwxcoqshHlLnbrRzZaIyUT${DIGITS}`,
  "ABCmef",
  "extended-regexp fixed-strings perl-regexp ignore-case invert-match word-regexp line-regexp count only-matching quiet silent " +
    "no-messages with-filename no-filename files-with-matches files-without-match line-number recursive text null " +
    "after-context= before-context= context= max-count= regexp= file= include= exclude= exclude-dir= color? colour? binary-files=",
);
const PACKERS = known(
  `cdfklLnNqrtvz${DIGITS}`,
  "ST",
  "stdout to-stdout decompress uncompress keep force list test verbose quiet recursive best fast name no-name suffix= threads=",
);
const CODERS = known("diw", "w", "decode ignore-garbage wrap=");
const PRINTS = known("AbeEnstTuvqzr", "ncs", "lines= bytes= quiet silent verbose number show-all");
const PLAIN = known("", "");

export const KNOWN_OPTIONS: Readonly<Record<string, Known>> = {
  cp: known(
    "abdfiHlLnPprRsTuvxZ",
    "tS",
    "archive backup? attributes-only copy-contents force interactive link dereference no-dereference no-clobber parents " +
      "preserve? no-preserve= recursive reflink? remove-destination sparse= symbolic-link target-directory= suffix= " +
      "no-target-directory update? verbose one-file-system strip-trailing-slashes",
  ),
  mv: known(
    "bfinTuvZ",
    "tS",
    "backup? force interactive no-clobber target-directory= suffix= verbose update? no-target-directory strip-trailing-slashes",
  ),
  install: known(
    "bcCdDpTvZ",
    "gmotS",
    "backup? compare directory preserve-timestamps verbose mode= owner= group= target-directory= suffix= no-target-directory",
  ),
  ln: known(
    "bdfFiLnPrsTv",
    "tS",
    "backup? symbolic force no-dereference relative verbose target-directory= suffix= no-target-directory",
  ),
  rm: known(
    "dfiIrRv",
    "",
    "recursive force verbose dir one-file-system interactive? preserve-root? no-preserve-root",
  ),
  rmdir: known("pv", "", "parents verbose ignore-fail-on-non-empty"),
  unlink: PLAIN,
  shred: known("fuvxz", "ns", "force remove? verbose exact zero iterations= size="),
  mkdir: known("pvZ", "m", "parents verbose mode="),
  touch: known("acfhm", "drt", "no-create date= reference= time= no-dereference"),
  truncate: known("co", "sr", "no-create size= reference="),
  chmod: MODES,
  chown: MODES,
  chgrp: MODES,
  cat: PRINTS,
  tac: PRINTS,
  head: known(`qvz${DIGITS}`, "nc", "lines= bytes= quiet silent verbose"),
  tail: known(
    `fFqvz${DIGITS}`,
    "ncs",
    "follow? retry pid= lines= bytes= quiet silent verbose sleep-interval=",
  ),
  wc: known("clmLw", "", "bytes chars lines words max-line-length total="),
  nl: known("p", "bdfhilnsvw"),
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  zgrep: GREP,
  rg: known("inwlvcFSsNHo", "egtTABCm", "hidden no-ignore files count ignore-case fixed-strings"),
  ls: known(
    "1aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ",
    "TwI",
    "all almost-all author block-size= color? directory full-time group-directories-first human-readable inode no-group " +
      "numeric-uid-gid recursive reverse si size sort= time= time-style= width= zero quote-name format= hide= ignore=",
  ),
  dir: known("1aAdhlrRStu"),
  vdir: known("1aAdhlrRStu"),
  stat: known("Lft", "c", "dereference file-system format= printf= terse"),
  file: known("bikLNprs0", "eF", "brief mime mime-type mime-encoding dereference keep-going raw"),
  du: known(
    "0abchHklLmsSxPD",
    "dBtX",
    "all apparent-size bytes total human-readable summarize one-file-system max-depth= block-size= exclude= threshold= time?",
  ),
  df: known("ahHiklPTv", "Btx", "all human-readable inodes print-type type= total output? si"),
  tree: known("adfFhinpqrstuvxCD", "LIP", "dirsfirst du si noreport prune"),
  diff: known(
    "abBdiEnNpqrstTuwWyZc",
    "UCxI",
    "brief recursive unified? context? ignore-case ignore-all-space ignore-blank-lines new-file side-by-side color? exclude= report-identical-files",
  ),
  cmp: known("bls", "in", "print-bytes verbose silent quiet bytes= ignore-initial="),
  comm: known("123z", "", "check-order nocheck-order output-delimiter= total"),
  md5sum: SUMS,
  b2sum: SUMS,
  cksum: SUMS,
  ...Object.fromEntries([1, 224, 256, 384, 512].map((bits) => [`sha${bits}sum`, SUMS])),
  cut: known(
    "sznb",
    "bcdf",
    "bytes= characters= delimiter= fields= only-delimited complement output-delimiter=",
  ),
  sort: known(
    "bdfghiMnrRuVcCmsz",
    "ktS",
    "reverse numeric-sort human-numeric-sort version-sort unique key= field-separator= check? stable zero-terminated",
  ),
  tr: known("cCdst", "", "delete squeeze-repeats complement truncate-set1"),
  paste: known("sz", "d", "serial delimiters="),
  fold: known("bs", "w", "bytes spaces width="),
  rev: PLAIN,
  od: known("abcdfhilosvx", "AjNStw"),
  strings: known("afo", "ntes", "all bytes= radix= encoding="),
  tee: known("aip", "", "append ignore-interrupts output-error?"),
  base64: CODERS,
  base32: CODERS,
  zcat: PLAIN,
  bzcat: PLAIN,
  xzcat: PLAIN,
  gzip: PACKERS,
  gunzip: PACKERS,
  bzip2: PACKERS,
  bunzip2: PACKERS,
  xz: PACKERS,
  unxz: PACKERS,
  unzip: known("onqjlvtpCZ", "dx"),
  realpath: known("eLmPqsz", "", "canonicalize-existing relative-to= relative-base= no-symlinks"),
  readlink: known("efmnqsvz", "", "canonicalize"),
  sed: known(
    "nrEsuzi",
    "e",
    "quiet silent regexp-extended expression= in-place? null-data separate",
  ),
  rsync: known(
    "avzrtplogDHAXSnuhcxqPiRkLKW",
    "",
    "archive verbose compress delete delete-after delete-before dry-run exclude= include= exclude-from= chown= chmod= progress " +
      "stats human-readable itemize-changes recursive links perms times owner group checksum update numeric-ids " +
      "one-file-system inplace ignore-existing existing size-only partial no-perms no-owner no-group info= mkpath " +
      "log-file= backup-dir= partial-dir= temp-dir= write-batch=",
  ),
  tar: known(
    "cxtrudAvzjJpkmOPShBiUloa",
    "fCXb",
    "extract get create list append update delete file= directory= gzip bzip2 xz zstd verbose strip-components= exclude= " +
      "exclude-from= same-owner no-same-owner same-permissions preserve-permissions no-same-permissions owner= group= mode= " +
      "keep-old-files overwrite absolute-names numeric-owner one-file-system wildcards totals one-top-level? listed-incremental=",
  ),
  jq: known(
    "ncrRseaSCMj",
    "",
    "null-input compact-output raw-output raw-input slurp exit-status sort-keys color-output monochrome-output join-output tab",
  ),
};
