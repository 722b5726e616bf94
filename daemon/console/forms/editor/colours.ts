import type { Extension } from '@codemirror/state';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, EditorView } from '@codemirror/view';

import { listColouredParts } from './coloured-parts.ts';
import type { ColouredPart } from './coloured-parts.ts';

const MARKS = {
  key: Decoration.mark({ class: 'key' }),
  quoted: Decoration.mark({ class: 'quoted' }),
  remark: Decoration.mark({ class: 'remark' }),
  sign: Decoration.mark({ class: 'sign' }),
} as const;

/** Colours what is shown of a YAML or JSON text. */
export const COLOURS: Extension = ViewPlugin.define(
  (view) => {
    let colour = startColouring(view.state.doc.toString());
    const shown = {
      decorations: colour(view.viewport),
      update({ docChanged, viewportChanged }: { docChanged: boolean; viewportChanged: boolean }): void {
        if (docChanged) colour = startColouring(view.state.doc.toString());
        if (docChanged || viewportChanged) shown.decorations = colour(view.viewport);
      },
    };
    return shown;
  },
  { decorations: ({ decorations }) => decorations },
);

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
