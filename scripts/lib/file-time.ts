/** What a test file took of the processor. */
export interface FileTime {
  readonly file: string;
  readonly ownMs: number;
  /** Of the programs that it started and waited for. */
  readonly programsMs: number;
  readonly rssMb: number;
  readonly wallMs: number;
}
