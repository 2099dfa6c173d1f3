/** A node of the syntax tree, copied out of the parser so that nothing has to be freed later. */
export interface SyntaxNode {
  readonly type: string;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly children: readonly SyntaxNode[];
}
