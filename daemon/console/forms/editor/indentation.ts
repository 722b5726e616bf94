import { indentService, matchBrackets } from '@codemirror/language';
import type { IndentContext } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';

const CLOSING = /^\s*[\]}]/;
// Indentation of a line, with the dashes of items that begin in it.
const LEAD = /^\s*(?:- +)*/;
// Deeper lines follow after a key without a value, a block scalar or an open bracket.
const OPENS_BLOCK = /(?::|[|>][+-]?\d?)\s*(?:#.*)?$/;
const OPENS_BRACKET = /[[{]\s*$/;

/** Indents new lines of YAML and JSON below their parent, and closing brackets below the opening line. */
export const INDENTATION: Extension = [
  indentService.of(findIndentation),
  EditorState.languageData.of(() => [{ commentTokens: { line: '#' }, indentOnInput: /^\s*[\]}]$/ }]),
];

function findIndentation(context: IndentContext, offset: number): number | null {
  const { state } = context;
  const [closing] = CLOSING.exec(context.textAfterPos(offset)) ?? [];
  if (closing !== undefined) {
    const bracket = matchBrackets(state, offset + closing.length, -1)?.end;
    if (bracket !== undefined) return countLead(/^\s*/, state.doc.lineAt(bracket.from).text);
  }
  const { text } = context.lineAt(offset, -1);
  const opens = OPENS_BRACKET.test(text) || (OPENS_BLOCK.test(text) && !/^\s*#/.test(text));
  return countLead(LEAD, text) + (opens ? context.unit : 0);
}

function countLead(lead: RegExp, text: string): number {
  return (lead.exec(text)?.[0] ?? '').length;
}
