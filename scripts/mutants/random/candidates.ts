import ts from "typescript";

/** One small change of a source file that a test should notice. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly fault: string;
}

const SWAPPED = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
]);

/** Lines for operators: a missing log line is no broken promise. */
const LOGS = /(^|\.)(#?log|warn|debug|info|error)$/;

/** Every edit that the operators below can make in this file, in the order of the text. */
export function findEdits(name: string, text: string): Edit[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isLog(node)) return;
    edits.push(...editsOf(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return edits;
}

function editsOf(node: ts.Node, source: ts.SourceFile): Edit[] {
  const at = (part: ts.Node, replacement: string, fault: string): Edit => ({
    start: part.getStart(source),
    end: part.end,
    replacement,
    fault: `line ${source.getLineAndCharacterOfPosition(part.getStart(source)).line + 1}: ${fault}`,
  });
  const shown = (part: ts.Node) => part.getText(source).replace(/\s+/g, " ").slice(0, 60);
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    const { expression } = node;
    return [at(expression, `!(${expression.getText(source)})`, `negate ${shown(expression)}`)];
  }
  if (ts.isConditionalExpression(node)) {
    const { condition } = node;
    return [at(condition, `!(${condition.getText(source)})`, `negate ${shown(condition)}`)];
  }
  if (ts.isBinaryExpression(node)) return swap(node, at, shown);
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    // One more would hardly be noticed in a large limit.
    const other = String(value > 10 ? value * 10 : value + 1);
    return [at(node, other, `${node.text} becomes ${other}`)];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [at(node, "false", "true becomes false")];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [at(node, "true", "false becomes true")];
  if (ts.isTryStatement(node) && node.finallyBlock) {
    return [at(node.finallyBlock, "{}", "leave out the clean-up in finally")];
  }
  if (ts.isExpressionStatement(node) && ts.isBlock(node.parent) && isCall(node.expression)) {
    return [at(node, ";", `leave out ${shown(node)}`)];
  }
  return [];
}

function swap(
  node: ts.BinaryExpression,
  at: (part: ts.Node, replacement: string, fault: string) => Edit,
  shown: (part: ts.Node) => string,
): Edit[] {
  const swapped = SWAPPED.get(node.operatorToken.kind);
  const isText = [node.left, node.right].some(
    (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
  );
  if (swapped !== undefined && !(isText && /[+-]/.test(swapped))) {
    return [at(node.operatorToken, swapped, `${swapped} in ${shown(node)}`)];
  }
  return node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken
    ? [at(node, node.left.getText(), `leave out the default of ${shown(node)}`)]
    : [];
}

function isCall(expression: ts.Expression): boolean {
  return ts.isCallExpression(ts.isAwaitExpression(expression) ? expression.expression : expression);
}

function isLog(node: ts.Node): boolean {
  return ts.isCallExpression(node) && LOGS.test(node.expression.getText());
}
