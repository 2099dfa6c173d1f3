/** All keys of one bot. Conversations and ids stand at the end of a key, so nothing in them can be taken for another. */
export function keysUnder(prefix: string) {
  return {
    schema: `${prefix}schema`,
    conversations: `${prefix}conversations`,
    /** Hash: conversation → number and hash of its last line, as long as the audit does not commit to it. */
    uncommitted: `${prefix}uncommitted`,
    /** Hash: claimed name → conversation. */
    claims: `${prefix}claims`,
    /** List: one line each, so that a line's place is its number. */
    journal: (conversation: string) => `${prefix}journal:${conversation}`,
    /** Hash: kind → number of its last line. */
    kinds: (conversation: string) => `${prefix}kinds:${conversation}`,
    /** Hash: head (of the last line), from (number of the first chained line), since (ms; for upgraded journals). */
    chain: (conversation: string) => `${prefix}chain:${conversation}`,
    /** Begins the key of every journal. */
    journals: `${prefix}journal:`,
    /** Hash: fence, holder, until. The fence stays for ever. */
    lease: (conversation: string) => `${prefix}lease:${conversation}`,
    inbox: {
      /** Set: every id that was ever put. */
      known: `${prefix}inbox:known`,
      seq: `${prefix}inbox:seq`,
      /** Sorted sets of `seq:id`: free rows by the time they are due, held ones by the time their hold ends. */
      waiting: `${prefix}inbox:waiting`,
      held: `${prefix}inbox:held`,
      /** Begins the key of a row's hash. */
      row: `${prefix}inbox:row:`,
    },
    document: `${prefix}document:`,
  };
}

export type Keys = ReturnType<typeof keysUnder>;
