import { history } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';

import { EDITOR_PHRASES } from '../../text/editor.ts';
import { fill } from '../../text/fill.ts';
import { language } from '../../text/language.ts';
import type { Language } from '../../text/text.ts';
import { COLOURS } from './colours.ts';
import { createKeys } from './editor-keys.ts';
import { EDITOR_LOOK } from './editor-look.ts';
import { FAULT_MARKS, showFaults } from './fault-marks.ts';
import type { TextFault } from './fault-marks.ts';
import { FIND, openFind } from './find.ts';
import { INDENTATION } from './indentation.ts';
import type { KeyWords } from './key-words.ts';
import { REPLACED_SELECTION } from './replaced-selection.ts';
import type { SchemaSupport, TextSchema } from './schema-completion.ts';
import { createSettledText } from './settled-text.ts';
import { readAhead } from './surroundings.ts';

/** Accessible label and state of the editor. */
export interface EditorWords {
  readonly label: string;
  readonly description: string;
  readonly isWrong: boolean;
}

interface CodeEditorOptions {
  /** Receives a shadow root: there the editor's styles are adopted sheets, so that the CSP needs no exception for inline styles. */
  readonly host: HTMLElement;
  readonly text: string;
  readonly selection: { readonly from: number; readonly to: number };
  readonly words: EditorWords;
  /** Returns undefined until the schema is loaded. */
  readonly getTextSchema: () => TextSchema | undefined;
  /** Called at each change by the user. */
  readonly onTyping: () => void;
  /** Called with the changed text after a pause in typing. */
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
  /** Called when the cursor moves to another key, or to none. */
  readonly onKey: (words: KeyWords | undefined) => void;
}

/** Editor of one text. */
export interface CodeEditor {
  /** Shows another text. */
  setText(text: string): void;
  setFaults(faults: readonly TextFault[]): void;
  announce(words: EditorWords): void;
  /** Loads suggestions and descriptions, once there is a schema. */
  addSchemaSupport(): Promise<void>;
  /** Selects a range of the text. */
  select(from: number, to: number): void;
  openSearch(): void;
  /** Calls `onChange` at once, if a change has not been passed on. */
  flush(): void;
  destroy(): void;
}

const SETTLED_MS = 200;
const STEP_MS = 5;
const outside = Annotation.define<boolean>();

/** Creates an editor; its schema support is added once its text is shown. */
export function createCodeEditor(options: CodeEditorOptions): CodeEditor {
  const { host, text, selection, getTextSchema, onTyping, onKey } = options;
  const settled = createSettledText(options.onChange);
  const words = new Compartment();
  const schemaPart = new Compartment();
  let support: SchemaSupport | undefined;
  let isDestroyed = false;
  // Requested, by a key or by typing, before they were loaded.
  let wantsSuggestions = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown: KeyWords | undefined;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: selection.from, head: selection.to },
      extensions: [
        createKeys(options.onSubmit),
        schemaPart.of(keymap.of([{ key: 'Ctrl-Space', run: requestSuggestions }])),
        history(),
        bracketMatching(),
        indentOnInput(),
        INDENTATION,
        lineNumbers(),
        FAULT_MARKS,
        highlightActiveLine(),
        highlightActiveLineGutter(),
        FIND,
        EditorView.lineWrapping,
        EDITOR_LOOK,
        COLOURS,
        REPLACED_SELECTION,
        words.of(createWords(options.words)),
        EditorView.updateListener.of(({ docChanged, selectionSet, focusChanged, transactions }) => {
          if (docChanged && !transactions.some((each) => each.annotation(outside) === true)) {
            settled.change(view.state.doc);
            onTyping();
          }
          if (docChanged || selectionSet) {
            wantsSuggestions = transactions.some((each) => each.isUserEvent('input.type')) && isInWord();
          }
          if (docChanged) startReadingAhead();
          if (docChanged || selectionSet || focusChanged) explainKey();
        }),
      ],
    }),
  });

  let reading: ReturnType<typeof setTimeout> | undefined;
  startReadingAhead();

  function isInWord(): boolean {
    const { head } = view.state.selection.main;
    return /\w/.test(view.state.sliceDoc(Math.max(0, head - 1), head));
  }

  function requestSuggestions(): boolean {
    wantsSuggestions = true;
    return true;
  }

  async function addSchemaSupport(): Promise<void> {
    // A text can be edited without.
    const module = await import('./schema-completion.ts').catch(() => undefined);
    if (module === undefined || support !== undefined || isDestroyed) return;
    support = module.createSchemaSupport(getTextSchema);
    view.dispatch({ effects: schemaPart.reconfigure(support.extension) });
    if (wantsSuggestions && view.hasFocus) support.suggest(view);
    explainKey();
  }

  function startReadingAhead(): void {
    clearTimeout(reading);
    reading = setTimeout(() => {
      const end = performance.now() + STEP_MS;
      if (!readAhead(view.state.doc, () => performance.now() > end)) startReadingAhead();
    });
  }

  function explainKey(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { doc, selection: chosen } = view.state;
      const line = doc.lineAt(chosen.main.head);
      const [lead = ''] = /^[\s\-"'{[]*/.exec(line.text) ?? [];
      const next = support?.findKey(doc, line.from + lead.length);
      const isShown = next?.name === shown?.name && next?.facts === shown?.facts;
      shown = next;
      if (!isShown) onKey(next);
    }, SETTLED_MS);
  }

  return {
    setText(next) {
      settled.cancel();
      const { length } = view.state.doc;
      view.dispatch({ changes: { from: 0, to: length, insert: next }, annotations: outside.of(true) });
      support?.closeSuggestions(view);
    },
    setFaults: (faults) => showFaults(view, faults),
    addSchemaSupport,
    announce: (next) => view.dispatch({ effects: words.reconfigure(createWords(next)) }),
    select(from, to) {
      // What was just deleted may have been part of the range.
      const { length } = view.state.doc;
      const range = { anchor: Math.min(from, length), head: Math.min(to, length) };
      view.dispatch({ selection: range, scrollIntoView: true });
      view.focus();
    },
    openSearch: () => void openFind(view),
    flush: () => settled.flush(),
    destroy() {
      isDestroyed = true;
      clearTimeout(timer);
      clearTimeout(reading);
      settled.cancel();
      view.destroy();
    },
  };
}

function createWords({ label, description, isWrong }: EditorWords): Extension {
  return [
    choosePhrases(),
    EditorView.contentAttributes.of({
      // Already the default; stated so that accessibility checks find a focusable element in the scroll container.
      tabindex: '0',
      'aria-label': label,
      'aria-description': description,
      'aria-invalid': String(isWrong),
    }),
  ];
}

const phrasesOf = new Map<Language, Extension>();

/** Returns the same extension for the same language: with other phrases the editor is built again, and its find form loses the focus. */
function choosePhrases(): Extension {
  const known = phrasesOf.get(language.value);
  if (known !== undefined) return known;
  const phrases = Object.entries(EDITOR_PHRASES).map(([phrase, text]) => [phrase, fill(text)]);
  const extension = EditorState.phrases.of(Object.fromEntries(phrases) as Readonly<Record<string, string>>);
  phrasesOf.set(language.value, extension);
  return extension;
}
