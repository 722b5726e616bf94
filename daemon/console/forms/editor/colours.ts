import type { Extension } from '@codemirror/state';
import { RangeSetBuilder, StateEffect } from '@codemirror/state';
import { Decoration, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, EditorView, PluginValue, ViewUpdate } from '@codemirror/view';

import { listColouredParts } from './coloured-parts.ts';
import type { ColouredPart } from './coloured-parts.ts';

const goOn = StateEffect.define();

const MARKS = {
  key: Decoration.mark({ class: 'key' }),
  quoted: Decoration.mark({ class: 'quoted' }),
  remark: Decoration.mark({ class: 'remark' }),
  sign: Decoration.mark({ class: 'sign' }),
} as const;

// Highlighting a large text takes long: it starts after a pause in typing and yields to input between steps.
const PAUSE_MS = 100;
const STEP_MS = 10;
const PARTS_BETWEEN_LOOKS = 200;

/** Highlights the visible part of a YAML or JSON text; the colours move along with edits. */
export const COLOURS: Extension = ViewPlugin.define((view) => new Colouring(view), {
  decorations: ({ decorations }) => decorations,
});

class Colouring implements PluginValue {
  decorations: DecorationSet = Decoration.none;
  readonly #view: EditorView;
  #parts: PartsOfText;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView) {
    this.#view = view;
    this.#parts = new PartsOfText(view.state.doc.toString());
    this.#colour();
  }

  update({ docChanged, viewportChanged, changes, transactions }: ViewUpdate): void {
    if (docChanged) {
      this.decorations = this.decorations.map(changes);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#parts = new PartsOfText(this.#view.state.doc.toString());
        this.#goOn();
      }, PAUSE_MS);
    } else if (transactions.some(({ effects }) => effects.some((effect) => effect.is(goOn)))) this.#colour();
    else if (viewportChanged && this.#timer === undefined) this.#colour();
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #goOn(): void {
    this.#timer = undefined;
    this.#view.dispatch({ effects: goOn.of(null) });
  }

  #colour(): void {
    const { from, to } = this.#view.viewport;
    if (this.#parts.readTo(to)) this.decorations = this.#parts.mark(from, to);
    else this.#timer = setTimeout(() => this.#goOn());
  }
}

/** Tokens of a text, scanned from its beginning up to the last position shown. */
class PartsOfText {
  readonly #parts: ColouredPart[] = [];
  readonly #rest: Generator<ColouredPart, void>;

  constructor(text: string) {
    this.#rest = listColouredParts(text);
  }

  /** Scans one more step; true if the offset has been reached. */
  readTo(offset: number): boolean {
    const end = performance.now() + STEP_MS;
    while ((this.#parts.at(-1)?.from ?? 0) <= offset) {
      const next = this.#rest.next();
      if (next.done === true) break;
      this.#parts.push(next.value);
      if (this.#parts.length % PARTS_BETWEEN_LOOKS === 0 && performance.now() > end) return false;
    }
    return true;
  }

  mark(from: number, to: number): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    for (const part of this.#parts) {
      if (part.to > from && part.from < to) builder.add(part.from, part.to, MARKS[part.colour]);
    }
    return builder.finish();
  }
}
