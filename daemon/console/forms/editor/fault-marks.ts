import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension } from '@codemirror/state';
import { Decoration, EditorView, gutter, GutterMarker, hoverTooltip, showTooltip } from '@codemirror/view';
import type { Command, DecorationSet, Tooltip } from '@codemirror/view';

/** Error in a text, with its range. */
export interface TextFault {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const shownFaults = StateEffect.define<readonly TextFault[]>();
const visitedFault = StateEffect.define<TextFault>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { effects, changes, newDoc }) {
    const [latest] = effects.flatMap((effect) => (effect.is(shownFaults) ? [effect.value] : []));
    if (latest === undefined) return before.map(changes);
    const ranges = placeFaults(latest, newDoc.length).map(({ from, to, message }) =>
      Decoration.mark({ class: 'wrong', message }).range(from, to),
    );
    return RangeSet.of(ranges, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Message of the error that was navigated to, until the cursor moves. */
const visited = StateField.define<Tooltip | null>({
  create: () => null,
  update(before, { effects, docChanged, selection }) {
    const [fault] = effects.flatMap((effect) => (effect.is(visitedFault) ? [effect.value] : []));
    if (fault !== undefined) return createTooltip(fault);
    return docChanged || selection !== undefined ? null : before;
  },
  provide: (field) => showTooltip.from(field),
});

class FaultMarker extends GutterMarker {
  readonly #words: string;

  constructor(words: string) {
    super();
    this.#words = words;
  }

  override eq(other: FaultMarker): boolean {
    return other.#words === this.#words;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement('span');
    mark.className = 'wrong-mark';
    mark.title = this.#words;
    mark.textContent = '✕';
    return mark;
  }
}

/** Marks errors in the text and the gutter, with tooltips. */
export const FAULT_MARKS: Extension = [
  marks,
  visited,
  gutter({
    class: 'wrong-marks',
    lineMarker(view, { from, to }) {
      const words = listFaults(view.state, from, to).filter((fault) => fault.from >= from);
      return words.length === 0 ? null : new FaultMarker(words.map(({ message }) => message).join('\n'));
    },
    lineMarkerChange: ({ startState, state }) => startState.field(marks) !== state.field(marks),
  }),
  hoverTooltip((view, offset) => {
    const [fault] = listFaults(view.state, offset, offset);
    return fault === undefined ? null : createTooltip(fault);
  }),
];

/** Replaces the marked errors; if they are the same, the editor is not rendered again. */
export function showFaults(view: EditorView, faults: readonly TextFault[]): void {
  const before = listFaults(view.state);
  const after = placeFaults(faults, view.state.doc.length);
  const isSame =
    before.length === after.length &&
    after.every(({ from, to, message }) =>
      before.some((each) => each.from === from && each.to === to && each.message === message),
    );
  if (!isSame) view.dispatch({ effects: shownFaults.of(faults) });
}

/** Errors can belong to a slightly longer text; missing values are marked at their parent. */
function placeFaults(faults: readonly TextFault[], length: number): readonly TextFault[] {
  return faults.flatMap(({ from, to, message }) => {
    const end = Math.min(Math.max(to, from + 1), length);
    const begin = Math.min(from, Math.max(0, end - 1));
    return begin < end ? [{ from: begin, to: end, message }] : [];
  });
}

/** Moves to the next error after the cursor; wraps around. */
export const goToNextFault: Command = (view) => {
  const faults = listFaults(view.state);
  const { from: cursor } = view.state.selection.main;
  return visit(view, faults.find(({ from }) => from > cursor) ?? faults[0]);
};

/** Moves to the previous error before the cursor; wraps around. */
export const goToPreviousFault: Command = (view) => {
  const faults = listFaults(view.state);
  const { from: cursor } = view.state.selection.main;
  return visit(view, faults.findLast(({ from }) => from < cursor) ?? faults.at(-1));
};

function visit(view: EditorView, fault: TextFault | undefined): boolean {
  if (fault === undefined) return false;
  view.dispatch({
    selection: { anchor: fault.from, head: fault.to },
    effects: [visitedFault.of(fault), EditorView.announce.of(fault.message)],
    scrollIntoView: true,
  });
  return true;
}

/** Lists the errors that overlap a range of the text. */
function listFaults(state: EditorState, begin = 0, end = state.doc.length): readonly TextFault[] {
  const faults: TextFault[] = [];
  state.field(marks).between(begin, end, (from, to, { spec }) => {
    faults.push({ from, to, message: (spec as { readonly message: string }).message });
  });
  return faults;
}

function createTooltip({ from, to, message }: TextFault): Tooltip {
  return {
    pos: from,
    end: to,
    create() {
      const dom = document.createElement('div');
      dom.className = 'wrong-words';
      dom.textContent = message;
      return { dom };
    },
  };
}
