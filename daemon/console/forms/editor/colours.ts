import type { Extension } from '@codemirror/state';
import { RangeSetBuilder, StateEffect } from '@codemirror/state';
import { Decoration, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, EditorView, PluginValue, ViewUpdate } from '@codemirror/view';

import { listColouredParts } from './coloured-parts.ts';
import type { ColouredPart } from './coloured-parts.ts';

const readAgain = StateEffect.define();

const MARKS = {
  key: Decoration.mark({ class: 'key' }),
  quoted: Decoration.mark({ class: 'quoted' }),
  remark: Decoration.mark({ class: 'remark' }),
  sign: Decoration.mark({ class: 'sign' }),
} as const;

// A large text takes long to read: whoever types must not wait for its colours.
const PAUSE_MS = 100;

/** Colours what is shown of a YAML or JSON text; while it changes, the colours move along with it. */
export const COLOURS: Extension = ViewPlugin.define((view) => new Colouring(view), {
  decorations: ({ decorations }) => decorations,
});

class Colouring implements PluginValue {
  decorations: DecorationSet;
  readonly #view: EditorView;
  #colour: ReturnType<typeof startColouring>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView) {
    this.#view = view;
    this.#colour = startColouring(view.state.doc.toString());
    this.decorations = this.#colour(view.viewport);
  }

  update({ docChanged, viewportChanged, changes, transactions }: ViewUpdate): void {
    if (docChanged) {
      this.decorations = this.decorations.map(changes);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#view.dispatch({ effects: readAgain.of(null) }), PAUSE_MS);
    }
    if (transactions.some(({ effects }) => effects.some((effect) => effect.is(readAgain)))) {
      this.#timer = undefined;
      this.#colour = startColouring(this.#view.state.doc.toString());
      this.decorations = this.#colour(this.#view.viewport);
    } else if (viewportChanged && this.#timer === undefined) {
      this.decorations = this.#colour(this.#view.viewport);
    }
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }
}

/** Reads a text from its beginning, as it has to be, but no further than it was ever shown. */
function startColouring(text: string): (shown: EditorView['viewport']) => DecorationSet {
  const parts: ColouredPart[] = [];
  const rest = listColouredParts(text);
  return ({ from, to }) => {
    while ((parts.at(-1)?.from ?? 0) <= to) {
      const next = rest.next();
      if (next.done === true) break;
      parts.push(next.value);
    }
    const builder = new RangeSetBuilder<Decoration>();
    for (const part of parts) {
      if (part.to > from && part.from < to) builder.add(part.from, part.to, MARKS[part.colour]);
    }
    return builder.finish();
  };
}
