import { autocompletion, closeCompletion, pickedCompletion, startCompletion } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Extension, Text } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import type { EditorView, TooltipView } from '@codemirror/view';

import { loadDescriptions, translateDescription } from '../../parts/setting-words.ts';
import { EDITOR } from '../../text/editor.ts';
import { fill } from '../../text/fill.ts';
import type { Schema } from '../schema.ts';
import { describeSchemas, findKeyWords } from './key-words.ts';
import type { KeyWords } from './key-words.ts';
import { listSuggestions } from './suggestions.ts';
import type { ListReferences, Suggestion } from './suggestions.ts';
import { findCursor } from './text-cursor.ts';
import type { TextCursor } from './text-cursor.ts';

/** Schema of a text and the names that its values can reference. */
export interface TextSchema {
  readonly schema: Schema;
  readonly listReferences: ListReferences;
}

/** What an editor offers by the schema of its text. */
export interface SchemaSupport {
  /** Suggests keys and values, with their keys; describes the key under the pointer. */
  readonly extension: Extension;
  /** Opens the suggestions at the cursor. */
  suggest(view: EditorView): void;
  closeSuggestions(view: EditorView): void;
  /** Finds the description of the key at an offset. */
  findKey(text: Text, offset: number): KeyWords | undefined;
}

const NO_SCHEMA: TextSchema = { schema: {}, listReferences: () => undefined };

/** Creates the schema support of an editor, which shows its text without. Nothing is offered while there is no schema. */
export function createSchemaSupport(findTextSchema: () => TextSchema | undefined): SchemaSupport {
  loadDescriptions();
  const getTextSchema = (): TextSchema => findTextSchema() ?? NO_SCHEMA;
  return {
    extension: createExtension(getTextSchema),
    suggest: startCompletion,
    closeSuggestions: closeCompletion,
    findKey: (text, offset) => findKeyWords(text, offset, getTextSchema().schema),
  };
}

function createExtension(getTextSchema: () => TextSchema): Extension {
  return [
    autocompletion({
      override: [(context) => complete(context, getTextSchema())],
      icons: false,
      maxRenderedOptions: 200,
    }),
    hoverTooltip((view, offset) => {
      const found = findKeyWords(view.state.doc, offset, getTextSchema().schema);
      if (found === undefined) return null;
      const { name, facts, described, from, to } = found;
      const create = (): TooltipView => ({ dom: write(name, facts, translateDescription(described)) });
      return { pos: from, end: to, above: true, create };
    }),
  ];
}

function complete(
  { state, pos, explicit }: CompletionContext,
  { schema, listReferences }: TextSchema,
): CompletionResult | null {
  const cursor = findCursor(state.doc, pos);
  if (cursor === undefined) return null;
  // Not requested explicitly: an empty line alone must not open a list over the text.
  if (!explicit && cursor.word === '' && cursor.role === 'KEY') return null;
  const suggestions = listSuggestions(cursor, schema, listReferences);
  if (suggestions.length === 0) return null;
  return {
    from: cursor.from,
    to: cursor.to,
    options: suggestions.map((suggestion, index) => toCompletion(suggestion, index, cursor)),
    validFor: /^[\w.$/-]*$/,
  };
}

function toCompletion(suggestion: Suggestion, index: number, cursor: TextCursor): Completion {
  const { label, role, schema, isRequired, text, hasValues } = suggestion;
  const inform = (): HTMLElement => {
    const { facts, described } = describeSchemas([schema]);
    return write('', facts, translateDescription(described));
  };
  return {
    label,
    // In schema order, as in the documentation, with required keys first.
    boost: -Math.min(99, index),
    ...(isRequired ? { detail: fill(EDITOR.required) } : {}),
    ...(role === 'KEY' ? { info: inform } : {}),
    apply(view, completion, from, to) {
      insert(view, text, { from, to }, cursor);
      view.dispatch({ annotations: pickedCompletion.of(completion) });
      if (hasValues() && !cursor.hasColon) startCompletion(view);
    },
  };
}

/** Replaces a word including its quotes; the new text has its own quotes if needed. */
function insert(
  view: EditorView,
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  { hasQuotes }: TextCursor,
): void {
  const { doc } = view.state;
  const first = hasQuotes ? from - 1 : from;
  const last = hasQuotes && doc.sliceString(to, to + 1) === doc.sliceString(first, from) ? to + 1 : to;
  view.dispatch({
    changes: { from: first, to: last, insert: text },
    selection: { anchor: first + text.length },
    scrollIntoView: true,
    userEvent: 'input.complete',
  });
}

function write(...lines: readonly string[]): HTMLElement {
  const dom = document.createElement('div');
  dom.className = 'key-words';
  for (const line of lines.filter((each) => each !== '')) {
    const paragraph = document.createElement('p');
    paragraph.textContent = line;
    dom.append(paragraph);
  }
  return dom;
}
