import type { Text } from '@codemirror/state';

import { colourLine, FIRST_LINE } from './coloured-parts.ts';
import type { LineState } from './coloured-parts.ts';

/** A text or a part of it. Parts are immutable; a change shares all but a few with the text before. */
interface Walked {
  readonly before: LineState;
  readonly after: LineState;
}

/** States between the lines of texts; after a change, only changed parts are read again. */
export class LineStates {
  readonly #walked = new WeakMap<Text, Walked>();

  /**
   * Returns the state before a line.
   *
   * @param line number, from 1
   * @param isOver true ends the walk; what has been read is not read again
   * @returns undefined if the walk was ended
   */
  find(text: Text, line: number, isOver: () => boolean): LineState | undefined {
    let state: LineState | undefined = FIRST_LINE;
    let [part, left]: [Text, number] = [text, line - 1];
    while (part.children !== null) {
      let inner: Text | undefined;
      for (const child of part.children) {
        if (left < child.lines) {
          inner = child;
          break;
        }
        left -= child.lines;
        state = this.#walk(child, state, isOver);
        if (state === undefined) return undefined;
      }
      if (inner === undefined) return state;
      part = inner;
    }
    return walkLines(part, state, left);
  }

  #walk(part: Text, before: LineState, isOver: () => boolean): LineState | undefined {
    const known = this.#walked.get(part);
    if (known !== undefined && isSame(known.before, before)) return known.after;
    if (isOver()) return undefined;
    let state: LineState | undefined = before;
    if (part.children === null) state = walkLines(part, before, part.lines);
    for (const child of part.children ?? []) {
      state = this.#walk(child, state, isOver);
      if (state === undefined) return undefined;
    }
    this.#walked.set(part, { before, after: state });
    return state;
  }
}

function walkLines(part: Text, before: LineState, count: number): LineState {
  let state = before;
  for (let number = 1; number <= count; number++) state = colourLine(part.line(number).text, state).after;
  return state;
}

function isSame(one: LineState, other: LineState): boolean {
  return one.brackets === other.brackets && one.scalar === other.scalar && one.indent === other.indent;
}
