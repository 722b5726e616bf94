import type { Extension } from '@codemirror/state';
import { RangeSetBuilder, StateEffect } from '@codemirror/state';
import { Decoration, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, EditorView, PluginValue, ViewUpdate } from '@codemirror/view';

import { colourLine } from './coloured-parts.ts';
import { LineStates } from './line-states.ts';

const goOn = StateEffect.define();

const MARKS = {
  key: Decoration.mark({ class: 'key' }),
  quoted: Decoration.mark({ class: 'quoted' }),
  remark: Decoration.mark({ class: 'remark' }),
  sign: Decoration.mark({ class: 'sign' }),
} as const;

// Far below a large text, its lines are read in steps that leave room for keys.
const STEP_MS = 5;

/** Highlights the visible part of a YAML or JSON text. */
export const COLOURS: Extension = ViewPlugin.define((view) => new Colouring(view), {
  decorations: ({ decorations }) => decorations,
});

class Colouring implements PluginValue {
  decorations: DecorationSet = Decoration.none;
  readonly #states = new LineStates();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView) {
    this.#colour(view);
  }

  update({ docChanged, viewportChanged, changes, view, transactions }: ViewUpdate): void {
    const goesOn = transactions.some(({ effects }) => effects.some((effect) => effect.is(goOn)));
    if (!docChanged && !viewportChanged && !goesOn) return;
    if (docChanged) this.decorations = this.decorations.map(changes);
    this.#colour(view);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #colour(view: EditorView): void {
    clearTimeout(this.#timer);
    const { doc } = view.state;
    const { from, to } = view.viewport;
    const first = doc.lineAt(from);
    const end = performance.now() + STEP_MS;
    let state = this.#states.find(doc, first.number, () => performance.now() > end);
    if (state === undefined) {
      this.#timer = setTimeout(() => view.dispatch({ effects: goOn.of(null) }));
      return;
    }
    const builder = new RangeSetBuilder<Decoration>();
    for (let line = first; line.from <= to; line = doc.line(line.number + 1)) {
      const { parts, after } = colourLine(line.text, state);
      for (const part of parts) builder.add(line.from + part.from, line.from + part.to, MARKS[part.colour]);
      state = after;
      if (line.number === doc.lines) break;
    }
    this.decorations = builder.finish();
  }
}
