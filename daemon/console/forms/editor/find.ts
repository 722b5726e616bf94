import { StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension } from '@codemirror/state';
import { Decoration, EditorView, getPanel, keymap, runScopeHandlers, showPanel } from '@codemirror/view';
import type { KeyBinding, Panel } from '@codemirror/view';

import { EDITOR } from '../../text/editor.ts';
import { fill } from '../../text/fill.ts';
import { renderFindForm } from './find-form.tsx';
import { findAll, isSamePart } from './find-text.ts';
import type { FoundPart, Wanted } from './find-text.ts';

interface Search extends Wanted {
  readonly isOpen: boolean;
  readonly found: readonly FoundPart[];
}

/** Key bindings shared by the text and the find form. */
const SCOPE = 'editor find';
const FOUND = Decoration.mark({ class: 'found' });
const FOUND_HERE = Decoration.mark({ class: 'found here' });

const change = StateEffect.define<Partial<Omit<Search, 'found'>>>();

const search = StateField.define<Search>({
  create: () => ({ isOpen: false, words: '', matchesCase: false, found: [] }),
  update(before, { effects, docChanged, newDoc }) {
    const [latest] = effects.flatMap((effect) => (effect.is(change) ? [effect.value] : []));
    if (latest === undefined && !docChanged) return before;
    const next: Search = { ...before, ...latest };
    return { ...next, found: next.isOpen ? findAll(newDoc.toString(), next) : [] };
  },
  provide: (field) => showPanel.from(field, ({ isOpen }) => (isOpen ? createPanel : null)),
});

const keys: readonly KeyBinding[] = [
  { key: 'Mod-f', run: openFind, scope: SCOPE },
  { key: 'F3', run: findNext, shift: findPrevious, preventDefault: true, scope: SCOPE },
  { key: 'Mod-g', run: findNext, shift: findPrevious, preventDefault: true, scope: SCOPE },
  { key: 'Escape', run: closeFind, scope: SCOPE },
];

/** Find and replace. */
export const FIND: Extension = [
  search,
  EditorView.decorations.compute([search, 'selection'], (state) => {
    const here = findHere(state);
    const { found } = state.field(search);
    return Decoration.set(
      found.map((part) => (part === here ? FOUND_HERE : FOUND).range(part.from, part.to)),
    );
  }),
  keymap.of(keys),
];

/** Opens the find form with the selected text. */
export function openFind(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const selected = view.state.sliceDoc(from, to);
  const words = selected === '' || selected.includes('\n') ? view.state.field(search).words : selected;
  view.dispatch({ effects: change.of({ isOpen: true, words }) });
  getPanel(view, createPanel)?.dom.querySelector('input')?.select();
  return true;
}

function closeFind(view: EditorView): boolean {
  if (!view.state.field(search).isOpen) return false;
  view.dispatch({ effects: change.of({ isOpen: false }) });
  view.focus();
  return true;
}

function findNext(view: EditorView): boolean {
  const { found } = view.state.field(search);
  const { to } = view.state.selection.main;
  return select(view, found.find(({ from }) => from >= to) ?? found[0]);
}

function findPrevious(view: EditorView): boolean {
  const { found } = view.state.field(search);
  const { from } = view.state.selection.main;
  return select(view, found.findLast(({ to }) => to <= from) ?? found.at(-1));
}

function select(view: EditorView, part: FoundPart | undefined): boolean {
  if (part === undefined) return false;
  const { number } = view.state.doc.lineAt(part.from);
  view.dispatch({
    selection: { anchor: part.from, head: part.to },
    effects: EditorView.announce.of(fill(EDITOR.foundInLine, { line: number })),
    scrollIntoView: true,
    userEvent: 'select.search',
  });
  return true;
}

/** Replaces the selected match and moves to the next one. */
function replaceHere(view: EditorView, insert: string): void {
  const here = findHere(view.state);
  if (here !== undefined) {
    const changes = { from: here.from, to: here.to, insert };
    // After the replacement, which is not searched again.
    view.dispatch({ changes, selection: { anchor: here.from + insert.length }, userEvent: 'input.replace' });
  }
  findNext(view);
}

function replaceAll(view: EditorView, insert: string): void {
  const changes = view.state.field(search).found.map(({ from, to }) => ({ from, to, insert }));
  view.dispatch({ changes, userEvent: 'input.replace.all' });
}

function findHere(state: EditorState): FoundPart | undefined {
  return state.field(search).found.find((part) => isSamePart(part, state.selection.main));
}

function createPanel(view: EditorView): Panel {
  const dom = document.createElement('div');
  const render = (): void => {
    const { words, matchesCase, found } = view.state.field(search);
    const here = findHere(view.state);
    renderFindForm(dom, {
      words,
      matchesCase,
      count: found.length,
      place: here === undefined ? undefined : found.indexOf(here) + 1,
      onChange: (wanted) => view.dispatch({ effects: change.of(wanted) }),
      onNext: () => findNext(view),
      onPrevious: () => findPrevious(view),
      onReplace: (insert) => replaceHere(view, insert),
      onReplaceAll: (insert) => replaceAll(view, insert),
      onClose: () => closeFind(view),
    });
  };
  dom.addEventListener('keydown', (event) => {
    if (runScopeHandlers(view, event, 'find')) event.preventDefault();
  });
  render();
  return { dom, top: true, update: render, destroy: () => renderFindForm(dom, undefined) };
}
